"""Calls the C++ function that the public one is.

verdict: forbidden
"""

# %% attend
import torch


def attend(query, key, value):
    return torch._C._nn.scaled_dot_product_attention(query, key, value)
