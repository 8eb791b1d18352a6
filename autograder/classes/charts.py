"""Bars that count numbers, as a drawing or a terminal shows them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

STEPS = (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
BARS = 13  # at most, so that their labels can be read on a phone
LONGEST = 14.0  # days: who is earlier or later than this counts as this


@dataclass(frozen=True)
class Bar:
    """A count of numbers from `low` up to `high`; the last bar includes its upper end."""

    low: float
    high: float
    count: int


def bars(values: Sequence[float], lowest: float, highest: float) -> list[Bar]:
    """At most BARS bars of one round width that hold all from `lowest` to `highest`."""
    step = next((s for s in STEPS if (highest - lowest) / s <= BARS - 1), STEPS[-1])
    first, last = math.floor(lowest / step), math.ceil(highest / step)
    last = max(last, first + 1)
    places = [min(math.floor(value / step), last - 1) for value in values]
    return [Bar(at * step, (at + 1) * step, places.count(at)) for at in range(first, last)]


def score_bars(scores: Sequence[float], highest: float) -> list[Bar]:
    """Draw scores from 0 to the highest possible one; extra credit may exceed it."""
    return bars(scores, 0, max([highest, *scores])) if scores else []


def day_bars(days: Sequence[float]) -> list[Bar]:
    """Draw days after the due date, which lies on the edge of a bar."""
    near = [min(max(day, -LONGEST), LONGEST) for day in days]
    return bars(near, min([0.0, *near]), max([0.0, *near])) if near else []
