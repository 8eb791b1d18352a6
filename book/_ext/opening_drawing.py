"""The drawing of the opening, as it stands in the page before a script runs, and where none does.

A row of characters above, the ISO date below, and for each weight an arc between them. Places are in
per cent of the width, so the drawing fits any screen; book/opening/drawing.js has the same geometry.
"""

from collections.abc import Iterable
from html import escape
from typing import Any

PLACES = [*["year"] * 4, "mark", *["month"] * 2, "mark", *["day"] * 2]  # of an ISO date
LEAST = {"text": 18, "iso": 12}  # a shorter row has cells of this share of the width
SEEN = 0.02  # a thinner arc cannot be seen


def drawing(example: dict[str, Any]) -> str:
    """One image of an example's weights [steps][keys], with a sentence that says what it shows."""
    text, made = example["text"], example["made"]
    parts = [_row("text", text, None), _arcs(example), _row("iso", made, PLACES), _parts()]
    return _tag("div", "".join(parts), class_="opening-drawing", role="img", aria_label=alt(example))


def alt(example: dict[str, Any]) -> str:
    """What a reader sees who sees the arcs: for the last digit, with its weight."""
    text, made, row = example["text"], example["made"], example["weights"][-1]
    most = row.index(max(row))
    return (
        f"A drawing of attention weights: the characters of “{text}” in a row, below them the "
        f"date {made} as the network writes it, and between them an arc for each weight, the wider "
        f"the larger. The last digit, {made[-1]}, looks most at “{text[most]}”, character "
        f"{most + 1} of the text, with a weight of {row[most]:.2f}."
    )


def place(at: int, count: int, row: str) -> float:
    """The middle of a cell, in per cent of the width."""
    return 50 + (at + 0.5 - count / 2) * 100 / max(count, LEAST[row])


def _arcs(example: dict[str, Any]) -> str:
    count, steps = len(example["text"]), example["weights"]
    paths = [
        _tag("path", "", class_=f"of-{PLACES[step]}", d=arc(step, key, count), style=f"--w:{weight:g}")
        for step, row in enumerate(steps)
        for key, weight in enumerate(row)
        if weight >= SEEN
    ]
    box = {"viewBox": "0 0 100 100", "preserveAspectRatio": "none", "aria_hidden": "true"}
    return _tag("svg", "".join(paths), class_="opening-arcs", **box)


def arc(step: int, key: int, count: int) -> str:
    """From a character of the date, at the bottom, up to one of the text's `count`."""
    low, high = place(step, len(PLACES), "iso"), place(key, count, "text")
    return f"M{low:.2f} 100C{low:.2f} 45 {high:.2f} 55 {high:.2f} 0"


def _row(name: str, signs: str, of: Iterable[str] | None) -> str:
    """A cell for each sign; a space is an empty cell."""
    kinds = [f"of-{kind}" for kind in of] if of else [""] * len(signs)
    cells = [_tag("span", escape(sign), class_=kind) for sign, kind in zip(signs, kinds, strict=True)]
    return _tag("div", "".join(cells), class_=f"opening-{name}", style=f"--n:{max(len(signs), LEAST[name])}")


def _parts() -> str:
    """The names of the three parts, below them, in their colours."""
    names = [_tag("span", name, class_=f"of-{name}") for name in ("year", "month", "day")]
    return _tag("div", "".join(names), class_="opening-parts", aria_hidden="true")


def _tag(name: str, content: str, **attributes: str) -> str:
    """Attributes without a value are left out; `class_` and `aria_label` are written as in HTML."""
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value}
    return f"<{name}{''.join(f' {key}={chr(34)}{escape(value)}{chr(34)}' for key, value in given.items())}>{content}</{name}>"
