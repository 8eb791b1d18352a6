"""The machine as SVG: a chapter's part is marked, earlier ones are quiet, later ones an outline."""

import re
from collections.abc import Callable
from html import escape

from machine_parts import CHAPTERS, HEIGHT, PARTS, WIDTH
from machine_shapes import Box, Part

ORDER = list(CHAPTERS)
SIGNS = str.maketrans({"*": "\N{MULTIPLICATION SIGN}", "-": "\N{MINUS SIGN}"})
DIGITS, UPRIGHT = re.compile(r"\d"), r'<tspan class="n">\g<0></tspan>'
RAISED = re.compile(r"([_^])(\{[^}]*\}|.)")


def number(chapter: str) -> int:
    """Of a chapter, as its file has it."""
    return int(chapter.partition("_")[0])


def drawing(chapter: str, link: Callable[[Part], str]) -> str:
    """The machine of this chapter; `link` says where a part leads."""
    label = f"The machine of chapter {number(chapter)}, from the tokens to the output"
    layers = [
        *(_layer(part, chapter, _behind) for part in _there(chapter)),
        *(_layer(part, chapter, lambda part: _path(part.wires)) for part in _there(chapter)),
        *(_outline(part.box) for part in PARTS if part.framed and _age(part, chapter) < 0),
        *(_linked(part, chapter, link(part)) for part in _there(chapter)),
    ]
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg {size} role="group" aria-label="{label}">{"".join(filter(None, layers))}</svg>'


def _age(part: Part, chapter: str) -> int:
    """In chapters; negative for those to come."""
    return ORDER.index(chapter) - ORDER.index(part.chapter)


def _there(chapter: str) -> list[Part]:
    """In the order in which a reader meets them going down."""
    there = [part for part in PARTS if _age(part, chapter) >= 0]
    return sorted(there, key=lambda part: (part.box.y, part.box.x))


def name(part: Part, chapter: str) -> str:
    """What is read out of a part."""
    if _age(part, chapter) == 0:
        return f"New in this chapter: {part.says}."
    return f"Chapter {number(part.chapter)}: {part.says}."


def words(chapter: str) -> list[str]:
    """A sentence for each part, for what cannot show the drawing."""
    return [name(part, chapter) for part in _there(chapter)]


def _layer(part: Part, chapter: str, draw: Callable[[Part], str]) -> str:
    drawn = draw(part)
    new = " machine-new" if _age(part, chapter) == 0 else ""
    return drawn and f'<g class="machine-wire{new}" aria-hidden="true">{drawn}</g>'


def _behind(part: Part) -> str:
    return "".join(_frame(box) for box in part.behind)


def _outline(box: Box) -> str:
    return f'<g class="machine-later" aria-hidden="true">{_frame(box)}</g>'


def _linked(part: Part, chapter: str, target: str) -> str:
    kind = "machine-part" if _age(part, chapter) else "machine-part machine-new"
    kind += "" if part.framed else " machine-bare"
    start = f'<a class="{kind}" data-part="{part.name}" href="{escape(target)}"'
    shapes = _frame(part.box) + _path(part.lines) + _texts(part.box)
    return f"{start}><title>{escape(name(part, chapter))}</title>{shapes}</a>"


def _frame(box: Box) -> str:
    place = f'x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}"'
    return f'<rect {place} rx="4"/>'


def _path(lines: str) -> str:
    return lines and f'<path d="{lines}"/>'


def _texts(box: Box) -> str:
    """The name, and the details where the run may write its numbers."""
    middle = box.y + box.height // 2
    if box.wide:
        right, step = box.x + box.width - 12, 13 if len(box.details) > 1 else 0
        details = [(right, middle + 4 + step * at - step // 2) for at in range(len(box.details))]
        shown = _text(box.x + 12, middle + 5, box.name)
    else:
        centre = box.x + box.width // 2
        details = [(centre, middle + 10)] * len(box.details)
        shown = _text(centre, middle + (-3 if details else 4), box.name, "machine-middle")
    kind = "machine-detail" if box.wide else "machine-detail machine-middle"
    pairs = zip(details, box.details, strict=True)
    return shown + "".join(_text(*place, detail, kind) for place, detail in pairs)


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    start = f'<text x="{x}" y="{y}"' + (f' class="{kind}">' if kind else ">")
    return f"{start}{_set(text)}</text>"


def _set(text: str) -> str:
    """`$d_k$` in the letters of a formula, with its index lowered."""
    plain = text.split("$")
    signed = [DIGITS.sub(UPRIGHT, math.translate(SIGNS)) for math in plain[1::2]]
    plain[1::2] = [f'<tspan class="m">{RAISED.sub(_raised, math)}</tspan>' for math in signed]
    return "".join(plain)


def _raised(found: re.Match[str]) -> str:
    """What follows is back on the line: a zero-width space carries the way back."""
    way = 2 if found[1] == "_" else -3
    index = found[2].strip("{}")
    return f'<tspan class="s" dy="{way}">{index}</tspan><tspan dy="{-way}">\u200b</tspan>'
