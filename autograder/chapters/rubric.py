"""A rubric is what a person looks for in a written answer, and for how many points each.

It is a list, in a cell of its own that learners never get:

    +++ {"rubric": "mean_or_median"}

    - 1 point: the median
    - 1 point: one high salary moves the mean; half a point without a reason
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

RUBRIC = "rubric"
ITEM = re.compile(r"[-*] +(\d+(?:\.\d+)?) points?: +(\S.*)")
FORM = "`- 1 point: what to look for`"


@dataclass(frozen=True)
class Item:
    """One thing to look for, in Markdown, and what it is worth."""

    points: float
    text: str


def items(source: str) -> list[Item]:
    """Read a rubric that has no slip. An indented line goes on with the one above."""
    found: list[Item] = []
    for line in source.splitlines():
        if begun := ITEM.fullmatch(line.rstrip()):
            found.append(Item(float(begun[1]), begun[2]))
        elif line.strip() and found:
            found[-1] = Item(found[-1].points, f"{found[-1].text}\n{line.strip()}")
    return found


def slips(name: str, source: str, points: int) -> Iterator[tuple[int, str]]:
    """Yield the slips in the rubric of an answer worth `points`: a line of it, from 0, and why."""
    for number, line in enumerate(source.splitlines()):
        begins = not line.startswith((" ", "\t")) and line.strip()
        if begins and not ITEM.fullmatch(line.rstrip()):
            yield number, f"an item of the rubric of {name!r} has no points. Write {FORM}."
    total = sum(item.points for item in items(source))
    if total != points:
        yield (
            0,
            (
                f"the points of the rubric of {name!r} add up to {total:g}, and the answer has "
                f"{points}. Make them the same."
            ),
        )


def texts_of(text: NotebookNode, key: str) -> Mapping[str, str]:
    """Return the text of each cell of a chapter that has this key, by the name of the answer."""
    return {cell.metadata[key]: cell.source for cell in text.cells if key in cell.metadata}
