"""Compares its own function with the forbidden one in its cell, as an honest learner may.

verdict: passed
"""

# %% attend
import torch
import torch.nn.functional as F


def attend(query, key, value):
    return torch.softmax(query @ key.mT / query.size(-1) ** 0.5, dim=-1) @ value


tensors = torch.randn(3, 1, 4, 8)
assert torch.allclose(attend(*tensors), F.scaled_dot_product_attention(*tensors), atol=1e-5)
