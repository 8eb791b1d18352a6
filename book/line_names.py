"""A line is named at its end, to the right of the axes; here alone, for all lines of the book.

Names that would stand on one another move apart, each then with a leader from the end of its line.
A line that ends early is named beside its end if nothing lies there.
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import ink
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform

LONGEST = 18  # characters of a name in one line
NEAR_THE_EDGE = 26  # pixels before the end of the axes: the room that matplotlib leaves
GAP, LEADER, MOVED = 6, 22, 3  # pixels: to a name, to one with a leader, and what needs one
AIR = 1.0  # pixels between names
SAME = 1.5  # pixels: what is as near as another
BACK = 4  # points of a line from one attempt to the next
Place = tuple[float, float]


def write(axes: Any, measure: RendererAgg) -> None:
    """Name the lines of a panes.Pane anew, for the place and the size that it has now."""
    for artist in axes.written:
        artist.remove()
    axes.written, axes.beside = [], []
    ends = {line: path[-1] for line in axes.named if len(path := _path(axes, line))}
    at_the_edge = [line for line in ends if ends[line][0] > axes.bbox.x1 - NEAR_THE_EDGE]
    _beside_the_axes(axes, measure, {line: ends[line] for line in at_the_edge})
    for line in ends:
        if line not in at_the_edge:
            _beside_its_end(axes, measure, line)


def _path(axes: Axes, line: Line2D) -> np.ndarray:
    """Places [places, 2] of a line or of a mark inside the axes, from left to right."""
    places = np.concatenate([ink.stroke(axes, line), ink.marks(axes, line)])
    return places[np.argsort(places[:, 0], kind="stable")]


def _beside_the_axes(axes: Any, measure: RendererAgg, ends: dict[Line2D, np.ndarray]) -> None:
    """Below one another in the order of the ends; all with leaders if one has to move."""
    lines = sorted(ends, key=lambda line: float(ends[line][1]))
    if not lines:
        return
    names = [_text(axes, line, (0, 0)) for line in lines]
    heights = [name.get_window_extent(measure).height for name in names]
    wanted = [float(ends[line][1]) for line in lines]
    given = spread(wanted, heights, axes.bbox.y0, axes.bbox.y1 + heights[-1])
    right = max(float(x) for x, _ in ends.values())
    for name, y in zip(names, given, strict=True):
        name.set_position((right + GAP, y))
    boxes = [name.get_window_extent(measure) for name in names]
    clear = all(is_nearest(axes, line, box) for line, box in zip(lines, boxes, strict=True))
    if clear and np.abs(np.subtract(given, wanted)).max() <= MOVED:
        axes.beside += zip(names, lines, strict=True)
        return
    for line, name, y in zip(lines, names, given, strict=True):
        name.set_position((right + LEADER, y))
        _lead(axes, line, ends[line], (right + LEADER, y))


def spread(
    wanted: Sequence[float], heights: Sequence[float], lowest: float, highest: float
) -> list[float]:
    """Middles of texts of these heights, in order and apart, as near as can be to those wanted."""
    groups: list[tuple[list[int], float]] = []  # who stands together, and the middle of all
    for at, height in enumerate(heights):
        groups.append(([at], min(max(wanted[at], lowest + height / 2), highest - height / 2)))
        while len(groups) > 1 and _touch(groups[-2], groups[-1], heights):
            (one, _), (other, _) = groups.pop(-2), groups.pop()
            groups.append(_joined(one + other, wanted, heights, (lowest, highest)))
    return [middle for group in groups for middle in _middles(group, heights)]


def _tall(members: Sequence[int], heights: Sequence[float]) -> float:
    return sum(heights[at] + AIR for at in members) - AIR


def _touch(low: Any, high: Any, heights: Sequence[float]) -> bool:
    apart = float(high[1] - low[1])
    return apart < (_tall(low[0], heights) + _tall(high[0], heights)) / 2 + AIR


def _joined(
    members: list[int], wanted: Sequence[float], heights: Sequence[float], ends: Place
) -> Any:
    """The middle at which its members are, on average, where they want to be."""
    half = _tall(members, heights) / 2
    offsets = _middles((members, 0.0), heights)
    middle = float(
        np.mean([wanted[at] - offset for at, offset in zip(members, offsets, strict=True)])
    )
    return members, min(max(middle, ends[0] + half), max(ends[1] - half, ends[0] + half))


def _middles(group: tuple[list[int], float], heights: Sequence[float]) -> list[float]:
    members, middle = group
    found, bottom = [], middle - _tall(members, heights) / 2
    for at in members:
        found.append(bottom + heights[at] / 2)
        bottom += heights[at] + AIR
    return found


def _beside_its_end(axes: Any, measure: RendererAgg, line: Line2D) -> None:
    """To the right of its end, else higher, lower, to the left, or farther back on the line."""
    name, path = _text(axes, line, (0, 0)), _path(axes, line)
    size = name.get_window_extent(measure)
    sides = [(GAP, 0.0), (GAP, size.height), (GAP, -size.height), (-GAP - size.width, 0.0)]
    for back in range(1, len(path) + 1, BACK):
        for x, y in sides:
            name.set_position((path[-back][0] + x, path[-back][1] + y))
            if _is_free(axes, measure, name, line):
                axes.beside.append((name, line))
                return
    place = (axes.bbox.x1 + GAP, float(path[-1][1]))
    name.set_position(place)
    _lead(axes, line, path[-1], place)


def _is_free(axes: Any, measure: RendererAgg, name: Text, line: Line2D) -> bool:
    """Inside the axes, on nothing, and well away from all lines but its own."""
    box = name.get_window_extent(measure)
    taken = [text.get_window_extent(measure) for text in axes.texts if text is not name]
    near = [one for one in axes.lines if one is not line]
    others = np.concatenate([np.empty((0, 2)), *(ink.stroke(axes, one) for one in near)])
    marks = np.concatenate([np.empty((0, 2)), *(ink.marks(axes, one) for one in near)])
    within = axes.bbox.contains(*box.min) and axes.bbox.contains(*box.max)
    crossed = holds(box.padded(2), ink.stroke(axes, line)) or holds(box.padded(GAP), others)
    is_line = len(ink.stroke(axes, line)) > 0  # a single point may be one of another line's
    crossed |= is_line and holds(box.padded(3 * GAP), marks)
    alone = not crossed and not any(map(box.overlaps, taken))
    return within and alone and is_nearest(axes, line, box)


def is_nearest(axes: Axes, line: Line2D, box: Bbox) -> bool:
    """Whether no other line comes nearer to the box; lines may lie on one another."""
    far = [_far(box, _path(axes, one)) for one in (line, *axes.lines)]
    return far[0] <= min(far) + SAME


def _far(box: Bbox, places: np.ndarray) -> float:
    """From the box to the nearest of the places [places, 2]."""
    outside = np.maximum(np.maximum(box.min - places, places - box.max), 0)
    return float(np.hypot(*outside.T).min(initial=np.inf))


def holds(box: Bbox, places: np.ndarray) -> bool:
    """Whether one of the places [places, 2] lies in the box."""
    return bool(((places > box.min) & (places < box.max)).all(axis=1).any())


def _text(axes: Any, line: Line2D, place: Place) -> Text:
    name = "\n".join(wrap(str(line.get_label()), LONGEST))
    look: dict[str, Any] = {"va": "center", "linespacing": 1.1, "transform": IdentityTransform()}
    text: Text = axes.text(*place, name, **look)
    axes.written.append(text)
    return text


def _lead(axes: Any, line: Line2D, end: np.ndarray, name: Place) -> None:
    """A piece of the line, in its colour and with its dash, from its end to its name."""
    look: dict[str, Any] = {"arrowstyle": "-", "color": line.get_color(), "lw": 1}
    look |= {"ls": line.get_linestyle(), "shrinkA": 0, "shrinkB": 0}
    places = (end[0] + GAP / 2, end[1]), (name[0] - GAP / 2, name[1])
    units: dict[str, Any] = {"xycoords": "figure pixels", "textcoords": "figure pixels"}
    drawn = axes.annotate("", *places, arrowprops=look, annotation_clip=False, **units)
    axes.written.append(drawn)
