"""Returns nothing, a number without an axis, and a tensor without an entry.

verdict: wrong
"""


# %% normalise
def normalise(values):
    return None


# %% average
def average(weights, values):
    return values.sum()


# %% Scale
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x[:0]
