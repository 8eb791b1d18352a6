"""Raises exceptions whose text raises, ends the process, is no text, or whose parts are anything.

verdict: raised
"""


# %% normalise
class Mute(Exception):
    def __str__(self):
        raise SystemExit


def normalise(values):
    raise Mute


# %% average
class Odd(SyntaxError):
    def __init__(self):
        self.msg, self.text, self.lineno = [1], 5, 10**30


def average(weights, values):
    raise Odd


# %% Scale
import torch


class Hidden(Exception):
    __str__ = __repr__ = None
    __traceback__ = property(lambda self: 1 / 0)


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        raise Hidden
