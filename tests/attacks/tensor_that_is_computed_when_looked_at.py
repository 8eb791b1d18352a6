"""Returns a tensor subclass that, whatever is asked of it, gives another tensor each time.

verdict: raised
"""

# %% normalise
import torch


class Changing(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return torch.rand(2, 3, 4)


def normalise(values):
    return torch.Tensor._make_subclass(Changing, values)
