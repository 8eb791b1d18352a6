"""The book's figures: heatmaps of weights, lines with a spread over seeds.

A figure is one SVG without a background, with panes that a page sets side by side or one below
the other. A pane is drawn for the width of a phone. Colours are those of styles/colors.css, by
name, so that they follow the theme, as the cells of heatmaps do (ramps.py).
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import matplotlib
import numpy as np
import readings
from cycler import cycler
from IPython.display import SVG, display
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from panes import Pane, compose
from ramps import LEVELS, Ramp

matplotlib.use("agg")
plt.style.use(Path(__file__).parent / "course.mplstyle")

COLORS = dict(
    re.findall(
        r"--([\w-]+): (#\w{6});",
        (Path(__file__).parent / "styles" / "colors.css").read_text().partition("}")[0],
    )
)  # of the light theme, by name
INK = COLORS["ink"]
HIDDEN, HIDDEN_LINES = COLORS["hidden"], COLORS["hidden-line"]
CELL_EDGE = COLORS["cell-edge"]
DARK, LIGHT = COLORS["on-low"], COLORS["on-high"]  # numbers on cells, in the light theme
# A number up to here is in the one, from there on in the other; between, in either theme, in black.
DARK_UP_TO, LIGHT_FROM, BETWEEN = 0.4775, 0.715, "#000000"
WEIGHT, SIGNED = Ramp("weight", COLORS), Ramp("signed", COLORS)
MARKERS = "osD^vP"
IN_A_ROW = 4  # names of markers: beyond, a phone has no room
IN_INK = -1  # instead of the number of a series
DASHED = ((5, 2), (1, 1.4), (5, 1.5, 1, 1.5), (8, 2), (2, 2))  # after the solid line
Dash = str | tuple[int, tuple[float, ...]]
DASHES: list[Dash] = ["-", *((0, dash) for dash in DASHED)]
Grid = Sequence[Any] | np.ndarray  # [queries, keys]
Names = tuple[Sequence[str] | None, Sequence[str] | None]  # of the queries, of the keys
Place = tuple[float, float]  # in data units
PRINT_UP_TO = 8  # keys: beyond, the printed values would be too small to read
CELL, ROOM = 30, 290  # pixels: of a cell with a number, and for all where there are more
SHADES = 24  # of a bitmap
CELL_TEXT = 8.25  # points, which are 11 pixels
SAMPLE = 18  # points: the piece of a line before its name
plt.rcParams["axes.prop_cycle"] = cycler(color=[COLORS[f"series-{at}"] for at in range(6)])
for part in ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"):
    plt.rcParams[part] = INK


def show(figure: Figure) -> None:
    """Display the figure as the output of a cell."""
    display(SVG(data=svg(figure)))
    plt.close(figure)


def svg(figure: Figure) -> str:
    """The figure as SVG text, the same bytes each time."""
    mixed = WEIGHT.written(LEVELS) | SIGNED.written(SHADES)
    return compose(cast(list[Pane], figure.axes), COLORS, mixed)


def charts(count: int = 1, height: int = 170, width: int = 344) -> tuple[Figure, list[Pane]]:
    """Panes for lines and dots; the width in pixels is with what is written around."""
    figure, axes = plt.subplots(1, count, squeeze=False, subplot_kw={"axes_class": Pane})
    for one in axes[0]:
        one.size = (width, height)
    return figure, list(axes[0])


def chart(height: int = 170, width: int = 344) -> tuple[Figure, Pane]:
    """One of these."""
    figure, axes = charts(1, height, width)
    return figure, axes[0]


def panels(count: int = 1, cell: float | None = None) -> tuple[Figure, list[Pane]]:
    """Panes for heatmaps, with cells of so many pixels. One that is `below` begins a new row."""
    figure, axes = charts(count)
    for one in axes:
        one.cell = cell
    return figure, axes


def weights(
    axes: Axes, values: Grid, mask: Grid | None = None, names: Names = (None, None), label: str = ""
) -> None:
    """Attention weights: 0 white, 1 dark blue; what the mask forbids is hatched, not zero.

    Rows are queries and columns are keys; `mask` is True where the query may attend; `names` are
    those of the queries and of the keys, numbered otherwise.
    """
    grid = np.asarray(values, dtype=float)
    seen = np.ones(grid.shape, bool) if mask is None else np.asarray(mask, dtype=bool)
    rows, columns = (
        list(given) if given is not None else [str(at) for at in range(size)]
        for given, size in zip(names, grid.shape, strict=True)
    )
    _cells(axes, grid, seen)
    _name_cells(axes, rows, columns, label)
    if isinstance(axes, Pane):
        axes.cells = readings.cells(grid, seen, rows, columns)
        axes.cell = axes.cell or (CELL if len(columns) <= PRINT_UP_TO else ROOM // len(columns))


def picture(axes: Axes, values: Grid, colors: str, least: float, most: float) -> None:
    """A bitmap, in a few shades of "signed" or of matplotlib's maps; nothing where it is NaN."""
    shades = SIGNED.map.resampled(SHADES) if colors == SIGNED.name else plt.get_cmap(colors, SHADES)
    axes.pcolormesh(np.asarray(values, dtype=float), cmap=shades, vmin=least, vmax=most)
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)


