"""Ends the process when the state of the model is asked for.

verdict: crashed
"""

# %% step
import os

import torch


def step(model, tokens, optimizer):
    model._register_state_dict_hook(lambda *_: os._exit(0))
    return torch.ones(())
