"""A setting is chosen on seeds that are not reported, and its neighbours were tried.

A learning rate at the edge of the values tried may be the best of those and far from the best there
is: no choice is made there.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

MOST = 24  # settings that a search tries before it gives up
Setting = Any  # a number, or a tuple of numbers that are chosen together


class Choice:
    """The best of some settings, by a loss that was found for each."""

    def __init__(self, losses: Mapping[Setting, float], natural: Sequence[float] = ()) -> None:
        """losses: of each setting; natural: values that may be best though nothing lies beyond.

        Raises ValueError where the best setting lies at the edge of what was tried.
        """
        self.losses = {one: loss if math.isfinite(loss) else math.inf
                       for one, loss in losses.items()}  # fmt: skip
        self.best: Setting = min(self.losses, key=lambda one: self.losses[one])
        for axis, value in enumerate(_values(self.best)):
            tried = self.tried(axis)
            if len(tried) > 1 and value in (tried[0], tried[-1]) and value not in natural:
                raise ValueError(
                    f"the best setting, {self.best}, lies at the edge of what was tried "
                    f"({', '.join(f'{one:g}' for one in tried)}): try values beyond it"
                )

    def tried(self, axis: int = 0) -> list[float]:
        """The values of one axis, sorted."""
        return sorted({_values(one)[axis] for one in self.losses})

    def number(self, fmt: str, unit: str = "", axis: int = 0) -> dict[str, Any]:
        """The best value of one axis, as a record keeps it: with all values that were tried."""
        value = _values(self.best)[axis]
        return {"value": value, "format": fmt, "unit": unit, "tried": self.tried(axis)}


def search(
    loss: Callable[[float, int], float], seeds: Sequence[int], start: float, step: float
) -> Choice:
    """The setting whose loss is least in the worst of the seeds.

    It tries `start` times powers of `step` until both neighbours of the best are worse. Raises
    ValueError where it finds no such setting.
    """
    found: dict[int, float] = {}
    best = 0
    while missing := [at for at in (best, best - 1, best + 1) if at not in found]:
        if len(found) >= MOST:
            raise ValueError(f"after {MOST} settings the best still lies at the edge")
        setting = start * step ** missing[0]
        worst = max(_finite(loss(setting, seed)) for seed in seeds)
        found[missing[0]] = worst
        best = min(found, key=lambda at: found[at])
    return Choice({start * step**at: worst for at, worst in found.items()})


def _finite(loss: float) -> float:
    return loss if math.isfinite(loss) else math.inf


def _values(setting: Setting) -> tuple[float, ...]:
    return setting if isinstance(setting, tuple) else (setting,)
