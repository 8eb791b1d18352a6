"""Slips of an author that would cost every learner of a chapter. Each is told in one sentence."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from autograder.calls.cell import EXERCISE, SETUP
from autograder.calls.errors import CourseError

if TYPE_CHECKING:
    from autograder.calls.spec import Exercise

ABOUT, ANSWER, POINTS, ROLE = "about", "answer", "points", "role"
TUPLES = ("returns", "builds_on", "forbids", "properties")
DEFINED = re.compile(r"^exercise *= *Exercise\b", re.MULTILINE)
HARDEST = 5


def refuse_in_text(path: Path, text: NotebookNode) -> None:
    """Raise CourseError for the first slip in the cells of a notebook, read from `path`."""
    for slip in _of_cells([cell.metadata for cell in text.cells], path.parent):
        raise CourseError(f"{path}: {slip}")


def refuse_in_exercises(folder: Path, exercises: "Mapping[str, Exercise]") -> None:
    """Raise CourseError for the first slip in a chapter's exercises, given in their order."""
    earlier: list[str] = []
    for name, exercise in exercises.items():
        for slip in chain(_of_fields(exercise), _of_use(exercise, earlier)):
            raise CourseError(f"{folder / name}.py: {slip}")
        earlier.append(name)


def _of_cells(cells: list[Mapping[str, object]], folder: Path) -> Iterator[str]:
    exercises = [cell[EXERCISE] for cell in cells if EXERCISE in cell]
    named = [*exercises, *(cell[ANSWER] for cell in cells if ANSWER in cell)]
    for name in (name for name in named if named.count(name) > 1):
        yield f"two cells are named {name!r}. Give each a name of its own."
    setups = sum(cell.get(ROLE) == SETUP for cell in cells)
    if setups != 1:
        yield f"{setups} cells have `role: {SETUP}`. Mark one, the cell with the imports."
    for cell in cells:
        if ABOUT in cell and cell[ABOUT] not in exercises:
            yield f"a cell is about {cell[ABOUT]!r}, which is no exercise{_among(exercises)}."
        if ANSWER in cell and not _is_positive(cell.get(POINTS)):
            yield f"the answer {cell[ANSWER]!r} needs points, a whole number above 0."
    for path in sorted(folder.glob("*.py")):
        if path.stem not in exercises and DEFINED.search(path.read_text("utf-8", "replace")):
            yield f"no cell has `exercise: {path.stem}`. Add one, or remove {path.name}."


def _of_fields(exercise: "Exercise") -> Iterator[str]:
    for name in TUPLES:
        if not isinstance(getattr(exercise, name), tuple):
            yield f"{name} must be a tuple; one of a single item ends with a comma: (item,)."
    if not _is_positive(exercise.points):
        yield f"points is {exercise.points!r}. Make it a whole number above 0."
    if exercise.difficulty not in range(1, HARDEST + 1):
        yield f"difficulty is {exercise.difficulty!r}. Make it 1 to {HARDEST}."


def _of_use(exercise: "Exercise", earlier: list[str]) -> Iterator[str]:
    for name in exercise.builds_on:
        if name not in earlier:
            yield f"builds_on names {name!r}, which is no earlier exercise{_among(earlier)}."
    if exercise.right is None:
        yield "it has no oracle. Mark the function or class that is right with @exercise.oracle."
    names = [item.name for item in exercise.misconceptions]
    for item in exercise.misconceptions:
        if not isinstance(item.hint, str) or not item.hint.strip():
            yield f"the misconception {item.name} has no hint. Write one for who made this mistake."
        if names.count(item.name) > 1:
            yield f"two misconceptions are named {item.name}. Rename one."


def _among(names: Iterable[object]) -> str:
    known = ", ".join(map(str, names))
    return f" of the notebook; it has {known}. Correct it" if known else " of the notebook"


def _is_positive(value: object) -> bool:
    return isinstance(value, int) and value > 0
