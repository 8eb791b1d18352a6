"""Where the ink of a pane lies on the sheet, in pixels: its texts, lines, marks and axes."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

STEP, BORDER = 2.0, 1.0  # pixels: between points of a line, and beyond the axes


def texts(axes: Axes, measure: RendererAgg) -> list[tuple[str, Bbox]]:
    """All that can be read, and what it covers."""
    for legend in axes.findobj(Legend):
        legend.draw(measure)  # its texts have no place before
    found = [text for text in axes.findobj(Text) if text.get_visible() and text.get_text().strip()]
    ticks = {tick for axis in (axes.xaxis, axes.yaxis) for tick in _tick_texts(axis)}
    shown = _shown_ticks(axes)
    found = [text for text in found if text not in ticks or (axes.axison and text in shown)]
    return [(text.get_text(), text.get_window_extent(measure)) for text in found]


def _tick_texts(axis: Axis) -> Iterator[Text]:
    for tick in (*axis.majorTicks, *axis.minorTicks):
        yield from (tick.label1, tick.label2)


def _shown_ticks(axes: Axes) -> set[Text]:
    """Labels within the axes' ends: matplotlib makes ticks beyond them and does not draw them."""
    ticks = [tick for axis in (axes.xaxis, axes.yaxis) for tick in within(axis)]
    return {tick.label1 for tick in ticks if tick.label1.get_visible()}


def within(axis: Any) -> list[Any]:
    """The ticks of an axis that are drawn."""
    low, high = sorted(axis.get_view_interval())
    return [tick for tick in axis._update_ticks() if low <= tick.get_loc() <= high]


def stroke(axes: Axes, line: Line2D) -> np.ndarray:
    """Points [points, 2] on a line, close to one another, as far as it is inside the axes."""
    if line.get_linestyle() in ("None", "", " "):
        return np.empty((0, 2))
    places = line.get_transform().transform(line.get_xydata())
    pieces = [_between(*ends) for ends in pairwise(places)]
    return inside(axes, np.concatenate([places, *pieces]) if len(places) else places)


def marks(axes: Axes, line: Line2D) -> np.ndarray:
    """The middle [marks, 2] of each mark that is drawn."""
    if line.get_marker() in ("None", "", " ", None):
        return np.empty((0, 2))
    places = line.get_transform().transform(line.get_xydata())
    every = line.get_markevery() or 1
    return inside(axes, places[::every] if isinstance(every, int) else places)


def inside(axes: Axes, places: np.ndarray) -> np.ndarray:
    """Those that lie in the axes or on their border."""
    box = axes.bbox.padded(BORDER)
    with np.errstate(invalid="ignore"):
        kept = ((places >= box.min) & (places <= box.max)).all(axis=1)
    return places[kept]


def _between(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    far = np.hypot(*(other - one))
    if not np.isfinite(far):
        return np.empty((0, 2))
    share = np.linspace(0, 1, max(2, min(2000, int(far / STEP))))[:, None]
    return one + share * (other - one)
