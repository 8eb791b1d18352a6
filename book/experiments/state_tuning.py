"""What a kind of `state_model.py` is trained with, chosen on seeds that no result is from."""

from collections.abc import Callable, Sequence

import torch
from measurements import Numbers, number
from recall import Params
from torch import Tensor

OTHERS = (100, 101)  # the seeds
Trained = Callable[[Sequence[float], Sequence[int]], Params]  # by rates and seeds
Loss = Callable[[Params], Tensor]  # of each model


def chosen(
    rates: Sequence[float], trained: Trained, loss: Loss, others: Sequence[int] = OTHERS
) -> tuple[float, float]:
    """The learning rate with the least loss on other seeds, and that loss: of each rate, the loss
    of the worst seed, since a rate that fails now and then is no good."""
    models = trained([rate for rate in rates for _ in others], [*others] * len(rates))
    found = torch.nan_to_num(loss(models), nan=torch.inf).view(len(rates), -1).amax(dim=1)
    return rates[int(found.argmin())], found.min().item()


def of_rates(rates: Sequence[float], best: dict[str, float]) -> Numbers:
    """The numbers of a record that say what was chosen."""
    inside = [name for name, rate in best.items() if min(rates) < rate < max(rates)]
    return {f"rate_{key(name)}": number(rate, "g") for name, rate in best.items()} | {
        "rates": number(", ".join(f"{rate:g}" for rate in rates)),
        "at_the_edge": number(", ".join(sorted({*best} - {*inside})) or "none"),
    }


def key(name: str) -> str:
    """Of a kind or an arrangement, as it is a part of a number's key."""
    return name.replace(" ", "_")
