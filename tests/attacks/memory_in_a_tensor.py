"""Asks torch for more memory than there is.

verdict: memory
"""

# %% normalise
import torch


def normalise(values):
    return torch.ones(2**40)
