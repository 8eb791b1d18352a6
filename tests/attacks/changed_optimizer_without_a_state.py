"""Takes from the optimiser what is looked at afterwards.

verdict: raised
"""

# %% step
import torch


def step(model, tokens, optimizer):
    del optimizer.state, optimizer.param_groups
    return torch.ones(())
