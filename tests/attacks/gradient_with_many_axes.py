"""Claims a gradient of hundreds of axes, which torch cannot reduce.

verdict normalise: crashed
verdict Scale: crashed
"""

# %% normalise
import torch


def normalise(values):
    return values / values.sum(-1, keepdim=True)


def many_axes(outputs, inputs, **_):
    return [torch.zeros((1,) * 200) for _ in inputs]


torch.autograd.grad = many_axes
