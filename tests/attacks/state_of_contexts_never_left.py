"""Enters the contexts of torch that change what code inside them does, and leaves none.

verdict: passed
"""

# %% normalise
import torch

torch.inference_mode().__enter__()
torch.no_grad().__enter__()
torch.autocast("cpu", dtype=torch.bfloat16).__enter__()
torch.device("meta").__enter__()


def normalise(values):
    return values / values.sum(-1, keepdim=True)
