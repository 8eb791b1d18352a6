"""What the gradebook has for written answers: read for the page, written from its saved files."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from nbgrader.api import Comment, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook, new_uuid
from sqlalchemy import bindparam, insert, select, update

from autograder.course.course import Course
from autograder.course.nbgrader_errors import patiently
from autograder.grading.penalties import Penalty, settle

Place = tuple[str, str]  # an answer: the name of its question, and its student


@dataclass(frozen=True)
class Given:
    """What a person gives for an answer: points, None for none yet, and a comment, "" for none."""

    points: float | None
    comment: str


class Row(NamedTuple):
    """One answer in the gradebook. auto: its points without a person. waiting: for a person."""

    auto: float | None
    given: Given
    waiting: bool


def read(book: Gradebook, chapter: str, questions: Collection[str]) -> dict[Place, Row]:
    """Return what the gradebook has for the answers to these questions, of all students."""
    comments = dict(_rows(book, chapter, Comment, questions))
    found = {}
    for place, grade in _rows(book, chapter, Grade, questions):
        comment = comments[place].manual_comment if place in comments else None
        given = Given(grade.manual_score, comment or "")
        waiting = grade.needs_manual_grade or given.points is grade.auto_score is None
        found[place] = Row(grade.auto_score, given, bool(waiting))
    return found


def _rows(
    book: Gradebook, chapter: str, table: Any, questions: Collection[str]
) -> Iterator[tuple[Place, Any]]:
    """Rows of `Grade` or `Comment`, which are of cells of one name but of different kinds."""
    notebook = book.find_notebook(chapter, chapter)
    cells = notebook.grade_cells if table is Grade else notebook.solution_cells
    names = {cell.id: cell.name for cell in cells if cell.name in questions}
    rows = (
        select(SubmittedAssignment.student_id, table)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(table, table.notebook_id == SubmittedNotebook.id)
        .where(table.cell_id.in_(names), SubmittedNotebook.notebook_id == notebook.id)
    )
    for student, row in book.db.execute(rows):
        yield (names[row.cell_id], student), row


def write(course: Course, chapter: str, marks: dict[Place, Given]) -> list[Penalty]:
    """Write marks and comments in one transaction; nothing else in the gradebook changes.

    What being late costs follows the marks. Returns the penalties that are different now.
    """
    with course.gradebook() as book:
        act = partial(_write, course, book, chapter, marks)
        return patiently(course.directory.db_url, act)


def _write(
    course: Course, book: Gradebook, chapter: str, marks: dict[Place, Given]
) -> list[Penalty]:
    try:
        _save(book, chapter, marks)
        changed = settle(course.config, book, chapter, {student for _, student in marks})
        book.db.commit()
    except BaseException:
        book.db.rollback()
        raise
    return changed


def _save(book: Gradebook, chapter: str, marks: dict[Place, Given]) -> None:
    questions = {question for question, _ in marks}
    rows = dict(_rows(book, chapter, Grade, questions))
    points = [
        {"key": rows[place].id, "manual_score": given.points, "needs_manual_grade": False}
        for place, given in marks.items()
    ]
    _change(book, Grade, points)
    known = dict(_rows(book, chapter, Comment, questions))
    said = {place: given.comment or None for place, given in marks.items()}
    old = [
        {"key": known[place].id, "manual_comment": text}
        for place, text in said.items()
        if place in known
    ]
    _change(book, Comment, old)
    new = {place: text for place, text in said.items() if text and place not in known}
    _add_comments(book, chapter, rows, new)


def _add_comments(
    book: Gradebook, chapter: str, grades: dict[Place, Any], new: dict[Place, str]
) -> None:
    solutions = book.find_notebook(chapter, chapter).solution_cells
    cells = {cell.name: cell.id for cell in solutions}
    rows = [
        {
            "id": new_uuid(),
            "notebook_id": grades[place].notebook_id,
            "cell_id": cells[place[0]],
            "manual_comment": text,
        }
        for place, text in new.items()
    ]
    if rows:
        book.db.execute(insert(Comment.__table__), rows)


def _change(book: Gradebook, table: Any, rows: Iterable[dict[str, Any]]) -> None:
    columns = table.__table__
    if rows:
        book.db.execute(update(columns).where(columns.c.id == bindparam("key")), rows)
