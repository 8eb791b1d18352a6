"""Slips of an author in the cells of a chapter's text, each reported with its line.

What a cell is, its metadata say: `role: setup`, `given: CHAPTER/NAME` or `exercise: NAME` on code,
`about: NAME` or `answer: NAME` with `points` or `rubric: NAME` on text. A cell without metadata is
shown, and is never run by grading.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.chapters import rubric, shared_code
from autograder.chapters.rubric import RUBRIC
from autograder.common.cell import EXERCISE, GIVEN, SETUP, without_magics
from autograder.common.errors import CourseError
from autograder.notebooks.chapter import MARKERS

ABOUT, ANSWER, POINTS, ROLE = "about", "answer", "points", "role"
KINDS = {
    ROLE: "code",
    GIVEN: "code",
    EXERCISE: "code",
    ABOUT: "markdown",
    ANSWER: "markdown",
    RUBRIC: "markdown",
}
KEYS = {*KINDS, POINTS}
CELL_TYPE_NAMES = {"code": "code", "markdown": "text", "raw": "raw text"}
NAME = re.compile(r"[A-Za-z_]\w{0,50}", re.ASCII)  # cells get an id of it, of at most 64 characters
DEFINED = re.compile(r"^exercise *= *Exercise\b", re.MULTILINE)


@dataclass(frozen=True)
class _Cell:
    """A cell of the source; `line` is where its fence, or the +++ above it, is in the file."""

    line: int
    kind: str
    source: str
    metadata: dict[str, Any]


@dataclass(frozen=True)
class _Slip:
    line: int
    sentence: str


def refuse(path: Path, text: NotebookNode, lines: list[str]) -> None:
    """Raise CourseError for the first slip in the cells of a notebook.

    It was read from the `lines` of `path`; `text.metadata.source_map` has the line of each cell.
    """
    cells = [
        _Cell(line, cell.cell_type, cell.source, cell.metadata)
        for line, cell in zip(text.metadata.source_map, text.cells, strict=True)
    ]
    of_rubrics = _of_rubrics(cells, lines)
    of_given = _of_given(cells, path.parent)
    for slip in chain(
        _alone(cells), _together(cells), _of_code(cells, lines), of_given, of_rubrics
    ):
        raise CourseError(f"{path}, line {slip.line}: {slip.sentence}")
    _refuse_setups(path, cells)
    _refuse_unasked(path, named(EXERCISE, cells))


def named(key: str, cells: Iterable[Any]) -> list[str]:
    """Return the names of the cells that have this key, in their order."""
    return [cell.metadata[key] for cell in cells if key in cell.metadata]


def is_positive(value: object) -> bool:
    return type(value) is int and value > 0


def list_known(names: Iterable[str]) -> str:
    """ "which is no exercise" goes on: of what there is."""
    known = ", ".join(names)
    return f" of the notebook; it has {known}. Correct it." if known else " of the notebook."


def _alone(cells: list[_Cell]) -> Iterator[_Slip]:
    """Yield what is wrong with a cell whatever the others are."""
    for cell in cells:
        for sentence in _of_metadata(cell):
            yield _Slip(cell.line, sentence)


def _of_metadata(cell: _Cell) -> Iterator[str]:
    if unknown := ", ".join(sorted(map(str, cell.metadata.keys() - KEYS))):
        known = ", ".join(sorted(KEYS))
        yield f"the cell has the unknown key {unknown}. The keys of a cell are {known}."
    kinds = [key for key in KINDS if key in cell.metadata]
    if len(kinds) > 1:
        yield f"the cell has {' and '.join(kinds)}. Keep one: it says what the cell is."
    for key in kinds:
        value = cell.metadata[key]
        if key not in (ROLE, GIVEN) and not (isinstance(value, str) and NAME.fullmatch(value)):
            yield f"`{key}` is {value!r}. Make it a name of letters, digits and _."
        if cell.kind != KINDS[key]:
            right, wrong = CELL_TYPE_NAMES[KINDS[key]], CELL_TYPE_NAMES[cell.kind]
            yield f"`{key}` belongs on a cell of {right}, not of {wrong}."
    yield from _of_values(cell.metadata)


def _of_values(metadata: dict[str, Any]) -> Iterator[str]:
    if ROLE in metadata and metadata[ROLE] != SETUP:
        yield f"`role` is {metadata[ROLE]!r}. The only role is {SETUP}."
    if ANSWER in metadata and not is_positive(metadata.get(POINTS)):
        yield f"the answer {metadata[ANSWER]!r} needs points, a whole number above 0."
    if POINTS in metadata and ANSWER not in metadata:
        yield "points belong on an answer; those of an exercise are in its own file."


def _together(cells: list[_Cell]) -> Iterator[_Slip]:
    seen = set[str]()
    for cell in cells:
        for name in named(EXERCISE, [cell]) + named(ANSWER, [cell]):
            if name in seen:
                yield _Slip(cell.line, f"two cells are named {name!r}. Rename one of them.")
            seen.add(name)
    exercises = named(EXERCISE, cells)
    for cell in cells:
        for name in set(named(ABOUT, [cell])) - set(exercises):
            said = f"the cell is about {name!r}, which is no exercise{list_known(exercises)}"
            yield _Slip(cell.line, said)


def _of_code(cells: list[_Cell], lines: list[str]) -> Iterator[_Slip]:
    """Refuse what is no Python though the grader runs it, and a solution its cell does not name."""
    for cell in cells:
        if not cell.metadata.keys() & {ROLE, EXERCISE}:
            continue
        try:
            body = ast.parse(without_magics(cell.source)).body
        except SyntaxError as error:
            line = _first(cell, lines) + (error.lineno or 1) - 1
            yield _Slip(line, f"SyntaxError: {error.msg}. Correct it.")
            continue
        if EXERCISE in cell.metadata:
            for sentence in _of_solution(cell, body):
                yield _Slip(cell.line, sentence)


def _of_given(cells: list[_Cell], folder: Path) -> Iterator[_Slip]:
    seen = set[str]()
    for cell in cells:
        for name in named(GIVEN, [cell]):
            for sentence in shared_code.slips(name, cell.source, folder):
                yield _Slip(cell.line, sentence)
            if name in seen:
                yield _Slip(cell.line, f"two cells are given {name}. Keep one.")
            seen.add(name)


def _of_rubrics(cells: list[_Cell], lines: list[str]) -> Iterator[_Slip]:
    """Yield what is wrong with rubrics: each belongs to one answer, and has its points."""
    worth = {
        cell.metadata[ANSWER]: cell.metadata[POINTS] for cell in cells if ANSWER in cell.metadata
    }
    seen = set[str]()
    for cell in cells:
        for name in named(RUBRIC, [cell]):
            if name not in worth:
                said = f"the rubric is of {name!r}, which is no answer{list_known(worth)}"
                yield _Slip(cell.line, said)
                continue
            if name in seen:
                yield _Slip(cell.line, f"two rubrics are of {name!r}. Keep one.")
            seen.add(name)
            for line, said in rubric.slips(name, cell.source, worth[name]):
                yield _Slip(_first(cell, lines) + line, said)


def _first(cell: _Cell, lines: list[str]) -> int:
    """Return the line of the file where the source of a cell begins, below its metadata."""
    source = cell.source.splitlines()
    found = (at for at in range(cell.line, len(lines)) if lines[at : at + len(source)] == source)
    return next(found, cell.line) + 1


def _of_solution(cell: _Cell, body: list[ast.stmt]) -> Iterator[str]:
    name = cell.metadata[EXERCISE]
    if name not in {getattr(node, "name", None) for node in body}:
        yield f"the cell of {name!r} defines no function or class {name}. Define it."
    marks = MARKERS.findall(cell.source)
    if not marks or marks != ["BEGIN", "END"] * (len(marks) // 2):
        yield (
            f"the cell of {name!r} needs ### BEGIN SOLUTION above what a learner is to write, and "
            "### END SOLUTION below it."
        )


def _refuse_setups(path: Path, cells: list[_Cell]) -> None:
    setups = [cell.line for cell in cells if ROLE in cell.metadata]
    if len(setups) > 1:
        raise CourseError(f"{path}, line {setups[1]}: two cells have `role: setup`. Keep one.")
    if not setups:
        raise CourseError(f"{path}: no cell has `role: setup`. Mark the one with the imports.")


def _refuse_unasked(source: Path, exercises: list[str]) -> None:
    """Stop at a file with an exercise that no cell asks for."""
    for path in sorted(source.parent.glob("*.py")):
        if path.stem not in exercises and DEFINED.search(path.read_text("utf-8", "replace")):
            raise CourseError(
                f"{source}: no cell has `exercise: {path.stem}`. Add one, or remove {path.name}."
            )
