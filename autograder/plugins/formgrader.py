"""Formgrader shows beside a written answer its rubric, and what the author wrote."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.chapters.cell_slips import ANSWER
from autograder.chapters.course_root import CONFIG
from autograder.chapters.rubric import RUBRIC, Item, items, texts_of
from autograder.chapters.solutions import parsed, read_text, solutions_folder
from autograder.common.cell import grade_id
from autograder.common.errors import CourseError


@dataclass(frozen=True)
class Beside:
    """For whoever marks the answer `name`; without items where the author wrote no rubric."""

    name: str
    items: list[Item]
    answer: str


def rubric(cell: NotebookNode, resources: Mapping[str, Any]) -> Beside | None:
    """The Jinja filter `rubric`, which only formgrader's page uses: None for any other cell.

    It is read from the chapter's source anew for each page, and is kept out of the notebook.
    """
    try:
        texts, rubrics = _written(*_source(resources))
    except (CourseError, OSError):  # `attn release` says what is wrong with it
        return None
    name = grade_id(cell)
    if name not in texts:
        return None
    return Beside(name, items(rubrics.get(name, "")), texts[name])


def _source(resources: Mapping[str, Any]) -> tuple[Path, str]:
    """Path and text of the chapter's source, in the course that an autograded notebook is of."""
    chapter = resources["assignment_id"]
    above = Path(resources["metadata"]["path"]).parents
    root = next((folder for folder in above if (folder / CONFIG).is_file()), Path())
    path = solutions_folder(root) / chapter / f"{chapter}.md"
    return path, read_text(path)


@lru_cache(maxsize=10)
def _written(path: Path, text: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The answers and the rubrics of a chapter."""
    notebook = parsed(path, text)
    return texts_of(notebook, ANSWER), texts_of(notebook, RUBRIC)
