"""Lets a layer of torch's do the work where torch functions are not traced.

verdict: forbidden
undefended: the layer is Python code: below it are the same operations as in an honest answer
"""

# %% attend
import torch
from torch import nn


def attend(query, key, value):
    width = query.size(-1)
    layer = nn.MultiheadAttention(width, 1, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(width).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(width))
    tensors = [tensor.flatten(0, -3) for tensor in (query, key, value)]
    with torch._C.DisableTorchFunction():
        return layer(*tensors)[0].view(query.shape)
