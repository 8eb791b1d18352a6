"""Returns tokens that say they are within all bounds, and equal to everything.

verdict: raised
"""

# %% shows
import torch


class Liar(torch.Tensor):
    shape = property(lambda self: torch.Size([2]))
    __eq__ = __ge__ = __le__ = lambda *_, **__: torch.ones(2, dtype=torch.bool)
    __hash__ = torch.Tensor.__hash__


def shows(model):
    return torch.Tensor._make_subclass(Liar, torch.full((9,), 99))
