"""A chapter as the instructor has it: its notebook, and an exercise for each solution cell."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from autograder.common.cell import EXERCISE, SETUP, Cell
from autograder.notebooks.other_cells import brought

if TYPE_CHECKING:
    from autograder.exercise.spec import Exercise

MARKERS = re.compile(r"^\s*### (BEGIN|END) SOLUTION\n?", re.MULTILINE)


@dataclass(frozen=True)
class Chapter:
    """Exercises by name, in the order of the notebook; `text` is the MyST source as a notebook."""

    name: str
    folder: Path
    text: NotebookNode
    exercises: "dict[str, Exercise]"


def reference(chapter: Chapter) -> dict[str, str]:
    """Return the solution cell of every exercise, without the markers around the solution."""
    cells = [cell for cell in chapter.text.cells if EXERCISE in cell.metadata]
    return {cell.metadata[EXERCISE]: MARKERS.sub("", cell.source) for cell in cells}


def reference_cells(chapter: Chapter) -> list[Cell]:
    """Return what the grader would run of a notebook with every exercise solved, in its order."""
    solved, cells = reference(chapter), []
    for number, cell in enumerate(chapter.text.cells):
        if cell.metadata.get("role") == SETUP:
            cells.append(Cell(f"{SETUP} {number}", cell.source))
        elif name := cell.metadata.get(EXERCISE):
            cells.append(Cell(name, solved[name]))
    return cells


def libraries(chapter: Chapter) -> list[str]:
    """Name the libraries that the cells with the imports have beside those of every course."""
    return brought(cell.source for cell in reference_cells(chapter) if cell.name.startswith(SETUP))


def location(chapter: Chapter, key: str, name: str) -> str:
    """Say where the first cell with this key and name is in the text of a loaded chapter."""
    cells = zip(chapter.text.metadata.source_map, chapter.text.cells, strict=True)
    line = next(line for line, cell in cells if cell.metadata.get(key) == name)
    return f"{chapter.folder / chapter.name}.md, line {line}"
