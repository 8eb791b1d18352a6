"""Calls it under vmap.

verdict: forbidden
"""

# %% attend
import torch
import torch.nn.functional as F


def attend(query, key, value):
    return torch.func.vmap(F.scaled_dot_product_attention)(query, key, value)
