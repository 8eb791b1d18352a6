"""Leaves a trace and a profile function behind that raise at every line.

verdict: raised
"""

# %% normalise
import sys


def spoil(*_):
    raise ValueError("spoilt")


def normalise(values):
    sys.setprofile(spoil)
    return values / values.sum(-1, keepdim=True)
