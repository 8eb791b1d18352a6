"""Calls the operator behind it.

verdict: forbidden
"""

# %% attend
import torch


def attend(query, key, value):
    return torch.ops.aten.scaled_dot_product_attention(query, key, value)
