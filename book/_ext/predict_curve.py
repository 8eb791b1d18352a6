"""What a chart needs on which a reader draws a curve before the measured one shows.

:record: bottleneck_recall      the record that has the series
:x: lengths                     of its series: the places on the axis, which are evenly apart
:y: exact.fixed                 of its series: the runs, a list for each seed
:first: 16                      how many of the places are drawn; all, if it is not said
:top: 1                         where the other axis ends
:format: percent                or decimal
:labels: symbols | share        of the two axes
:at: length {}                  how a place is named in a sentence
"""

import statistics
from typing import Any

from measured_numbers import measurements

OPTIONS = ("record", "x", "y", "first", "top", "format", "labels", "at")
DIGITS = 6  # more would depend on the order of a sum


def data(options: dict[str, Any]) -> dict[str, Any]:
    """Mean and range of the runs at each place, and how to draw them. KeyError without a series."""
    series = measurements.load(options["record"])["series"]
    first = int(options.get("first", 0)) or None
    places = series[options["x"]][:first]
    runs = series
    for name in options["y"].split("."):
        runs = runs[name]
    columns = list(zip(*(run[:first] for run in runs), strict=True))
    across, up = options["labels"].split(" | ")
    return {
        "x": places,
        "mean": [round(statistics.fmean(column), DIGITS) for column in columns],
        "low": [min(column) for column in columns],
        "high": [max(column) for column in columns],
        "top": float(options["top"]),
        "percent": options["format"] == "percent",
        "across": across,
        "up": up,
        "at": options["at"],
    }
