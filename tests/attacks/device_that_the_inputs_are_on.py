"""Correct code that asks where the inputs are in the ways that people do.

verdict: passed
"""

# %% normalise
import torch


def normalise(values):
    total = torch.zeros((*values.shape[:-1], 1), dtype=values.dtype)
    if values.device.type != "cpu":
        total = total.to(values.device)
    return values / (total + values.sum(-1, keepdim=True))


# %% average
def average(weights, values):
    ones = torch.ones(weights.shape, dtype=weights.dtype)
    if weights.is_cuda:
        ones = ones.cuda()
    weights = weights * ones
    return (weights / weights.sum(-1, keepdim=True)) @ values


# %% Scale
class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        with torch.device(x.device):
            return x * self.factor * torch.ones(x.shape, device=f"{x.device}", dtype=x.dtype)
