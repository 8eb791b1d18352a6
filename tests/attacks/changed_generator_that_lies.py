"""Gives the generator a method that tells of another state.

verdict: raised
"""

# %% write
import torch


def write(model, start, length, generator):
    generator.get_state = lambda: torch.zeros(5056, dtype=torch.uint8)
    return torch.zeros(length, dtype=torch.int64)
