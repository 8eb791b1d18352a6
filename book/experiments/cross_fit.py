"""The same training for every model of a comparison."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

Loss = Callable[[Tensor, Tensor], Tensor]


def parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def fit(model: nn.Module, data: tuple[Tensor, Tensor], loss: Loss, steps: int, rate: float) -> None:
    """Adam with one cycle of the learning rate, whose greatest value is `rate`; batches of 64."""
    inputs, targets = data
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    for _ in range(steps):
        chosen = torch.randint(len(inputs), (64,))
        optimizer.zero_grad()
        loss(model(inputs[chosen]), targets[chosen]).backward()
        optimizer.step()
        schedule.step()


def best_of(
    make: Callable[[], nn.Module],
    train: tuple[Tensor, Tensor],
    check: tuple[Tensor, Tensor],
    loss: Loss,
    rates: tuple[float, ...],
    steps: int,
    seed: int,
) -> nn.Module:
    """The model whose loss on held-back data is least among a few learning rates."""
    tried = []
    for rate in rates:
        torch.manual_seed(seed)
        model = make()
        fit(model, train, loss, steps, rate)
        with torch.no_grad():
            tried.append((loss(model(check[0]), check[1]).item(), model))
    return min(tried, key=lambda pair: pair[0])[1]
