"""Raises what `except Exception` does not catch.

verdict: crashed
"""


# %% normalise
def normalise(values):
    raise KeyboardInterrupt


# %% average
def average(weights, values):
    raise GeneratorExit


# %% Scale
import torch


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        raise type("Base", (BaseException,), {"__str__": None})
