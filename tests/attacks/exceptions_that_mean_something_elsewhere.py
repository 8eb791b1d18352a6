"""Raises exceptions that loops, groups and interpreters take for their own.

verdict: raised
"""


# %% normalise
def normalise(values):
    raise StopIteration(values)


# %% average
def average(weights, values):
    raise ExceptionGroup("x" * 10**5, [ExceptionGroup("y", [ValueError("z")])] * 1000)


# %% Scale
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        try:
            raise ValueError
        except ValueError as error:
            error.__cause__ = error.__context__ = error
            raise
