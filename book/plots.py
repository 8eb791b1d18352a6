"""The book's figures: heatmaps of weights, lines with a spread over seeds.

A figure is one SVG without a background, with panes that a page sets side by side or one below
the other. A pane is drawn for the width of a phone. Colours are those of styles/colors.css, by
name, so that they follow the theme, as the cells of heatmaps do (ramps.py).
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import matplotlib
import numpy as np
import readings
from cycler import cycler
from IPython.display import SVG, display
from looks import DASHES, MARKERS, Look, looks
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Outline
from matplotlib.transforms import ScaledTranslation
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
MARKS = 32  # on a line, at most: a longer one has none, since a part of them would look like all
IN_A_ROW = 26  # characters of the names of markers: beyond, a phone has no room
ROW_OF_TEXT = 16 / 96  # inches
IN_INK = -1  # instead of the number of a series
Grid = Sequence[Any] | np.ndarray  # [queries, keys]
Names = tuple[Sequence[str] | None, Sequence[str] | None]  # of the queries, of the keys
Place = tuple[float, float]  # in data units
PRINT_UP_TO = 8  # keys: beyond, the printed values would be too small to read
CELL, ROOM = 30, 290  # pixels: of a cell with a number, and for all where there are more
SHADES = 24  # of a bitmap
CELL_TEXT = 8.25  # points, which are 11 pixels
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


def frame(axes: Axes, cells: Iterable[tuple[int, int]]) -> None:
    """Outline cells of a heatmap, each a row and a column, in orange."""
    for row, column in cells:
        look: dict[str, Any] = {"fc": "none", "ec": COLORS["series-1"], "lw": 1.5, "zorder": 3}
        axes.add_patch(Rectangle((column + 0.08, row + 0.08), 0.84, 0.84, **look))


def picture(axes: Axes, values: Grid, colors: str, least: float, most: float) -> None:
    """A bitmap, in a few shades of "signed" or of matplotlib's maps; nothing where it is NaN."""
    shades = SIGNED.map.resampled(SHADES) if colors == SIGNED.name else plt.get_cmap(colors, SHADES)
    axes.pcolormesh(np.asarray(values, dtype=float), cmap=shades, vmin=least, vmax=most)
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)


def lines(axes: Pane, x: Sequence[float], series: dict[str, Sequence[Sequence[float]]]) -> None:
    """Each name's mean over seeds with a band from the least to the greatest, named at its end.

    `series[name]` holds one sequence per seed.
    """
    for (name, values), look in zip(series.items(), _looks(axes, series), strict=True):
        sample = np.asarray(values, dtype=float)  # [seeds, points]
        mean = sample.mean(axis=0)
        if len(sample) > 1:
            known = np.isfinite(mean)
            around, back = np.asarray(x)[known], sample[:, known]
            edge = np.concatenate([back.max(axis=0), back.min(axis=0)[::-1]])
            band = np.concatenate([around, around[::-1]])
            axes.fill(band, edge, fc=f"C{look[0]}", alpha=0.25, lw=0)
        marked: dict[str, Any] = {"ls": DASHES[look[1]]}
        marked["marker"] = MARKERS[look[1]] if len(x) <= MARKS else ""
        axes.named += axes.plot(x, mean, color=f"C{look[0]}", label=name, **marked)
        remember(axes, name, x, sample, look[0])


def runs(axes: Pane, x: Sequence[float], series: dict[str, np.ndarray]) -> None:
    """A thin line for each seed of `series[name]` [seeds, points]; the first one is named.

    They are solid: dashes of several lines would tangle.
    """
    for (name, values), look in zip(series.items(), _looks(axes, series), strict=True):
        drawn = axes.plot(x, np.asarray(values).T, color=f"C{look[0]}", lw=1, label=name)
        axes.named.append(drawn[0])
        remember(axes, name, x, values, look[0])


def dots(axes: Axes, name: str, x: Sequence[float], y: Sequence[float], at: int) -> None:
    """Single measurements with the marker and the colour of series `at`, or IN_INK."""
    color = INK if at == IN_INK else f"C{at}"
    axes.plot(x, y, MARKERS[max(at, 0)], color=color, ls="", ms=5, clip_on=False, mfc="none", mew=1)
    remember(axes, name, x, [y], at)


def point(axes: Pane, name: str, x: float, y: float, at: int = IN_INK) -> None:
    """A single mark with its name beside it, in the colour of series `at` or in ink."""
    look: dict[str, Any] = {"color": INK if at == IN_INK else f"C{at}", "ls": "", "label": name}
    axes.named += axes.plot(x, y, MARKERS[max(at, 0)], mfc="none", ms=7, mew=1.2, **look)
    remember(axes, name, [x], [[y]], at)


def key(axes: Pane, names: Sequence[str]) -> None:
    """What the markers of dots mean, above the axes; in two columns where they are many."""
    marks = [
        Line2D([], [], color=f"C{at}", marker=MARKERS[at], ls="", ms=5, mfc="none", label=name)
        for at, name in enumerate(names)
    ]
    columns = len(names) if len("".join(names)) <= IN_A_ROW else 2
    columns = 1 if max(map(len, names)) > IN_A_ROW / 2 else columns
    up = ROW_OF_TEXT if axes.limits else 0
    raised = axes.transAxes + ScaledTranslation(0, up, axes.figure.dpi_scale_trans)
    look: dict[str, Any] = {"bbox_to_anchor": (0, 1), "bbox_transform": raised}
    look |= {"ncols": columns, "frameon": False}
    look |= {"handletextpad": 0, "columnspacing": 1, "borderaxespad": 0, "borderpad": 0}
    axes.legend(handles=marks, loc="lower left", **look)


def remember(axes: Axes, name: str, x: Sequence[float], runs: Any, at: int) -> None:
    """Let the page tell the values of what was drawn in the colour of series `at`."""
    if isinstance(axes, Pane):
        axes.series.append(readings.points(name, at, x, np.asarray(runs, dtype=float)))


def level(axes: Pane, height: float, name: str) -> None:
    """A horizontal line in ink, such as chance or a floor, named at its end."""
    axes.named.append(axes.axhline(height, color=INK, lw=1, ls=(0, (4, 3)), label=name))


def limit(axes: Pane, x: float, name: str) -> None:
    """A vertical line in ink, such as the longest length in training, named above the axes."""
    axes.limits.append(axes.axvline(x, color=INK, lw=1, ls=(0, (4, 3)), label=name))
    place: dict[str, Any] = {"xycoords": axes.get_xaxis_transform(), "xytext": (0, 3)}
    axes.annotate(name, (x, 1), textcoords="offset points", ha="center", va="bottom", **place)


def _looks(axes: Pane, names: Iterable[str]) -> list[Look]:
    """Other than what is drawn already."""
    return looks(names, [one["color"] for one in axes.series])


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
    axes.set(title=label, xlabel="keys", ylabel="queries", aspect="equal")
    axes.invert_yaxis()
    for side in axes.spines.values():
        side.set_visible(False)
