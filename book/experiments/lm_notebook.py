"""The curve of the right answers, beside which the notebook of chapter 12 draws a learner's own.

What is run are the cells of the notebook: the same text, weights, batches and steps.
"""

import math
from typing import Any

import matplotlib
from measurements import Numbers, Series, number, run_and_save

from autograder.chapters.solutions import load
from autograder.common.files import REPOSITORY
from autograder.notebooks.chapter import MARKERS

CHAPTER = "12_language_model"
SEEDS = range(1)
TOGETHER = 25  # steps of which the curve has the mean


def cells() -> list[str]:
    """The code of the notebook with the right answers, but for the last cell, of what is solved."""
    found = [cell for cell in load(REPOSITORY, CHAPTER).text.cells if cell.cell_type == "code"]
    return [MARKERS.sub("", cell.source) for cell in found[:-1]]


def measure() -> tuple[Numbers, Series]:
    matplotlib.use("Agg")
    names: dict[str, Any] = {}
    for cell in cells():
        exec(cell, names)
    bits = [loss / math.log(2) / names["bytes_per_token"] for loss in names["losses"]]
    curve = [math.fsum(bits[at : at + TOGETHER]) / TOGETHER for at in range(0, len(bits), TOGETHER)]
    numbers = {"steps": number(names["STEPS"], ",d"), "bits": number(names["bits"], ".2f", "bits")}
    return numbers, {"curve": [round(value, 2) for value in curve]}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
