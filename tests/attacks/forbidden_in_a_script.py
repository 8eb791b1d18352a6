"""Compiles a function that calls it, so that no Python function of torch is called at all.

verdict: forbidden
"""

# %% attend
import torch

unit = torch.jit.CompilationUnit(
    "def attend(q, k, v):\n    return torch.ops.aten.scaled_dot_product_attention(q, k, v)\n"
)


def attend(query, key, value):
    return unit.attend(query, key, value)
