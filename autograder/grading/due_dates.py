"""The gradebook's dates: when a chapter is due, for one student too, and who handed in when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, MissingEntry, SubmittedAssignment
from sqlalchemy import select, update

from autograder.chapters import solutions
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.dates import YEARS, Dates, in_words
from autograder.course.roster import Roster, roster
from autograder.grading.gradebook import Marks
from autograder.grading.penalties import Penalty


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
    """Return it in UTC; None where there is none. No gradebook is made to find out."""
    if not course.has_gradebook:
        return None
    with course.gradebook() as book:
        try:
            due: datetime | None = book.find_assignment(chapter).duedate
        except MissingEntry:
            return None
        return due


def extensions(course: Course, chapter: str) -> dict[str, timedelta]:
    """Return by student what was granted; no gradebook is made to find out."""
    if not course.has_gradebook:
        return {}
    of = SubmittedAssignment
    query = select(of.student_id, of.extension).join(of.assignment)
    query = query.where(Assignment.name == chapter, of.extension.is_not(None))
    with course.gradebook() as book:
        return {row.student_id: row.extension for row in book.db.execute(query)}


def _known(
    book: Any, chapter: str, students: Mapping[str, Any]
) -> list[tuple[str, str, datetime | None]]:
    """Return of each submission of these students the student, its id there, and its date."""
    of = SubmittedAssignment
    query = select(of.student_id, of.id, of.timestamp).join(of.assignment)
    rows = book.db.execute(query.where(Assignment.name == chapter))
    return [tuple(row) for row in rows if row.student_id in students]


SET = 'Set one first: nbgrader db assignment add {} --duedate="2026-03-02 12:00 UTC"'


@dataclass(frozen=True)
class Extension:
    """An extension that was granted. who: name and id. due: the student's own due date, in UTC.

    penalty: what being late costs the student; None while nothing of theirs is known.
    """

    who: str
    chapter: str
    days: int
    due: datetime
    penalty: Penalty | None


def extend(course: Course, chapter: str, student: str, days: int) -> Extension:
    """Grant a student so many days after the due date, instead of what was granted before.

    Nothing is run: the penalty for being late is worked out anew from the marks that are there.
    Raises CourseError for what is not known, and where the chapter has no due date.
    """
    solutions.load(course.root, chapter)
    known = roster(course)
    _refuse_unknown(course, chapter, student, known)
    due = _due(course, chapter) + timedelta(days=days)
    with Marks(course, chapter) as marks:
        penalties = marks.extend(student, timedelta(days=days))
    return Extension(known.named(student), chapter, days, due, next(iter(penalties), None))


def _refuse_unknown(course: Course, chapter: str, student: str, known: Roster) -> None:
    handed_in = course.handed_in(chapter)
    if student not in known.names and student not in handed_in:
        raise CourseError(f"{known.unknown(student, handed_in)} No extension was granted.")


def _due(course: Course, chapter: str) -> datetime:
    due = due_date(course, chapter)
    if due is None:
        raise CourseError(f"{chapter} has no due date, so nobody is late. {SET.format(chapter)}")
    if due.year not in YEARS:
        raise CourseError(
            f"{chapter} is due on {in_words(due)}, which is no date of a course. "
            f"{SET.format(chapter)}"
        )
    return due


def make_whole(course: Course, chapter: str, student: str) -> None:
    """Give a submission that was made for an extension alone what `nbgrader autograde` expects.

    nbgrader makes notebooks and marks only together with the submission.
    """
    with course.gradebook() as book, book.db.no_autoflush:  # else SQLAlchemy warns of nbgrader
        submission = book.find_submission(chapter, student)
        if submission.notebooks:
            return
        known = {"extension": submission.extension, "timestamp": submission.timestamp}
        book.remove_submission(chapter, student)
        book.add_submission(chapter, student, **{key: v for key, v in known.items() if v})
