"""Makes a parameter a tensor that says it equals every other.

verdict: wrong
"""

# %% step
import torch


class Liar(torch.Tensor):
    __eq__ = eq = equal = allclose = lambda *_, **__: True
    __hash__ = torch.Tensor.__hash__

    def detach(self):
        return self


def step(model, tokens, optimizer):
    model._parameters["rows"] = torch.Tensor._make_subclass(Liar, torch.ones(5, 5))
    return torch.ones(())
