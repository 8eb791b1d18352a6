"""The released notebook, changed as a student may, and what the grader then runs of it."""

import copy

from autograder.common.cell import grade_id
from autograder.notebooks.splice import cells_to_run, missing, splice


def edited(released, change):
    notebook = copy.deepcopy(released)
    change(notebook)
    return notebook


def cell(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def spliced_sources(released, change):
    notebook = splice(released, edited(released, change))
    return {c.name: c.source for c in cells_to_run(notebook)}, set(missing(notebook))
