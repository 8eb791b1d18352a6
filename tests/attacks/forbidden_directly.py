"""Calls the function that the exercise forbids.

verdict: forbidden
"""

# %% attend
import torch.nn.functional as F


def attend(query, key, value):
    return F.scaled_dot_product_attention(query, key, value)
