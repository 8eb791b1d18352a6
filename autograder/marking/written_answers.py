"""The written answers of a class as formgrader shows them, with the marks that they have."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import MissingEntry
from nbgrader.utils import is_grade, is_solution

from autograder.common.cell import grade_id
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.grading import hand_marks
from autograder.marking.gradebook_marks import Given, Place, Row, read
from autograder.notebooks.pictures import Attachments


@dataclass(frozen=True)
class Question:
    """A cell of the released notebook that a person marks.

    released: the text that a student finds in it. asked: Markdown of the cell above it.
    """

    name: str
    points: float
    released: str
    asked: str


@dataclass(frozen=True)
class Answer:
    """A student's answer. digest: of what a person looks at to mark it.

    given: by a person so far. waiting: for a person, who has not marked it since it changed.
    """

    question: str
    student: str
    source: str
    attachments: Attachments
    digest: str
    given: Given
    waiting: bool


@dataclass(frozen=True)
class Written:
    """A chapter's questions in their order, and the answers, sorted by student.

    unread: students whose graded notebook is not where the gradebook says that there is one.
    """

    questions: dict[str, Question]
    answers: list[Answer] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def collect(course: Course, chapter: str, students: Collection[str] | None = None) -> Written:
    """Collect the answers of some students, or of all who were graded; changes nothing.

    Raises CourseError where nobody was graded, or a chapter asks for no written answer.
    """
    asked = questions(course, chapter)
    if not asked:
        raise CourseError(f"{chapter} asks for no written answer, so there is nothing to mark.")
    marks = _marks(course, chapter, asked)
    if not marks:
        raise CourseError(f"Nobody is graded in {chapter}; grade first: attn grade {chapter}")
    written = Written(asked)
    for student in sorted({student for _, student in marks}):
        if students is not None and student not in students:
            continue
        path = _graded(course, chapter, student)
        if path.is_file():
            written.answers.extend(_of_student(path, student, asked, marks))
        else:
            written.unread.append(student)
    return written


def questions(course: Course, chapter: str) -> dict[str, Question]:
    """Return what a person marks in a chapter, by name, in the order of the released notebook."""
    cells = course.released(chapter).cells
    return {
        grade_id(cell): Question(
            grade_id(cell), cell.metadata.nbgrader.points, cell.source, _above(cells, place)
        )
        for place, cell in enumerate(cells)
        if is_grade(cell) and is_solution(cell)
    }


def _above(cells: list[NotebookNode], place: int) -> str:
    before = cells[place - 1] if place else None
    return before.source if before is not None and before.cell_type == "markdown" else ""


def _marks(course: Course, chapter: str, asked: Collection[str]) -> dict[Place, Row]:
    if not course.has_gradebook:
        return {}
    with course.gradebook() as book:
        try:
            return read(book, chapter, asked)
        except MissingEntry:  # nobody was graded yet
            return {}


def _graded(course: Course, chapter: str, student: str) -> Path:
    folder = course.folder(course.directory.autograded_directory, chapter, student)
    return folder / f"{chapter}.ipynb"


def _of_student(
    path: Path, student: str, asked: Collection[str], marks: dict[Place, Row]
) -> Iterator[Answer]:
    notebook: Any = nbformat.read(path, as_version=4)
    own = {name: marks[name, student] for name in asked if (name, student) in marks}
    digests = hand_marks.digests(notebook, {name: row.auto for name, row in own.items()})
    for cell in notebook.cells:
        name = grade_id(cell)
        if name in own and is_solution(cell):
            row = own[name]
            pictures = cell.get("attachments", {})
            seen = cell.source, pictures, digests[name]
            yield Answer(name, student, *seen, row.given, row.waiting)
