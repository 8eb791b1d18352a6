"""Drawings of what a formula says: boxes, grids, arrows and dials, on a pane whose unit is a pixel.

They become part of the page like the charts of plots.py: text is text, colours follow the theme,
and a drawing that is 344 wide fits a phone. The y axis points down, as on a screen.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, PathPatch, Rectangle, Wedge
from matplotlib.path import Path as Outline
from panes import Pane
from plots import COLORS, INK, charts

Place = tuple[float, float]  # pixels from the left, and from the top
QUERY, KEY, VALUE = (COLORS[f"series-{at}"] for at in range(3))  # the same in all drawings
NAME = 11.25  # points, which are 15 pixels: of a matrix's name
OUTSIDE = 9  # pixels from the edge of a matrix to the middle of what is written along it
HEAD = 7  # pixels: length and width of an arrow's head
SHORTER = 0.6  # a hand of a dial, than the one before


def drawings(*sizes: tuple[int, int]) -> tuple[Figure, list[Pane]]:
    """Empty panes of these widths and heights in pixels, for a page to set side by side."""
    figure, panes = charts(len(sizes))
    for pane, (width, height) in zip(panes, sizes, strict=True):
        pane.size, pane.cell, pane.halo = (width, height), 1, False
        pane.set(xlim=(0, width), ylim=(height, 0), aspect="equal", xticks=[], yticks=[])
        pane.spines[:].set_visible(False)
    return figure, panes


def box(axes: Axes, corner: Place, size: Place, color: str = INK, **look: Any) -> None:
    """A rectangle from its upper left corner, lightly filled; `look` changes its edge."""
    # one patch would give its edge the opacity of what fills it
    axes.add_patch(Rectangle(corner, *size, fc=(color, 0.15), ec="none"))
    edge: dict[str, Any] = {"fc": "none", "ec": color, "lw": 1} | look
    axes.add_patch(Rectangle(corner, *size, **edge))


def grid(
    axes: Axes,
    corner: Place,
    shape: tuple[int, int],
    cell: float | Place,
    color: str = INK,
    **look: Any,
) -> Place:
    """A matrix, a cell for each number: a square, or of this width and height.

    Returns its lower right corner.
    """
    rows, columns = shape
    wide, tall = map(float, np.broadcast_to(cell, 2))
    width, height = columns * wide, rows * tall
    box(axes, corner, (width, height), color, **look)
    left, top = corner
    x, y = left + wide * np.arange(1, columns), top + tall * np.arange(1, rows)
    inside = [place for at in x for place in ((at, top), (at, top + height))]
    inside += [place for at in y for place in ((left, at), (left + width, at))]
    if inside:
        ends = Outline(inside, [Outline.MOVETO, Outline.LINETO] * (len(inside) // 2))
        axes.add_patch(PathPatch(ends, fc="none", ec=color, lw=0.5))
    return left + width, top + height


def matrix(
    axes: Axes,
    corner: Place,
    shape: tuple[int, int],
    cell: float,
    name: str,
    color: str = INK,
    edges: tuple[str, str] = ("", ""),
) -> Place:
    """A grid with its name in it; `edges` say what its rows and its columns are, left and above."""
    left, top = corner
    right, bottom = grid(axes, corner, shape, cell, color)
    x, y = (left + right) / 2, (top + bottom) / 2
    note(axes, (x, y), name, fontsize=NAME)
    note(axes, (left - OUTSIDE, y), edges[0], rotation=90)
    note(axes, (x, top - OUTSIDE), edges[1])
    return right, bottom


def stroke(axes: Axes, places: Sequence[Place], color: str = INK, **look: Any) -> None:
    """A line through these places."""
    axes.add_patch(PathPatch(Outline(places), **({"fc": "none", "ec": color, "lw": 1.2} | look)))


def arrow(
    axes: Axes, places: Sequence[Place], color: str = INK, head: float = HEAD, **look: Any
) -> None:
    """A line through these places that ends in a head."""
    end, before = np.array(places[-1], float), np.array(places[-2], float)
    along = (end - before) / np.linalg.norm(end - before)
    base, across = end - head * along, np.array([-along[1], along[0]]) * head / 2
    stroke(axes, [*places[:-1], tuple(base)], color, **look)
    corners = [end, base + across, base - across, end]
    axes.add_patch(PathPatch(Outline(corners, closed=True), fc=color, ec="none"))


def plus(axes: Axes, center: Place, radius: float) -> None:
    """A circle with a plus: the sum of what meets here."""
    x, y = center
    axes.add_patch(Circle(center, radius, fc="none", ec=INK, lw=1.2))
    stroke(axes, [(x - radius, y), (x + radius, y)])
    stroke(axes, [(x, y - radius), (x, y + radius)])


def dial(axes: Axes, center: Place, radius: float, angles: Sequence[tuple[float, str]]) -> None:
    """A circle with a hand for each angle, in radians from the top and clockwise, in its colour.

    Each hand is shorter than the one before, so that all are seen where they point the same way.
    """
    axes.add_patch(Circle(center, radius, fc="none", ec=INK, lw=0.75))
    for at, (angle, color) in enumerate(angles):
        length = radius * SHORTER**at
        tip = (center[0] + length * np.sin(angle), center[1] - length * np.cos(angle))
        stroke(axes, [center, tip], color, lw=1.5)


def wedge(axes: Axes, center: Place, radius: float, ends: tuple[float, float], color: str) -> None:
    """What lies between two angles of a dial, the smaller one first, shaded."""
    first, last = (np.degrees(end) - 90 for end in ends)
    axes.add_patch(Wedge(center, radius, first, last, fc=(color, 0.3), ec="none"))


def note(axes: Axes, place: Place, text: str, where: str = "center", **look: Any) -> None:
    """Text of 12 pixels in the middle of a place, or to the "right" or "left" of it."""
    side = {"center": "center", "right": "left", "left": "right"}[where]
    axes.text(*place, text, ha=side, va="center", **look)
