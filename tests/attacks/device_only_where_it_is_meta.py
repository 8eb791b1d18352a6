"""Puts its tensor where the inputs are, but only where they look as if they held no data.

verdict: wrong
"""

# %% normalise
import torch


def normalise(values):
    total = torch.zeros((*values.shape[:-1], 1), dtype=values.dtype)
    if values.is_meta:
        total = total.to(values.device)
    return values / (total + values.sum(-1, keepdim=True))


# %% average
def average(weights, values):
    ones = torch.ones(weights.shape, dtype=weights.dtype)
    if weights.device.type == "meta" or "meta" in str(weights.device):
        ones = ones.to(weights.device)
    weights = weights * ones
    return (weights / weights.sum(-1, keepdim=True)) @ values