def lines(
    axes: Axes,
    x: Sequence[float],
    series: dict[str, Sequence[Sequence[float]]],
    label_at: dict[str, Place] | None = None,
) -> None:
    """Each name's mean over seeds with a band from the least to the greatest; labelled directly.

    `series[name]` holds one sequence per seed. `label_at` moves a label to a place in data units,
    with a piece of its line before it.
    """
    for at, (name, runs) in enumerate(series.items()):
        sample = np.asarray(runs, dtype=float)  # [seeds, points]
        color = f"C{at}"
        mean = sample.mean(axis=0)
        if len(sample) > 1:
            known = np.isfinite(mean)
            around, back = np.asarray(x)[known], sample[:, known]
            edge = np.concatenate([back.max(axis=0), back.min(axis=0)[::-1]])
            axes.fill(np.concatenate([around, around[::-1]]), edge, fc=color, alpha=0.25, lw=0)
        axes.plot(
            x, mean, color=color, ls=DASHES[at], marker=MARKERS[at], markevery=max(1, len(x) // 8)
        )
        last = np.flatnonzero(np.isfinite(mean))[-1]
        _name_line(axes, name, at, (x[last], mean[last]), (label_at or {}).get(name))
        remember(axes, name, x, sample, at)


def dots(axes: Axes, name: str, x: Sequence[float], y: Sequence[float], at: int) -> None:
    """Single measurements with the marker and the colour of series `at`, or IN_INK."""
    color = INK if at == IN_INK else f"C{at}"
    axes.plot(x, y, MARKERS[at], color=color, ls="", ms=5.5, alpha=0.8, clip_on=False, mew=0)
    remember(axes, name, x, [y], at)


def key(axes: Axes, names: Sequence[str]) -> None:
    """What the markers of dots mean, above the axes: in a row, or in two where that is too long."""
    marks = [
        Line2D([], [], color=f"C{at}", marker=MARKERS[at], ls="", ms=5.5, label=name)
        for at, name in enumerate(names)
    ]
    columns = len(names) if len(names) <= IN_A_ROW else IN_A_ROW - 1
    look: dict[str, Any] = {"bbox_to_anchor": (0, 1), "ncols": columns, "frameon": False}
    look |= {"handletextpad": 0, "columnspacing": 1, "borderaxespad": 0, "borderpad": 0}
    axes.legend(handles=marks, loc="lower left", **look)


def remember(axes: Axes, name: str, x: Sequence[float], runs: Any, at: int) -> None:
    """Let the page tell the values of what was drawn in the colour of series `at`."""
    if isinstance(axes, Pane):
        axes.series.append(readings.points(name, at, x, np.asarray(runs, dtype=float)))


def floor(axes: Axes, height: float, text: str, x: float | None = None) -> None:
    """A horizontal line in ink that the data cannot, or should not, cross."""
    axes.axhline(height, color=INK, lw=1, ls=(0, (4, 3)))
    place = axes.get_xlim()[0] if x is None else x
    axes.annotate(text, (place, height), xytext=(0, 3), textcoords="offset points", va="bottom")


def _name_line(axes: Axes, name: str, at: int, end: Place, place: Place | None) -> None:
    """At the end of the line, or elsewhere after a piece of it: a marker there would be a datum."""
    offset: dict[str, Any] = {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
    if place:
        sample = {"arrowstyle": "-", "color": f"C{at}", "lw": 1.5, "ls": DASHES[at]}
        piece = sample | {"shrinkA": 0, "shrinkB": 0}
        axes.annotate("", place, (SAMPLE, 0), textcoords="offset points", arrowprops=piece)
        offset["xytext"] = (SAMPLE + 4, 0)
    axes.annotate(name, place or end, annotation_clip=False, linespacing=1.1, **offset)


def _cells(axes: Axes, grid: np.ndarray, seen: np.ndarray) -> None:
    # cells as vectors: an image would be a blurred bitmap inside the SVG
    axes.pcolormesh(grid, cmap=WEIGHT.map, vmin=0, vmax=1, edgecolors=CELL_EDGE, linewidth=0.5)
    _hide(axes, [(column, row) for row, column in np.argwhere(~seen)])
    if grid.shape[1] <= PRINT_UP_TO:
        for row, column in np.argwhere(seen):
            _print(axes, (column + 0.5, row + 0.5), float(grid[row, column]))


def _hide(axes: Axes, corners: Sequence[tuple[int, int]]) -> None:
    """Grey and hatched: each kind one outline, however many cells there are."""
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)])
    strokes = np.array([(0, 1), (1, 0), (0, 0.5), (0.5, 0), (0.5, 1), (1, 0.5)])
    for shape, codes, look in (
        (square, [1, 2, 2, 2, 79], {"fc": HIDDEN, "ec": HIDDEN_LINES, "lw": 0.5}),
        (strokes, [1, 2] * 3, {"fc": "none", "ec": HIDDEN_LINES, "lw": 0.75}),
    ):
        if corners:
            points = np.concatenate([shape + corner for corner in corners])
            axes.add_patch(PathPatch(Outline(points, codes * len(corners)), **look))


def _print(axes: Axes, where: Place, value: float) -> None:
    text = "NaN" if np.isnan(value) else f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
    text = "0" if value == 0 else text  # exactly zero is worth telling from nearly
    color = LIGHT if value > LIGHT_FROM else BETWEEN if value > DARK_UP_TO else DARK
    axes.text(*where, text, ha="center", va="center", fontsize=CELL_TEXT, color=color)


def _name_cells(axes: Axes, rows: list[str], columns: list[str], label: str) -> None:
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.tick_params(length=0)
    axes.set(xlabel=f"keys\n{label}" if label else "keys", ylabel="queries", aspect="equal")
    axes.invert_yaxis()
    for side in axes.spines.values():
        side.set_visible(False)
