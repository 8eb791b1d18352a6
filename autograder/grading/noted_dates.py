"""The gradebook's dates of a chapter: when it is due, and when who handed in."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, MissingEntry, SubmittedAssignment
from sqlalchemy import select, update

from autograder.course.course import Course
from autograder.course.dates import Dates


@dataclass(frozen=True)
class Noted:
    """The dates that the gradebook has now, in UTC.

    unread: how to correct it, by students whose date is not understood; they have none there.
    kept: by students with whose work no date came, the one that is there since an earlier time.
    """

    due: datetime | None
    unread: Mapping[str, str]
    kept: Mapping[str, datetime]


def note(course: Course, chapter: str, submissions: dict[str, Path]) -> Noted:
    """Have the gradebook say of these students' work what their dates are now.

    A date may have been corrected since the notebook was graded, which is not graded again for it.
    """
    dates = Dates(course, chapter)
    unread = dates.unread(submissions)
    now = {student: dates.of(student, path) for student, path in submissions.items()}
    if not course.has_gradebook:
        return Noted(None, unread, {})
    with course.gradebook() as book:
        known = _known(book, chapter, submissions)
        for student, key, before in known:
            if now[student] != before and (now[student] or student in unread):
                one = update(SubmittedAssignment.__table__).filter_by(id=key)
                book.db.execute(one.values(timestamp=now[student]))
        book.db.commit()
    kept = {
        student: before
        for student, _, before in known
        if before and not now[student] and student not in unread
    }
    return Noted(due_date(course, chapter), unread, kept)


def due_date(course: Course, chapter: str) -> datetime | None:
    """In UTC; None where there is none. No gradebook is made to find out."""
    if not course.has_gradebook:
        return None
    with course.gradebook() as book:
        try:
            due: datetime | None = book.find_assignment(chapter).duedate
        except MissingEntry:
            return None
        return due


def _known(
    book: Any, chapter: str, students: Mapping[str, Any]
) -> list[tuple[str, str, datetime | None]]:
    """Return of each submission of these students the student, its id there, and its date."""
    of = SubmittedAssignment
    query = select(of.student_id, of.id, of.timestamp).join(of.assignment)
    rows = book.db.execute(query.where(Assignment.name == chapter))
    return [tuple(row) for row in rows if row.student_id in students]
