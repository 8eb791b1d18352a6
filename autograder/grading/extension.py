"""More time for one student: an extension in nbgrader's gradebook, and what it does to the mark."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from autograder.chapters import solutions
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.dates import YEARS, in_words
from autograder.course.roster import Roster, roster
from autograder.grading.gradebook import Marks
from autograder.grading.noted_dates import due_date
from autograder.grading.penalties import Penalty

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
        raise CourseError(
            f"{chapter} has no due date, so that nobody is late. {SET.format(chapter)}"
        )
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
