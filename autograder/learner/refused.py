"""What of a learner's cells does not work where they are graded, as sentences for the learner."""

import ast
from collections.abc import Collection, Iterator

from autograder.common.cell import SETUP, Cell
from autograder.common.libraries import has, is_graded_with
from autograder.common.magics import without_magics
from autograder.exercise.observation import Failure
from autograder.notebooks.newer import for_a_later_python
from autograder.notebooks.other_cells import imported


def said_by_running(cell: Cell, failure: Failure) -> str:
    """That a statement failed."""
    where = f"`{failure.source}`" if failure.source else f"line {failure.line}"
    why = f"{failure.type}: {failure.message}".rstrip(": .")
    return f"In the cell {_name(cell)}, {where} does not work: {why}."


def said_by_reading(cell: Cell, brought: Collection[str] = ()) -> Iterator[str]:
    """What of libraries and of Python the grader may not have, which lines it passes over.

    brought: the libraries of this course.
    """
    python = _as_python(cell.source)
    for name in sorted({module for _, module in imported(python)}):
        if not is_graded_with(name) and name not in brought:
            yield f"The cell {_name(cell)} imports {name}; the grader has {has(brought)}."
    for sentence in for_a_later_python(cell.source):
        yield f"The cell {_name(cell)}: {sentence}"
    for line, kept in zip(cell.source.split("\n"), python.split("\n"), strict=False):
        if line != kept:
            yield f"In the cell {_name(cell)}, `{line.strip()}` is for IPython and does nothing."


def _name(cell: Cell) -> str:
    return "with the imports" if cell.name.startswith(SETUP) else cell.name


def _as_python(source: str) -> str:
    """The text that is run: without the lines for IPython alone, if it is no Python with them."""
    try:
        ast.parse(source)
    except Exception:
        return without_magics(source)
    return source
