"""The curve of the right answers, beside which the notebook of chapter 12 draws a learner's own.

What is run are the cells of the notebook: the same stories, weights, batches and steps.
"""

from typing import Any

import matplotlib
from measurements import Numbers, Series, number, run_and_save

from autograder.chapters.solutions import load
from autograder.common.files import REPOSITORY
from autograder.notebooks.chapter import MARKERS

CHAPTER = "12_language_model"
SEEDS = range(1)


def cells() -> list[str]:
    """The code of the notebook with the right answers, but for the last cell, of what is solved."""
    found = [cell for cell in load(REPOSITORY, CHAPTER).text.cells if cell.cell_type == "code"]
    return [MARKERS.sub("", cell.source) for cell in found[:-1]]


def measure() -> tuple[Numbers, Series]:
    matplotlib.use("Agg")
    names: dict[str, Any] = {}
    for cell in cells():
        exec(cell, names)
    numbers = {
        "steps": number(names["STEPS"], ",d"),
        "bits": number(names["bits"], ".3f", "bits"),
        "floor": number(names["floor"], ".3f", "bits"),
        "answer": number(names["curve"][-1], ".2f", "bits"),
        "texts": number(len(names["texts"]), "d"),
        "answers": number(names["true"] + names["false"], "d"),
        "true": number(names["true"], "d"),
    }
    return numbers, {"curve": [round(value, 2) for value in names["curve"]]}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
