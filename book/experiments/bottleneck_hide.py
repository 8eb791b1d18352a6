"""Claim 23, for one model: which of the states that the weights point to does a copy depend on?

The copiers with attention of `bottleneck_recall.py`, trained on sequences of up to 16 symbols.
Before the symbol at place j is written, the weight of the state before it, of its own state or of
the state after it is set to zero and the rest divided by its sum; or that state gets all the
weight. Each step is given the right symbol before it, so that no mistake spreads, and only places
that have a neighbour on either side are counted.

Then sequences of 24 symbols, which the copiers fail on, once with their own weights and once with
all weight placed on the right state. Here they write by themselves.
"""

from collections.abc import Callable

import torch
from bottleneck_recall import SHOWN, SYMBOLS, WIDTHS, Copier, rate, train
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
COUNT, LONG = 1000, 24
OFFSETS = {"before": -1, "own": 0, "after": 1}
Edit = Callable[[Tensor, int], Tensor]  # weights [batch, 1, keys] and the step to new weights

CLAIMS = [
    claim(
        23,
        "Attention weights reveal which inputs influence outputs.",
        "While a symbol is copied, its own state has {weight_own} of the weight, the state before "
        "it {weight_before}, the state after it {weight_after}. Of the symbols, {hide_own} are "
        "right with the weight of their own state set to zero, {hide_before} with that of the "
        "state before and {hide_after} with that of the state after. With all weight on the own "
        "state {only_own} are right.",
        "false",
        "nearly half of the weight lies on states that do not decide which symbol is written",
        scope="a GRU 64 wide that copies 8 different symbols, 1,000 steps of Adam",
        control="Taking weight away might change nothing whatever the state: taken from its own "
        "state in the same way, it leaves {hide_own} of the symbols right. A change that leaves "
        "the right symbol the likeliest is not counted.",
        stands=lambda n: (
            n.hide_own < 0.3
            and min(n.hide_before, n.hide_after, n.only_own) > 0.9
            and n.weight_before + n.weight_after > 0.4
            and n.placed_exact > 0.9
            and n.looked_exact < 0.3
        ),
    )
]


class Edited(Copier):
    """A copier whose weights are changed at each step, before they are used."""

    def __init__(self, model: Copier, edit: Edit):
        super().__init__(WIDTHS["attention"], attends=True)
        self.load_state_dict(model.state_dict())
        self.edit, self.step = edit, 0

    def weights(self, state: Tensor, key: Tensor) -> Tensor:
        edited = self.edit(super().weights(state, key), self.step)
        self.step = (self.step + 1) % key.size(1)  # as many steps as keys
        return edited


def keep(weights: Tensor, step: int) -> Tensor:
    return weights


def hide(offset: int) -> Edit:
    """No weight for the state so many places after the one that is written."""

    def edit(weights: Tensor, step: int) -> Tensor:
        if not 0 <= step + offset < weights.size(-1):
            return weights
        left = weights.index_fill(-1, torch.tensor(step + offset), 0.0)
        return left / left.sum(dim=-1, keepdim=True)

    return edit


def only(offset: int) -> Edit:
    """All weight for that state."""

    def edit(weights: Tensor, step: int) -> Tensor:
        if not 0 <= step + offset < weights.size(-1):
            return weights
        return torch.zeros_like(weights).index_fill(-1, torch.tensor(step + offset), 1.0)

    return edit


@torch.no_grad()
def written(model: Copier, edit: Edit, source: Tensor, teach: bool) -> Tensor:
    return Edited(model, edit)(source, teach)[0].argmax(dim=-1)  # [batch, length]


def agree(symbols: Tensor, source: Tensor, offset: int = 0) -> float:
    """The share of inner places that hold the source's symbol so many places later."""
    moved = source.roll(-offset, dims=1)
    return (symbols == moved)[:, 1:-1].float().mean().item()


def short(model: Copier, seed: int) -> dict[str, float]:
    """Weights of the three states, and the share of symbols right after each edit."""
    rng = torch.Generator().manual_seed(30_000 + seed)
    source = torch.rand(COUNT, SYMBOLS, generator=rng).argsort(dim=-1)[:, :SHOWN]  # all different
    with torch.no_grad():
        weights = model(source, teach=True)[1][:, 1:-1]  # of the inner places
    found = {"kept": agree(written(model, keep, source, True), source)}
    for name, offset in OFFSETS.items():
        found[f"weight_{name}"] = weights.diagonal(1 + offset, 1, 2).mean().item()
        for kind, edit in (("hide", hide(offset)), ("only", only(offset))):
            symbols = written(model, edit, source, True)
            found[f"{kind}_{name}"] = agree(symbols, source)
            found[f"{kind}_{name}_wrote_after"] = agree(symbols, source, 1)
            found[f"{kind}_{name}_wrote_before"] = agree(symbols, source, -1)
    return found


def long(model: Copier, seed: int) -> dict[str, list[float]]:
    """The share of symbols right at each place of a long sequence, and at last of whole ones."""
    rng = torch.Generator().manual_seed(40_000 + seed)
    source = torch.randint(SYMBOLS, (COUNT, LONG), generator=rng)
    curves = {}
    for name, edit in (("looked", keep), ("placed", only(0))):
        right = written(model, edit, source, False) == source
        curves[name] = [*right.float().mean(dim=0).tolist(), right.all(dim=1).float().mean().item()]
    return curves


def measure() -> tuple[Numbers, Series]:
    peak = rate("attention").best
    models = [train(WIDTHS["attention"], True, seed, peak) for seed in SEEDS]
    edited = [short(model, seed) for seed, model in zip(SEEDS, models, strict=True)]
    curves = [long(model, seed) for seed, model in zip(SEEDS, models, strict=True)]
    numbers = {"length": number(SHOWN, "d"), "long": number(LONG, "d")}
    for key in edited[0]:
        fmt = ".2f" if key.startswith("weight") else ".1%"
        numbers[key] = number([run[key] for run in edited], fmt)
    for name in curves[0]:
        numbers[f"{name}_exact"] = number([run[name][-1] for run in curves], ".1%")
        for place in (12, 16, LONG):
            sample = [run[name][place - 1] for run in curves]
            numbers[f"{name}_{place}"] = number(sample, ".1%")
    by_place = {name: [run[name][:-1] for run in curves] for name in curves[0]}
    return numbers, {"places": [*range(1, LONG + 1)], "by_place": by_place}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
