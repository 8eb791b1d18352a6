"""Returns a tensor with far more numbers than anything could need.

verdict: wrong
"""

# %% normalise
import torch


def normalise(values):
    return torch.ones(1, dtype=torch.complex64).expand(2 * 10**7)
