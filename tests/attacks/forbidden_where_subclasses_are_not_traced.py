"""Switches torch functions of subclasses off around the call.

verdict: forbidden
"""

# %% attend
import torch
import torch.nn.functional as F


def attend(query, key, value):
    with torch._C.DisableTorchFunctionSubclass():
        return F.scaled_dot_product_attention(query, key, value)
