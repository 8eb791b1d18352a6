"""Makes a parameter a tensor that raises whatever is done with it.

verdict: raised
"""

# %% step
import torch


class Raises(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError("not for you")


def step(model, tokens, optimizer):
    del model._parameters["rows"]
    model._parameters["rows"] = torch.Tensor._make_subclass(Raises, torch.ones(5, 5))
    return torch.ones(())
