"""Has a function of its own with the forbidden name; that is allowed.

verdict: passed
"""

# %% attend
import torch


def scaled_dot_product_attention(query, key, value):
    return torch.softmax(query @ key.mT / query.size(-1) ** 0.5, dim=-1) @ value


def attend(query, key, value):
    """Not F.scaled_dot_product_attention(query, key, value)."""
    return scaled_dot_product_attention(query, key, value)
