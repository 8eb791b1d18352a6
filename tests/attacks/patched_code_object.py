"""Swaps the code of the function that observes, so that even a kept reference to it is changed.

verdict: crashed
"""

# %% normalise
from autograder.confined import observe


def pretend(target, case, device="cpu"):
    return None


def normalise(values):
    observe.observe.__code__ = pretend.__code__
    return values
