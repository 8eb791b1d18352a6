"""Calls the kernels that the forbidden function chooses from.

verdict: forbidden
"""

# %% attend
import torch


def attend(query, key, value):
    kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    if query.dim() == 4:
        return kernel(query, key, value)[0]
    return kernel(query[None], key[None], value[None])[0][0]
