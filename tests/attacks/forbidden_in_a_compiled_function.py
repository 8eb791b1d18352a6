"""Compiles a function that calls it, so that what runs is the compiler's own code.

verdict: forbidden
"""

# %% attend
import torch
import torch.nn.functional as F


@torch.compile(fullgraph=True, backend="eager")
def attend(query, key, value):
    return F.scaled_dot_product_attention(query, key, value)
