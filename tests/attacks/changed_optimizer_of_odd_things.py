"""Fills the state of the optimiser with what is no tensor and no number.

verdict: wrong
"""

# %% step
import torch


def step(model, tokens, optimizer):
    odd = {"step": torch.tensor(float("nan")), "exp_avg": {object()}, "exp_avg_sq": [[None]]}
    optimizer.state[model.rows] = odd
    optimizer.param_groups[0]["lr"] = lambda: 0
    return torch.ones(())
