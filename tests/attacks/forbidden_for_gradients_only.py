"""Calls it only in the pass that asks for gradients, and is wrong in the pass that is traced.

verdict: wrong
"""

# %% attend
import torch.nn.functional as F


def attend(query, key, value):
    if query.requires_grad:
        return F.scaled_dot_product_attention(query, key, value)
    return value
