"""A sentence that speaks of a part of a figure lights it.

    {part}`the second row <fig-three-tokens 2: row 1>`

After the words come the figure's name, the number of the pane if the figure has several, and the
part by the names that the figure shows:

    row QUERY
    column KEY
    cell QUERY, KEY
    diagonal, or diagonal 1 for the cells one key further ahead
    line NAME
    point NAME, X

book/figures/parts.js does it from the readings that the figure has anyway. What the figure does not
have is a warning of the build. Without scripts, and on paper, the words are ordinary text.
"""

import html
import json
import re
from collections.abc import Callable
from typing import Any

import scripted
from docutils import nodes
from figures import VALUES, Chart
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)
TARGET = re.compile(r"([\w-]+)(?: (\d+))?: (\w+) ?(.*)")
GRAMMAR = "FIGURE: row, column, cell, diagonal, line or point, with its name"
Reading = dict[str, Any]
Block = list[int]  # pane, row, column, rows, columns: of cells, or of the points of series


class FigurePart(nodes.inline):
    """Words about the part `target` of a figure; `blocks` is where it lies."""


class PartRole(ReferenceRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        target = " ".join(self.target.split())  # a line of the page may end in it
        node = FigurePart(self.rawtext, self.title, target=target)
        self.set_source_info(node)
        return [node], []


def blocks(target: str, figures: dict[str, list[Reading]]) -> list[Block]:
    """Where the part lies in its figure. Raises ValueError, with a sentence, if it does not."""
    found = TARGET.fullmatch(target)
    if not found or found[3] not in KINDS:
        raise ValueError(f"A part of a figure is written {GRAMMAR}; this is {target!r}.")
    figure, number, kind, name = found.groups()
    if figure not in figures:
        raise ValueError(f"This page has no figure {figure!r} that tells its values.")
    panes = figures[figure]
    if not number and len(panes) > 1:
        raise ValueError(f"{figure} has {len(panes)} panes; say which: {figure} 1: {kind} {name}")
    at = int(number or 1) - 1
    if not 0 <= at < len(panes):
        raise ValueError(f"{figure} has no pane {number}; it has {len(panes)}.")
    try:
        return [[at, *block] for block in KINDS[kind](panes[at], name)]
    except LookupError as error:
        raise ValueError(f"{figure} has no {kind} {name!r}; {error.args[0]}.") from None


def place(name: str, names: list[str], what: str) -> int:
    """Of a name, the first if there are several. Raises LookupError, which says what there is."""
    if name not in names:
        raise LookupError(f"its {what} are {', '.join(names)}" if names else f"it has no {what}")
    return names.index(name)


def of_row(pane: Reading, name: str) -> list[Block]:
    row = place(name, pane.get("rows", []), "rows")
    return [[row, 0, 1, len(pane["columns"])]]


def of_column(pane: Reading, name: str) -> list[Block]:
    column = place(name, pane.get("columns", []), "columns")
    return [[0, column, len(pane["rows"]), 1]]


def of_cell(pane: Reading, name: str) -> list[Block]:
    row, _, column = name.rpartition(", ")
    [[at, *_]], [[_, along, *_]] = of_row(pane, row), of_column(pane, column)
    return [[at, along, 1, 1]]


def of_diagonal(pane: Reading, name: str) -> list[Block]:
    ahead = place(name or "0", [str(at) for at in range(len(pane.get("columns", [])))], "diagonals")
    size = min(len(pane["rows"]), len(pane["columns"]) - ahead)
    return [[row, row + ahead, 1, 1] for row in range(size)]


def of_line(pane: Reading, name: str) -> list[Block]:
    series = pane.get("series", [])
    at = place(name, [one["name"] for one in series], "lines")
    return [[at, 0, 1, len(series[at]["x"])]]


def of_point(pane: Reading, name: str) -> list[Block]:
    line, _, x = name.rpartition(", ")
    [[at, *_]] = of_line(pane, line)
    points = enumerate(zip(pane["series"][at]["x"], pane["series"][at]["y"], strict=True))
    drawn = {f"{x:.15g}": where for where, (x, y) in points if inside(pane, x, y)}
    place(x, list(drawn), "points")
    return [[at, drawn[x], 1, 1]]


def inside(pane: Reading, x: float, y: float) -> bool:
    """Whether a point lies within the axes."""
    ends = ((sorted(pane[axis]["ends"]), at) for axis, at in (("x", x), ("y", y)))
    return all(low <= at <= high for (low, high), at in ends)


KINDS: dict[str, Callable[[Reading, str], list[Block]]] = {
    "row": of_row,
    "column": of_column,
    "cell": of_cell,
    "diagonal": of_diagonal,
    "line": of_line,
    "point": of_point,
}


def place_parts(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """After the charts are in the page."""
    parts = list(doctree.findall(FigurePart))
    if not parts or not scripted.runs_scripts(app):
        return
    figures = {
        name: json.loads(html.unescape(values[1]))
        for chart in doctree.findall(Chart)
        if (values := VALUES.search(chart["content"])) and values[1]
        for name in chart.parent["ids"]
    }
    for part in parts:
        try:
            part["blocks"] = blocks(part["target"], figures)
        except ValueError as error:
            logger.warning(str(error), location=part)


def load_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    if doctree is not None and scripted.runs_scripts(app) and any(doctree.findall(FigurePart)):
        scripted.load(app, "figures/parts.js")


def visit_html(self: HTML5Translator, node: FigurePart) -> None:
    """Plain words where there is no figure, as in a caption on the card of another page."""
    told = {}
    if "blocks" in node:
        figure, blocks = re.split("[ :]", node["target"])[0], json.dumps(node["blocks"])
        told = {"data-figure": figure, "data-blocks": blocks.replace(" ", "")}
    self.body.append(self.starttag(node, "span", "", **told))


def depart_html(self: HTML5Translator, node: FigurePart) -> None:
    self.body.append("</span>")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(FigurePart, html=(visit_html, depart_html))
    app.add_role("part", PartRole())
    app.connect("doctree-resolved", place_parts, priority=600)
    app.connect("html-page-context", load_scripts, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
