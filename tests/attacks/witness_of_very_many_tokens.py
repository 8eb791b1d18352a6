"""Returns so many tokens that to try each prefix would take forever.

verdict: wrong
"""

# %% shows
import torch


def shows(model):
    return torch.zeros(500_000, dtype=torch.int64)
