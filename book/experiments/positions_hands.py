"""Which hand of a rotary model breaks the copy beyond the length of training?

A score is a sum over the pairs of entries, so that each hand's part of it can be read off. A hand
can also be held: beyond the distances of training it stays where the last of them had put it, and
the others go on.
"""

import math
from collections.abc import Sequence

import torch
from measurements import Numbers, Series, number, run_and_save
from positions_lengths import LONG, SEEDS
from positions_model import BASE, D_MODEL, HEADS, Model, angles
from positions_tasks import BACK, SYMBOLS, TRAINED, Sampler, accuracy, train
from torch import Tensor

WIDTH = D_MODEL // HEADS
NAMES = ("first", "second", "third", "fourth")  # of the hands, by speed
BASES = (10.0, 100.0, 1e3, 1e4, 1e5, 1e6)
SHOWN = (41, 47, 53, 66)  # distances
LENGTHS = (2 * TRAINED, LONG)


def speeds(base: float) -> Tensor:
    """Radians a token, of each hand: [pairs]."""
    return angles(torch.ones(1), WIDTH, base)[0]


def unfinished(base: float) -> list[int]:
    """The hands that do not come round within the distances of training."""
    furthest = (TRAINED - 1) * speeds(base)  # [pairs]
    return (furthest < 2 * math.pi).nonzero().flatten().tolist()


class Held(Model):
    """A rotary model, of which some hands can be held after the training."""

    held: Sequence[int] = ()

    def scores(self, query: Tensor, key: Tensor, layer: int, positions: Tensor) -> Tensor:
        if not self.held:
            return super().scores(query, key, layer, positions)
        return sum(self.parts(query, key, positions), torch.zeros(()))

    def parts(self, query: Tensor, key: Tensor, positions: Tensor) -> list[Tensor]:
        """Of each hand what it adds to the scores: [seeds, batch, heads, queries, keys]."""
        distance = (positions[:, None] - positions).clamp(min=0)  # [queries, keys]
        last = distance.clamp(max=TRAINED - 1)
        q, k = (torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) for x in (query, key))
        found = []
        for hand, speed in enumerate(speeds(self.base)):
            angle = speed * (last if hand in self.held else distance)
            product = q[..., :, None, hand] * k[..., None, :, hand].conj()
            found.append((product * torch.polar(torch.ones(()), angle)).real / math.sqrt(WIDTH))
        return found


def copying(base: float = BASE) -> Held:
    model = Held("rope", 1, SYMBOLS, SEEDS)
    model.base = base
    train("copying", model, SEEDS)
    return model


@torch.no_grad()
def by_hand(model: Held) -> Tensor:
    """What each hand adds at each distance, less that at BACK: [seeds, pairs, distances].

    Mean over sequences, for the last query, in the head with most weight at BACK.
    """
    tokens, *_ = Sampler("copying", SEEDS, shift=3)(128, LONG)
    positions = torch.arange(LONG)
    query, key, _ = model.project(model.embedded(tokens, positions), 0)
    parts = [
        one[..., -1, :].flip(-1).mean(dim=1)  # [seeds, heads, distances]
        for one in model.parts(query, key, positions)
    ]
    inside = torch.stack(parts).sum(dim=0)[..., :TRAINED].softmax(dim=-1)[..., BACK]
    head = inside.argmax(dim=-1)  # [seeds]
    chosen = torch.stack([one[torch.arange(len(SEEDS)), head] for one in parts], dim=1)
    return chosen - chosen[..., BACK, None]


def with_held(model: Held, hands: Sequence[int], name: str) -> Numbers:
    """The accuracy beyond the training with these hands held, which are then let go."""
    model.held = hands
    found = {f"{name}_{n}": accuracy("copying", model, SEEDS, n) for n in LENGTHS}
    model.held = ()
    print({key: f"{sum(sample) / len(sample):.2f}" for key, sample in found.items()}, flush=True)
    return {key: number(sample, ".2f") for key, sample in found.items()}


def one_base(model: Held) -> tuple[Numbers, Series]:
    """Each hand's part of the score, and the accuracy with each of them held alone."""
    parts = by_hand(model)
    numbers = with_held(model, (), "as_is")
    for hand, name in enumerate(NAMES):
        numbers |= with_held(model, [hand], f"held_{name}")
        for distance in SHOWN:
            numbers[f"{name}_{distance}"] = number(parts[:, hand, distance].tolist(), "+.1f")
    hands = zip(NAMES, parts.transpose(0, 1).tolist(), strict=True)
    return numbers, {"parts": dict(hands), "speeds": speeds(BASE).tolist()}


def measure() -> tuple[Numbers, Series]:
    by_base = {base: copying(base) for base in BASES}
    numbers, series = one_base(by_base[BASE])
    held = []
    for base, model in by_base.items():
        name = f"base_{base:.0f}"
        numbers |= with_held(model, (), name)
        numbers |= with_held(model, unfinished(base), f"{name}_held")
        held.append(numbers[f"{name}_held_{LONG}"]["sample"])
    series |= {"bases": list(BASES), "held": [list(seed) for seed in zip(*held, strict=True)]}
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
