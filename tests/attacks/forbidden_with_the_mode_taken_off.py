"""Takes the tracing modes off their stacks around the call.

verdict: forbidden
"""

# %% attend
import torch
import torch.nn.functional as F
from torch.overrides import _pop_mode_temporarily
from torch.utils._python_dispatch import _disable_current_modes


def attend(query, key, value):
    with _disable_current_modes():
        if torch._C._len_torch_function_stack():
            with _pop_mode_temporarily():
                return F.scaled_dot_product_attention(query, key, value)
        return F.scaled_dot_product_attention(query, key, value)
