"""The same training for every model of a comparison, and the same choice of a learning rate."""

import math
from collections.abc import Callable, Sequence

import torch
from choosing import Choice, search
from torch import Tensor, nn

Loss = Callable[[Tensor, Tensor], Tensor]
Make = Callable[[], nn.Module]
Data = tuple[Tensor, ...]  # the inputs of the model, in its order, and last the targets
CHOICE = 100  # the seed whose data choose a rate; it is never reported
CHOICES = (100, 101, 102)  # three models on these data, because one alone is a poor guide
FIRST, APART = 10**-2.5, 10**0.5  # the rate tried first, and the factor between two rates


def parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def fit(model: nn.Module, data: Data, loss: Loss, steps: int, rate: float) -> None:
    """Adam with one cycle of the learning rate, whose greatest value is `rate`; batches of 64."""
    *inputs, targets = data
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    for _ in range(steps):
        chosen = torch.randint(len(targets), (64,))
        optimizer.zero_grad()
        loss(model(*(x[chosen] for x in inputs)), targets[chosen]).backward()
        optimizer.step()
        schedule.step()


def trained(make: Make, data: Data, loss: Loss, steps: int, rate: float, seed: int) -> nn.Module:
    """A new model, whose start and batches come from the seed."""
    torch.manual_seed(seed)
    model = make()
    fit(model, data, loss, steps, rate)
    return model.eval()


def best_rate(
    make: Make, train: Data, check: Data, loss: Loss, steps: int, seeds: Sequence[int] = CHOICES
) -> Choice:
    """The learning rate after which the loss on held-back data is least, in the worst of the runs.

    It is never at the edge of what was tried.
    """

    def left(rate: float, seed: int) -> float:
        return _left(trained(make, train, loss, steps, rate, seed), check, loss)

    return search(left, seeds=seeds, start=FIRST, step=APART)


def _left(model: nn.Module, check: Data, loss: Loss) -> float:
    """Loss on held-back data; infinite where training failed."""
    *inputs, targets = check
    with torch.no_grad():
        left = loss(model(*inputs), targets).item()
    return left if math.isfinite(left) else math.inf
