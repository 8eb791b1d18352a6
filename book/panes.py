"""Panes: axes of a known size, drawn one by one and put together into one SVG.

The file can be read on its own, on paper too. A page takes the panes out of it, each on a line of
its own, and lets them wrap (_ext/figures.py). Axes of the panes of one figure begin at the same
height.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import faults
import line_names
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.ticker import LogFormatterSciNotation
from matplotlib.transforms import Bbox
from readings import reading
from small_svg import SmallSVG

SHEET, START = 2000, 600  # pixels of the sheet on which each pane is laid out, and where on it
ROW, GAP = 720, 12  # pixels of panes side by side in the file, and between them
POWER, SUPERSCRIPTS = re.compile(r"\^\{(.*?)\}"), str.maketrans("-−0123456789", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Pane(Axes):
    """Axes that know their size, and what the script of the page says of their values."""

    def __init__(self, *where: Any, **how: Any) -> None:
        super().__init__(*where, **how)
        self.size = (344, 170)  # pixels: the width with what is written around, the height without
        self.cell: float | None = None  # pixels of a cell, which decide both in a heatmap
        self.halo = True  # around words, so that they stay legible over lines
        self.below = False  # the pane before it, however much room there is
        self.named: list[Any] = []  # lines that get their names when the place is known
        self.limits: list[Any] = []  # vertical lines, named above the axes
        self.written: list[Any] = []  # those names, with their leaders
        self.beside: list[Any] = []  # names without a leader, each with its line
        self.series: list[dict[str, Any]] = []
        self.cells: dict[str, Any] | None = None


class Powers(LogFormatterSciNotation):
    """10⁻³ in characters instead of a formula."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = super().__call__(x, pos).replace(r"\times", "\N{MULTIPLICATION SIGN}")
        text = text.removeprefix(r"$\mathdefault{").removesuffix("}$")
        return POWER.sub(lambda hit: hit[1].translate(SUPERSCRIPTS), text)


def compose(axes: Sequence[Pane], colors: dict[str, str], mixed: dict[str, str]) -> str:
    """The panes as one SVG, with their readings. `colors` are those that have a name.

    `mixed` says how a page writes others, which lie between them.
    """
    figure: Any = axes[0].figure
    figure.set_size_inches(SHEET / figure.dpi, SHEET / figure.dpi)
    measure = figure.canvas.get_renderer()
    around = [_lay_out(one, measure) for one in axes]
    faults.refuse(axes, around, measure)
    top = max(box.y1 - one.bbox.y1 for one, box in zip(axes, around, strict=True))
    names = mixed | {color: f"var(--{name})" for name, color in reversed(colors.items())}
    drawn, told, place, below, widest = [], [], [0, 0], 0, 0
    for one, tight in zip(axes, around, strict=True):
        box = Bbox([[tight.x0, tight.y0], [tight.x1, round(one.bbox.y1 + top)]])
        pane = SmallSVG(box, measure, names)
        one.draw(pane)
        width, height = round(box.width), round(box.height)
        if place[0] and (one.below or place[0] + width > ROW):
            place = [0, below + GAP]
        content = pane.content() if one.halo else f'<g style="--halo:0">{pane.content()}</g>'
        drawn.append(_pane(place, (width, height), content, one.below))
        told.append(reading(one, box))
        widest, below = max(widest, place[0] + width), max(below, place[1] + height)
        place[0] += width + GAP
    return _file(drawn, told, (widest, below), colors)


def _lay_out(axes: Pane, measure: RendererAgg) -> Bbox:
    """Give the axes their size; returns what they cover with all that is written around."""
    for axis in (axes.xaxis, axes.yaxis):
        _write_powers(axis)
    width, height = axes.size
    columns, rows = (abs(high - low) for low, high in (axes.get_xlim(), axes.get_ylim()))
    inner = columns * axes.cell if axes.cell else width - 60
    tight = Bbox.unit()
    for _ in range(3):  # other ticks need other room
        if axes.get_aspect() != "auto":
            height = round(inner * rows / columns)
        axes.set_position((START / SHEET, START / SHEET, inner / SHEET, height / SHEET))
        line_names.write(axes, measure)
        tight = axes.get_tightbbox(measure) or tight
        inner += 0 if axes.cell else width - 2 - round(tight.width)
    return Bbox([[round(tight.x0) - 1, round(tight.y0) - 1], [round(tight.x1) + 1, tight.y1 + 1]])


def _write_powers(axis: Axis) -> None:
    if isinstance(axis.get_major_formatter(), LogFormatterSciNotation):
        axis.set_major_formatter(Powers())
    if isinstance(axis.get_minor_formatter(), LogFormatterSciNotation):
        axis.set_minor_formatter(Powers(labelOnlyBase=False, minor_thresholds=(1, 0.4)))


def _pane(place: Sequence[int], size: tuple[int, int], content: str, below: bool) -> str:
    width, height = size
    where = f'x="{place[0]}" y="{place[1]}" width="{width}" height="{height}"'
    name = "pane below" if below else "pane"
    return f'<svg class="{name}" {where} viewBox="0 0 {width} {height}">{content}</svg>'


def _file(drawn: list[str], told: list[Any], size: tuple[int, int], colors: dict[str, str]) -> str:
    listed = "".join(f"--{name}:{color};" for name, color in colors.items())
    values = json.dumps(told, separators=(",", ":"), ensure_ascii=False)
    values = values.replace("&", "\\u0026").replace("<", "\\u003c")
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" class="chart" '
        f'width="{size[0]}" height="{size[1]}" viewBox="0 0 {size[0]} {size[1]}">',
        f"<style>svg{{{listed}font:12px DejaVu Sans,sans-serif;fill:var(--ink);",
        "stroke-linejoin:round}</style>",
        f"<metadata>{values if any(told) else ''}</metadata>",
        *drawn,
        "</svg>",
    ]
    return "\n".join(lines)
