"""Wraps the call in a torch function of its own, which alone the tracer sees.

verdict: forbidden
"""

# %% attend
import torch.nn.functional as F
from torch.overrides import handle_torch_function, has_torch_function


def harmless(query, key, value):
    if has_torch_function((query,)):
        return handle_torch_function(harmless, (query,), query, key, value)
    return F.scaled_dot_product_attention(query, key, value)


def attend(query, key, value):
    return harmless(query, key, value)
