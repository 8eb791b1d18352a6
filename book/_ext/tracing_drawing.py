"""The path of a text as it stands in its page before a script runs, and where none does.

All pictures are of the last token of the record's first text. book/tracing/pictures.js draws the
same of any text.
"""

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

LIKELIEST = {"read": 3, "next": 8}
WIDE = 0.12  # the share of a part that has room for its word
LINE = 5  # tokens, one of them the line break
Drawing = Callable[[dict[str, Any], list[str]], str]


def drawing(name: str, first: dict[str, Any], words: list[str]) -> str:
    """One picture: "tokens", "vector", "block1" and so on, "next" or "draw"."""
    if name.startswith("block"):
        return _block(int(name.removeprefix("block")) - 1, first, words)
    draw: dict[str, Drawing] = {"tokens": _tokens, "vector": _vector, "next": _next, "draw": _draw}
    return draw[name](first, words)


def said(first: dict[str, Any], words: list[str]) -> list[str]:
    """The tokens as they are shown."""
    return [_shown(words[token]) for token in first["tokens"]]


def rows(tokens: Sequence[Any]) -> list[list[int]]:
    """Places of tokens: the start, and then the lines of the text, which have all words here."""
    starts = range(1, len(tokens), LINE)
    return [[0], *([*range(len(tokens))[start : start + LINE]] for start in starts)]


def _tokens(first: dict[str, Any], words: list[str]) -> str:
    chips = said(first, words)
    lines = [
        "".join(f'<span class="trace-chip"><span>{chips[at]}</span></span>' for at in row)
        for row in rows(chips)
    ]
    return "".join(f"<div>{line}</div>" for line in lines)


def _vector(first: dict[str, Any], words: list[str]) -> str:
    vector = first["streams"][0]
    return strip(vector, f"“{said(first, words)[-1]}”", max(map(abs, vector)))


def _block(block: int, first: dict[str, Any], words: list[str]) -> str:
    chips = said(first, words)
    heads = [
        f'<div class="trace-head"><span>head {head + 1}</span>'
        f'<span class="trace-look">{head_map(weights, chips)}</span></div>'
        for head, weights in enumerate(first["weights"][block])
    ]
    names = ("came in", "+ attention", "+ MLP", "= goes on")
    streams = first["streams"][3 * block : 3 * block + 4]
    largest = max(abs(x) for vector in streams for x in vector)
    strips = [strip(vector, name, largest) for vector, name in zip(streams, names, strict=True)]
    return (
        f'<div class="trace-heads">{"".join(heads)}</div><p class="trace-told"></p>'
        + "".join(strips)
        + "<p>Read here, the likeliest next words are</p>"
        + bars(first["read"][block + 1], words, LIKELIEST["read"])
    )


def _next(first: dict[str, Any], words: list[str]) -> str:
    return bars(first["read"][-1], words, LIKELIEST["next"])


def _draw(first: dict[str, Any], words: list[str]) -> str:
    shares = first["read"][-1]
    parts = [_cell("w", p, _shown(words[at]) if p > WIDE else "") for at, p in enumerate(shares)]
    best = shares.index(max(shares))
    label = (
        f"The probabilities of {len(shares)} words side by side; the widest is {words[best]}, "
        f"{shares[best]:.3f}."
    )
    return _image("div", "trace-draw", label, parts)


def strip(vector: list[float], name: str, largest: float) -> str:
    """The numbers of a vector as cells, each as strong as its share of the largest."""
    cells = [
        _cell("v", abs(x) / largest, kind=' class="is-below"' if x < 0 else "") for x in vector
    ]
    label = f"{name}: {len(vector)} numbers from {_signed(min(vector))} to {_signed(max(vector))}"
    return (
        f'<div class="trace-row"><span>{name}</span>{_image("div", "trace-strip", label, cells)}'
        f'<span class="trace-number">{math.hypot(*vector):.1f}</span></div>'
    )


def head_map(weights: list[float], chips: list[str]) -> str:
    """A cell for each token, in the lines of the text."""
    lines = ["".join(_cell("w", weights[at]) for at in row) for row in rows(chips)]
    at = weights.index(max(weights))
    label = (
        f"Weights on {len(weights)} tokens; the largest, {weights[at]:.2f}, is on {chips[at]}, "
        f"token {at + 1}."
    )
    cells = [f"<span>{line}</span>" for line in lines]
    return (
        _image("span", "trace-map", label, cells)
        + f'<span class="trace-most">{chips[at]} {weights[at]:.2f}</span>'
    )


def bars(shares: list[float], words: list[str], count: int) -> str:
    """The likeliest words, with bars from 0 to 1."""
    order = sorted(range(len(shares)), key=lambda at: -shares[at])[:count]
    items = [
        f"<li><span>{_shown(words[at])}</span>"
        f'<span class="trace-bar">{_cell("w", shares[at])}</span>'
        f'<span class="trace-number">{shares[at]:.3f}</span></li>'
        for at in order
    ]
    return f'<ol class="trace-bars">{"".join(items)}</ol>'


def _cell(name: str, share: float, content: str = "", kind: str = "") -> str:
    return f'<i{kind} style="--{name}:{round(share, 3):g}">{content}</i>'


def _image(tag: str, kind: str, label: str, parts: list[str]) -> str:
    return f'<{tag} class="{kind}" role="img" aria-label="{escape(label)}">{"".join(parts)}</{tag}>'


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def _shown(word: str) -> str:
    return "↵" if word == "\n" else escape(word)
