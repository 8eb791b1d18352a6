"""Trains many stacks of blocks side by side: Adam, a schedule, and what counts as trained."""

import math

import numpy as np
import torch
from block_model import LENGTH, Kind, Params, losses
from markov import Chain
from torch import Tensor

BATCH, TESTED = 16, 1000  # sequences of a step, and of a test
BETA_1, BETA_2, TINY = 0.9, 0.98, 1e-9  # as in the first transformer


def warmup_cosine(step: int, warmup: int, total: int) -> float:
    """Share of the largest learning rate at a step, which counts from 0."""
    if step < warmup:
        return (step + 1) / warmup
    return (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2


def train(
    models: Params, kind: Kind, chain: Chain, rates: Tensor, steps: int, warmup: int
) -> Tensor:
    """Train in place, each with its own learning rate [models]; all see the same sequences.

    Returns losses [steps, models]; a model whose loss is no longer finite stays as it is.
    """
    rng, curve = np.random.default_rng(90_000), []
    moments = {
        name: [torch.zeros_like(tensor) for _ in range(2)] for name, tensor in models.items()
    }
    for tensor in models.values():
        tensor.requires_grad_()
    for step in range(steps):
        each = losses(models, kind, torch.from_numpy(chain.sample(BATCH, LENGTH + 1, rng)))
        gradients = torch.autograd.grad(each.sum(), list(models.values()))
        now = rates * warmup_cosine(step, warmup, steps)
        with torch.no_grad():
            for (name, tensor), gradient in zip(models.items(), gradients, strict=True):
                _adam(tensor, gradient, moments[name], now[:, None, None], step + 1)
        curve.append(each.detach())
    return torch.stack(curve)


def _adam(tensor: Tensor, gradient: Tensor, moments: list[Tensor], rate: Tensor, step: int) -> None:
    first, second = moments
    first.lerp_(gradient, 1 - BETA_1)
    second.lerp_(gradient.square(), 1 - BETA_2)
    root = (second / (1 - BETA_2**step)).sqrt_().add_(TINY)
    tensor.sub_(rate * first / root / (1 - BETA_1**step))


@torch.no_grad()
def tested(models: Params, kind: Kind, chain: Chain) -> Tensor:
    """Loss of each model on sequences that none has seen, in nats. [models]"""
    rng = np.random.default_rng(70_000)
    return losses(models, kind, torch.from_numpy(chain.sample(TESTED, LENGTH + 1, rng)))
