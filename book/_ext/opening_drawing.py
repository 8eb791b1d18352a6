"""The drawing of the opening as it stands in its page before a script runs, and where none does.

A row of characters, below it the ISO date, and for each weight an arc between them. Places are in
per cent of the width, so that the drawing fits any screen. book/opening/drawing.js draws the same.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

ISO = [*["year"] * 4, "mark", *["month"] * 2, "mark", *["day"] * 2]  # the part of each character
LEAST = {"text": 18, "iso": 12}  # a cell is never wider than this share of the drawing
SEEN = 0.02  # the arc of a smaller weight cannot be seen


def drawing(example: dict[str, Any]) -> str:
    """One image of an example, whose weights are [steps][keys]."""
    text, made = example["text"], example["made"]
    rows = [row("text", text, ["text"] * len(text)), arcs(example), row("iso", made, ISO), parts()]
    label = escape(alt(example))
    return f'<div class="opening-drawing" role="img" aria-label="{label}">{"".join(rows)}</div>'


def alt(example: dict[str, Any]) -> str:
    """What the arcs show, and the largest weight of the last digit."""
    text, made, weights = example["text"], example["made"], example["weights"][-1]
    most = weights.index(max(weights))
    return (
        f"Attention weights: the characters of “{text}” in a row, below them the date {made} as "
        "the network writes it, and between them an arc for each weight, the wider the larger. "
        f"The last digit, {made[-1]}, looks most at “{text[most]}”, character {most + 1} of the "
        f"text, with a weight of {weights[most]:.2f}."
    )


def row(name: str, signs: str, kinds: Sequence[str]) -> str:
    """A cell for each sign; a space is an empty one."""
    cells = [
        f'<span class="of-{kind}">{escape(sign)}</span>'
        for sign, kind in zip(signs, kinds, strict=True)
    ]
    cells_across = max(len(signs), LEAST[name])
    return f'<div class="opening-{name}" style="--n:{cells_across}">{"".join(cells)}</div>'


def arcs(example: dict[str, Any]) -> str:
    """Stretched to the width of the drawing; the width of a stroke stays as it is."""
    count = len(example["text"])
    paths = [
        f'<path class="of-{ISO[step]}" d="{arc(step, key, count)}" style="--w:{weight:g}"></path>'
        for step, weights in enumerate(example["weights"])
        for key, weight in enumerate(weights)
        if weight >= SEEN
    ]
    return (
        '<svg class="opening-arcs" viewBox="0 0 100 100" preserveAspectRatio="none" '
        f'aria-hidden="true">{"".join(paths)}</svg>'
    )


def arc(step: int, key: int, count: int) -> str:
    """From a character of the date, at the bottom, up to one of the text's `count`."""
    low, high = middle(step, len(ISO), "iso"), middle(key, count, "text")
    return f"M{low:.2f} 100C{low:.2f} 45 {high:.2f} 55 {high:.2f} 0"


def middle(at: int, count: int, name: str) -> float:
    """Of a cell, in per cent of the width."""
    return 50 + (at + 0.5 - count / 2) * 100 / max(count, LEAST[name])


def parts() -> str:
    """What the colours mean, below the digits."""
    names = [f'<span class="of-{name}">{name}</span>' for name in ("year", "month", "day")]
    return f'<div class="opening-parts" aria-hidden="true">{"".join(names)}</div>'
