"""Dates as people write them, with the ISO form and the place of each part: seeded text.

    March 5, 2019 · the 5th of March 2019 · Tue 5 Mar '19 · 05.03.2019 · 3/5/2019  ->  2019-03-05

A date with slashes is month first with probability 2/3 and day first otherwise. Where both numbers
are at most 12 nothing in the text says which, so no translator can be right every time.
"""

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

FIRST_DAY, DAYS = date(1950, 1, 1), 36_525  # a century, so that two digits tell the year
HELD_OUT = 10  # every tenth day, by number, is kept for the test
MONTH_FIRST = 2 / 3
PARTS = ("year", "month", "day")
Piece = tuple[str, str]  # text, and the part it belongs to: one of PARTS, or ""


@dataclass
class Written:
    """A date as text; `part[i]` names what character i belongs to; `ambiguous`: two readings."""

    text: str
    iso: str
    part: list[str]
    ambiguous: bool


def ordinal(day: int) -> str:
    special = {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{'th' if 10 < day < 20 else special}"


def in_words(when: date, rng: np.random.Generator) -> list[Piece]:
    """The month by its name."""
    month = (when.strftime("%B" if rng.random() < 0.5 else "%b"), "month")
    number = (str(when.day) if rng.random() < 0.5 else ordinal(when.day), "day")
    year = (str(when.year), "year") if rng.random() < 0.7 else (f"'{when:%y}", "year")
    orders: list[list[Piece]] = [
        [month, (" ", ""), number, (", ", ""), year],
        [number, (" ", ""), month, (" ", ""), year],
        [("the ", ""), (ordinal(when.day), "day"), (" of ", ""), month, (" ", ""), year],
        [(f"{when:%a} ", ""), number, (" ", ""), month, (" ", ""), year],
        [year, (", ", ""), month, (" ", ""), number],
    ]
    return orders[rng.integers(len(orders))]


def in_numbers(when: date, rng: np.random.Generator) -> list[Piece]:
    """Day first with dots; with slashes mostly month first."""
    padded = rng.random() < 0.5
    day, month = (f"{n:02d}" if padded else str(n) for n in (when.day, when.month))
    year = f"{when:%Y}" if rng.random() < 0.7 else f"{when:%y}"
    slashes = rng.random() < 0.5
    first, second = (day, "day"), (month, "month")
    if slashes and rng.random() < MONTH_FIRST:
        first, second = second, first
    mark = ("/" if slashes else ".", "")
    return [first, mark, second, mark, (year, "year")]


def write(when: date, rng: np.random.Generator) -> Written:
    pieces = in_words(when, rng) if rng.random() < 2 / 3 else in_numbers(when, rng)
    text = "".join(piece for piece, _ in pieces)
    if rng.random() < 0.3:
        text = text.lower()
    part = [name for piece, name in pieces for _ in piece]
    ambiguous = "/" in text and when.day <= 12 and when.day != when.month
    return Written(text, when.isoformat(), part, ambiguous)


def sample(count: int, seed: int, test: bool = False) -> list[Written]:
    """Dates whose days are in the test share, or are not."""
    rng = np.random.default_rng(seed)
    written: list[Written] = []
    while len(written) < count:
        number = int(rng.integers(DAYS))
        if (number % HELD_OUT == 0) == test:
            written.append(write(FIRST_DAY + timedelta(days=number), rng))
    return written
