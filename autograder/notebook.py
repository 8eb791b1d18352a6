"""Notebooks as the grader sees them: the pristine one, with only the learner's solutions put in."""

import copy
import os
import stat
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

SIZE_LIMIT = 100 * 2**20
SETUP, EXERCISE, MISSING = "setup", "exercise", "missing"


class NotebookError(ValueError):
    """The file is not a notebook that can be read; the message says why, for the student."""


@dataclass(frozen=True)
class Cell:
    """A code cell to execute: its exercise's name (or "setup …") and its source."""

    name: str
    source: str

    def to_tree(self) -> dict[str, str]:
        return {"name": self.name, "source": self.source}


def read(path: Path) -> NotebookNode:
    """A submitted notebook in nbformat 4. Raises NotebookError with one clear sentence."""
    try:
        text = content(path).decode("utf-8-sig")
        notebook = nbformat.convert(nbformat.reader.reads(text), 4)
        if not isinstance(notebook.cells, list):
            raise TypeError
    except NotebookError:
        raise
    except Exception:  # whatever the bytes provoke, the sentence is the same
        raise NotebookError(f"{path.name} is not a Jupyter notebook: it cannot be read.") from None
    return notebook


def content(path: Path) -> bytes:
    """The bytes of a submission. Raises NotebookError unless it is a file of a fair size."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise NotebookError(f"{path.name} is not a file.")
            if status.st_size > SIZE_LIMIT:
                raise NotebookError(f"{path.name} is larger than {SIZE_LIMIT >> 20} MB.")
            return file.read()
    except FileNotFoundError:
        raise NotebookError(f"No notebook named {path.name} was submitted.") from None
    except OSError as error:
        raise NotebookError(f"{path.name} could not be read: {error.strerror}.") from None


def grade_id(cell: NotebookNode) -> str:
    """The nbgrader id of a cell, "" if it has none."""
    metadata = cell.get("metadata", {}).get("nbgrader")
    found = metadata.get("grade_id") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""


def is_solution(cell: NotebookNode) -> bool:
    """Whether nbgrader leaves the cell to the learner."""
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def splice(pristine: NotebookNode, submitted: NotebookNode) -> NotebookNode:
    """The released notebook with the learner's solution cells.

    Where several cells have an id, the last one that is written counts; where none has it,
    the stub stays and is marked as missing. Nothing else of the submission is taken: no metadata,
    no points, no further cell.
    """
    result = copy.deepcopy(pristine)
    for cell in filter(is_solution, result.cells):
        copies = [
            str(other.get("source", "")).encode("utf-8", "replace").decode()
            for other in submitted.cells
            if grade_id(other) == grade_id(cell) and other.get("cell_type") == cell.cell_type
        ]
        if not copies:
            cell.metadata[MISSING] = True
        written = [text for text in copies if text.strip() not in ("", cell.source.strip())]
        cell.source = written[-1] if written else cell.source
    return result


def missing_cells(notebook: NotebookNode) -> set[str]:
    """The ids of the solution cells that were not in the submission."""
    return {grade_id(cell) for cell in notebook.cells if cell.metadata.get(MISSING)}


def cells_to_run(notebook: NotebookNode) -> list[Cell]:
    """Setup cells and solution cells, in order: what the calls need, without demonstrations."""
    chosen = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if is_solution(cell):
            chosen.append(Cell(grade_id(cell), cell.source))
        elif cell.metadata.get("role") == SETUP:
            chosen.append(Cell(f"{SETUP} {cell.id}", cell.source))
    return chosen
