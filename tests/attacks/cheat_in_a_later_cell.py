"""Leaves an exercise wrong and defines it once more in the last cell, where it spoils another too.

verdict: wrong
verdict average: wrong
verdict Scale: passed
"""


# %% normalise
def normalise(values):
    return values


# %% Scale
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.factor


def normalise(values):
    return values * 2
