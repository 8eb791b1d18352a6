"""Replaces what the models and optimisers of later calls are built with.

verdict: wrong
verdict write: raised
"""

# %% step
import torch


def step(model, tokens, optimizer):
    def refuse(*_, **__):
        raise RuntimeError("no more models")

    torch.nn.Module.load_state_dict = torch.optim.SGD.__init__ = refuse
    return torch.ones(())
