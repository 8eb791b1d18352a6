"""What a figure says of a point under the pointer: its values, for the script of the page.

A pane's reading has `box`, the axes in pixels, the `labels` of x and y, and either `cells` with the
names of `rows` and `columns`, or `series` of points with the ends of the axes `x` and `y`, from
which the script knows where a point lies.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import FixedFormatter
from matplotlib.transforms import Bbox

DIGITS = 3  # that count, of each value
Reading = dict[str, Any]


def points(name: str, at: int, x: Sequence[float], runs: np.ndarray) -> Reading:
    """The mean of `runs` [seeds, points], and its range if there are several; `at` is a colour."""
    where = np.asarray(x, dtype=float)
    known = np.isfinite(runs).all(axis=0)
    where, runs = where[known], runs[:, known]
    found = {"name": name.replace("\n", " "), "color": at, "x": _short(where)}
    found["y"] = _short(runs.mean(axis=0))
    if len(runs) > 1:
        found |= {"low": _short(runs.min(axis=0)), "high": _short(runs.max(axis=0))}
    return found


def cells(grid: np.ndarray, seen: np.ndarray, rows: list[str], columns: list[str]) -> Reading:
    """Thousandths [queries, keys]: null where hidden, 0 for zero alone, "NaN" for no number."""
    shown = [
        [_thousandths(value) if here else None for value, here in zip(*row, strict=True)]
        for row in zip(grid, seen, strict=True)
    ]
    return {"rows": rows, "columns": columns, "cells": shown}


def reading(axes: Any, around: Bbox) -> Reading:
    """All of a panes.Pane that covers `around`; empty if it has no values to tell."""
    if not (axes.cells or axes.series):
        return {}
    box = axes.bbox
    inner = (box.x0 - around.x0, around.y1 - box.y1, box.width, box.height)
    labels = [text.split("\n")[0] for text in (axes.get_xlabel(), axes.get_ylabel())]
    found: Reading = {"box": [round(float(side), 1) for side in inner], "labels": labels}
    if axes.cells:
        return found | axes.cells
    return found | {"x": _axis(axes.xaxis), "y": _axis(axes.yaxis), "series": axes.series}


def _axis(axis: Axis) -> Reading:
    """From where to where, whether logarithmic or of kinds, and the names that values have."""
    found: Reading = {"ends": [float(f"{end:.6g}") for end in axis.get_view_interval()]}
    if axis.get_scale() == "log":
        found["log"] = 1
    formatter = axis.get_major_formatter()
    if isinstance(formatter, FixedFormatter):
        named = zip(axis.get_majorticklocs(), formatter.seq, strict=False)
        names = {f"{place:.15g}": name.replace("\n", " ") for place, name in named}
        other = {place: name for place, name in names.items() if place != name}
        found |= {"names": other} if other else {}
        if other and list(names) == [str(at) for at in range(len(names))]:
            found["kinds"] = 1
    return found


def _short(values: np.ndarray) -> list[float]:
    """Numbers with a few digits, whole ones as such."""
    large = 10**DIGITS
    found = [
        float(f"{one:.{DIGITS}g}") if abs(one) < large else float(round(one)) for one in values
    ]
    return [int(one) if one.is_integer() else one for one in found]


def _thousandths(value: float) -> float | str:
    if np.isnan(value):
        return "NaN"
    found = round(1000 * float(value))
    return found if found or value == 0 else 0.1
