"""The book's figures: heatmaps of weights, lines with a spread over seeds.

A figure is one SVG without a background. Its ink is black or white as the reader's theme asks,
through `prefers-color-scheme` inside the SVG; colours that carry data are the same in both.
"""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from IPython.display import SVG, display
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

matplotlib.use("agg")
plt.style.use(Path(__file__).parent / "course.mplstyle")

INK = "#123456"  # the ink of course.mplstyle
HIDDEN, HIDDEN_LINES = "#d4d4d4", "#8c8c8c"
CELL_EDGE = "#9a9a9a"
MARKERS = "osD^vP"
DASHED = ((5, 2), (1, 1.4), (5, 1.5, 1, 1.5), (8, 2), (2, 2))  # after the solid line
Dash = str | tuple[int, tuple[float, ...]]
DASHES: list[Dash] = ["-", *((0, dash) for dash in DASHED)]
STYLE = """<style>:root{--ink:#1f2328}
@media (prefers-color-scheme: dark){:root{--ink:#e6e6e6}}</style>"""
Grid = Sequence[Any] | np.ndarray  # [queries, keys]
Names = tuple[Sequence[str] | None, Sequence[str] | None]  # of the queries, of the keys
Place = tuple[float, float]  # in data units
PRINT_UP_TO = 8  # keys: beyond, the printed values would be too small to read


def show(figure: Figure) -> None:
    """Display the figure as the output of a cell."""
    display(SVG(data=svg(figure)))
    plt.close(figure)


def svg(figure: Figure) -> str:
    """The figure as SVG text, the same bytes each time, with ink that follows the theme."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace(INK, "var(--ink)")
    return re.sub(r"(<svg[^>]*>)", rf"\1{STYLE}", text, count=1)


def panels(count: int, width: float = 2.4, height: float = 2.6) -> tuple[Figure, list[Axes]]:
    """A row of heatmap axes."""
    figure, axes = plt.subplots(1, count, figsize=(width * count, height), squeeze=False)
    return figure, list(axes[0])


def grid(rows: int, columns: int, cell: float = 2.7) -> tuple[Figure, list[Axes]]:
    """Heatmap axes in rows and columns, for figures that would be too wide in one row."""
    figure, axes = plt.subplots(rows, columns, figsize=(cell * columns, cell * rows), squeeze=False)
    return figure, list(axes.flat)


def weights(
    axes: Axes, values: Grid, mask: Grid | None = None, names: Names = (None, None), label: str = ""
) -> None:
    """Attention weights: 0 white, 1 dark blue; what the mask forbids is hatched, not zero.

    Rows are queries and columns are keys; `mask` is True where the query may attend; `names` are
    those of the queries and of the keys, numbered otherwise.
    """
    _cells(axes, values, mask)
    _name_cells(axes, np.shape(values), names, label)


def lines(
    axes: Axes,
    x: Sequence[float],
    series: dict[str, Sequence[Sequence[float]]],
    label_at: dict[str, Place] | None = None,
) -> None:
    """Each name's mean over seeds with a band from the least to the greatest; labelled directly.

    `series[name]` holds one sequence per seed. `label_at` moves a label to a place in data units.
    """
    for at, (name, runs) in enumerate(series.items()):
        sample = np.asarray(runs, dtype=float)  # [seeds, points]
        color = f"C{at}"
        mean = sample.mean(axis=0)
        axes.fill_between(x, sample.min(axis=0), sample.max(axis=0), color=color, alpha=0.25, lw=0)
        axes.plot(
            x, mean, color=color, ls=DASHES[at], marker=MARKERS[at], markevery=max(1, len(x) // 8)
        )
        last = np.flatnonzero(np.isfinite(mean))[-1]
        _name_line(axes, name, at, (x[last], mean[last]), (label_at or {}).get(name))


def floor(axes: Axes, height: float, text: str, x: float | None = None) -> None:
    """A horizontal line in ink that the data cannot, or should not, cross."""
    axes.axhline(height, color=INK, lw=1.2, ls=(0, (4, 3)))
    place = axes.get_xlim()[0] if x is None else x
    axes.annotate(
        text, (place, height), xytext=(0, 4), textcoords="offset points", va="bottom", fontsize=10
    )


def _name_line(axes: Axes, name: str, at: int, end: Place, place: Place | None) -> None:
    # the text is ink, because most data colours are too pale for text; the marker ties it to a line
    where = place or end
    axes.plot(*where, color=f"C{at}", marker=MARKERS[at], clip_on=False)
    axes.annotate(
        name,
        where,
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        fontsize=10,
        annotation_clip=False,
    )


def _cells(axes: Axes, values: Grid, mask: Grid | None) -> None:
    grid = np.asarray(values, dtype=float)
    seen = np.ones(grid.shape, bool) if mask is None else np.asarray(mask, dtype=bool)
    # cells as vectors: an image would be a blurred bitmap inside the SVG
    axes.pcolormesh(grid, cmap="Blues", vmin=0, vmax=1, edgecolors=CELL_EDGE, linewidth=0.5)
    for place in np.ndindex(grid.shape):
        if not seen[place]:
            _hide(axes, place)
        elif grid.shape[1] <= PRINT_UP_TO:
            _print(axes, place, float(grid[place]))


def _hide(axes: Axes, place: tuple[int, ...]) -> None:
    corner = (place[1], place[0])
    axes.add_patch(Rectangle(corner, 1, 1, fc=HIDDEN, ec=HIDDEN_LINES, hatch="////", lw=0.5))


def _print(axes: Axes, place: tuple[int, ...], value: float) -> None:
    text = "NaN" if np.isnan(value) else f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
    text = "0" if value == 0 else text  # exactly zero is worth telling from nearly
    color = "#ffffff" if value > 0.55 else "#1f2328"
    where = (place[1] + 0.5, place[0] + 0.5)
    axes.text(*where, text, ha="center", va="center", fontsize=10, color=color)


def _name_cells(axes: Axes, shape: tuple[int, ...], names: Names, label: str) -> None:
    rows, columns = shape
    axes.set_xticks(np.arange(columns) + 0.5, names[1] or [str(at) for at in range(columns)])
    axes.set_yticks(np.arange(rows) + 0.5, names[0] or [str(at) for at in range(rows)])
    axes.tick_params(length=0)
    axes.set(xlabel=f"keys\n{label}" if label else "keys", ylabel="queries", aspect="equal")
    axes.invert_yaxis()
    for side in axes.spines.values():
        side.set_visible(False)
