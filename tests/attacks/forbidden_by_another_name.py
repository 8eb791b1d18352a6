"""Calls it by an alias, put together from parts of its name, inside a helper and a class.

verdict: forbidden
"""

# %% attend
import torch

attention = getattr(torch.nn.functional, "_".join(["scaled", "dot", "product", "attention"]))


class Helper:
    def __call__(self, *tensors):
        return (lambda *arguments: attention(*arguments))(*tensors)


def attend(query, key, value):
    return Helper()(query, key, value)
