"""Calls the function that the forbidden one falls back to.

verdict: forbidden
"""

# %% attend
import torch


def attend(query, key, value):
    return torch.ops.aten._scaled_dot_product_attention_math(query, key, value)[0]
