"""What a program can see to be wrong with a figure: found when it is made, so that no page has it.

A text over another text, a line, a mark or an axis, or outside of its figure; a line without a
name; a name without a word; bars that do not begin at 0 of a linear axis; a logarithmic axis that
does not say so; an axis without its unit.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import ink
import numpy as np
from line_names import holds, is_nearest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

APART = np.array([(-5.0, 0.0), (5.0, 0.0)])  # pixels between texts side by side
SLACK = 1.5  # pixels around a text that are empty
NEED_A_UNIT = re.compile(r"\b(loss|memory)\b|^time of")
A_UNIT = re.compile(r"\(.+\)|\b(nats?|bits?|bytes?|seconds?|milliseconds?|times|/)\b|/")
BARE_NUMBER = re.compile(r"[\d.,\s]+")
ENOUGH_TICKS = 2  # with numbers, from which a reader sees that an axis is logarithmic


def refuse(panes: Sequence[Any], around: Sequence[Bbox], measure: RendererAgg) -> None:
    """Raise ValueError with a sentence for each fault of panes that cover the boxes `around`."""
    found = [
        sentence
        for axes, box in zip(panes, around, strict=True)
        for sentence in faults(axes, box, measure)
    ]
    if found:
        labels = [axes.get_ylabel() or axes.get_xlabel() for axes in panes]
        name = ", ".join(label.replace("\n", " ") for label in labels if label) or "no axes"
        raise ValueError(f"The figure with {name}: " + " ".join(dict.fromkeys(found)))


def faults(axes: Any, around: Bbox, measure: RendererAgg) -> Iterator[str]:
    """A sentence for each of a pane that covers `around`."""
    texts = ink.texts(axes, measure)
    yield from _texts(axes, texts, around)
    yield from _names(axes, {_flat(text) for text, _ in texts})
    yield from _nearer(axes, measure)
    yield from _bars(axes)
    for axis in (axes.xaxis, axes.yaxis):
        yield from _scale(axis)
        label = axis.get_label_text()
        if NEED_A_UNIT.search(label) and not A_UNIT.search(label):
            yield f'The axis "{_flat(label)}" has no unit.'


def _flat(text: str) -> str:
    return " ".join(text.split())


def _texts(axes: Axes, texts: Sequence[tuple[str, Bbox]], around: Bbox) -> Iterator[str]:
    boxes = [(text, _shrunk(box)) for text, box in texts]
    for (text, box), (other, its) in combinations(boxes, 2):
        if box.overlaps(Bbox(its.get_points() + APART)):
            yield f'"{_flat(text)}" and "{_flat(other)}" stand on one another.'
    outside = around.padded(SLACK)
    for text, box in boxes:
        if not (outside.contains(*box.min) and outside.contains(*box.max)):
            yield f'"{_flat(text)}" stands outside.'
        for what, places in _drawn(axes):
            if holds(box, places):
                yield f'"{_flat(text)}" stands on {what}.'


def _shrunk(box: Bbox) -> Bbox:
    """Without the room above and below that letters rarely fill."""
    high = min(3.0, box.height / 4)
    return Bbox([[box.x0 + SLACK, box.y0 + high], [box.x1 - SLACK, box.y1 - high]])


def _drawn(axes: Axes) -> Iterator[tuple[str, np.ndarray]]:
    for line in axes.lines:
        name = _name(line)
        yield f"the line {name}", ink.stroke(axes, line)
        yield f"a mark of {name}", ink.marks(axes, line)
    for side, spine in axes.spines.items():
        if axes.axison and spine.get_visible() and side in ("left", "bottom"):
            box = axes.bbox
            end = (box.x0, box.y1) if side == "left" else (box.x1, box.y0)
            share = np.linspace(0, 1, 200)[:, None]
            yield f"the {side} axis", box.min + share * (np.array(end) - box.min)


def _name(line: Line2D) -> str:
    label = str(line.get_label())
    return "without a name" if label.startswith("_") else f'"{_flat(label)}"'


def _names(axes: Any, shown: set[str]) -> Iterator[str]:
    for line in axes.lines:
        if line.get_linestyle() in ("None", "", " ") or len(line.get_xydata()) < 2:
            continue
        name = _flat(str(line.get_label()))
        if name.startswith("_"):
            yield "A line has no name: draw it with plots.lines, plots.level or plots.limit."
        elif name not in shown:
            yield f'The name "{name}" of a line is not shown.'
        if BARE_NUMBER.fullmatch(name):
            yield f'The name "{name}" does not say of what it is the number.'


def _nearer(axes: Any, measure: RendererAgg) -> Iterator[str]:
    """A name beside the end of its line must not be nearer to another line."""
    for text, line in axes.beside:
        if not is_nearest(axes, line, text.get_window_extent(measure)):
            yield f"The name {_name(line)} is nearer to another line."


def _bars(axes: Any) -> Iterator[str]:
    for bars in axes.containers:
        if isinstance(bars, BarContainer):
            axis = axes.xaxis if bars.orientation == "horizontal" else axes.yaxis
            low, high = sorted(axis.get_view_interval())
            if axis.get_scale() != "linear" or not low <= 0 <= high:
                yield "Bars need a linear axis from 0."


def _scale(axis: Any) -> Iterator[str]:
    label = _flat(axis.get_label_text())
    if axis.get_scale() == "symlog" and "log" not in label:
        yield f'The axis "{label}" does not say that it is logarithmic.'
    numbers = [tick for tick in ink.within(axis) if tick.label1.get_text().strip()]
    if axis.get_scale() == "log" and len(numbers) < ENOUGH_TICKS:
        yield f'The logarithmic axis "{label}" has fewer than {ENOUGH_TICKS} numbers.'
