"""Returns tokens that no model has a row for, to make who tries them fail.

verdict: wrong
"""

# %% shows
import torch


def shows(model):
    return torch.tensor([2**62, -(2**62)])
