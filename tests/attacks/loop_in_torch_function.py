"""Returns a tensor subclass that loops in whatever torch does with it.

verdict: timeout
"""

# %% normalise
import torch


class Hang(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        while True:
            pass


def normalise(values):
    return torch.Tensor._make_subclass(Hang, values)
