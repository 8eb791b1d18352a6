"""Leaves torch with other defaults for types, devices, gradients, threads and random numbers.

verdict: passed
"""

# %% normalise
import torch

torch.set_default_dtype(torch.float64)
torch.set_default_device("meta")
torch.set_grad_enabled(False)
torch.set_num_threads(7)
torch.manual_seed(1)
torch.use_deterministic_algorithms(True)
torch.set_printoptions(precision=1)
torch.autograd.set_detect_anomaly(True)
torch.set_flush_denormal(True)


def normalise(values):
    return values / values.sum(-1, keepdim=True)
