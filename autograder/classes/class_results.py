"""Grading leaves verdicts in the journal, marks and dates in the gradebook; here they are read.

Nothing is graded here, and no mark is changed.
"""

import hashlib
import hmac
from base64 import b32encode
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from nbgrader.api import Assignment, Grade, MissingEntry, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import case, func, select

from autograder.chapters import solutions
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.roster import Roster, roster
from autograder.grading.journal import Journal, intact
from autograder.grading.results import Row
from autograder.judging.verdict import NOT_WRITTEN
from autograder.notebooks.chapter import Chapter

WITHHELD = "What was said is left out here, since it may hold a name."


@dataclass(frozen=True)
class Member:
    """One student of the class.

    rows: of the journal, one for each exercise; none where there is no verdict yet.
    notes: on how the notebook was read. score: in the gradebook, after the penalty for lateness.
    waits: how many answers wait for a person. submitted, due: in UTC, None where not known;
    the due date is the student's own, with any extension.
    """

    student: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    score: float | None = None
    penalty: float = 0.0
    waits: int = 0
    submitted: datetime | None = None
    due: datetime | None = None


@dataclass(frozen=True)
class ClassResults:
    """A class and its chapter. passed_over: sentences on folders in which nothing was graded.

    graded_until: when the newest verdict was written, in UTC. roster: what students are called.
    absent: who is in the roster and handed in nothing. strangers: who handed in and is not in it.
    section: whose results these are, "" for the whole class.
    """

    chapter: Chapter
    members: list[Member]
    max_score: float
    passed_over: list[str]
    graded_until: datetime
    anonymous: bool = False
    roster: Roster = field(default_factory=Roster)
    absent: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    section: str = ""

    @property
    def whom(self) -> str:
        """Whose results these are."""
        return f"section {self.section}" if self.section else "the class"

    def named(self, student: str) -> str:
        """Name and id, or the one of them that is known."""
        return self.roster.named(student)


def read_class(course: Course, name: str) -> ClassResults:
    """Return the state of grading. Raises CourseError where nothing was handed in or graded."""
    chapter = solutions.load(course.root, name)
    students = sorted(course.submissions(name))
    path = course.journal(name)
    journal = intact(path)
    if not any(student in journal for student in students):
        raise CourseError(f"Nothing of {name} has been graded yet; do it with: attn grade {name}")
    marks, highest = _marks(course, name)
    members = [_member(student, journal, marks.get(student)) for student in students]
    until = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    known = roster(course)
    return ClassResults(
        chapter,
        members,
        highest,
        course.passed_over(name),
        until,
        roster=known,
        absent=known.absent(students),
        strangers=known.strangers(students),
    )


def of_section(results: ClassResults, section: str, students: Collection[str]) -> ClassResults:
    """Return the results of a section's students alone; section: its name.

    Raises CourseError where nobody in it handed in.
    """
    members = [member for member in results.members if member.student in students]
    if not members:
        raise CourseError(f"Nobody in section {section} handed in {results.chapter.name}.")
    return replace(
        results,
        members=members,
        passed_over=[],
        absent=[student for student in results.absent if student in students],
        strangers=[student for student in results.strangers if student in students],
        section=section,
    )


def without_names(results: ClassResults, secret: str) -> ClassResults:
    """Return the class under pseudonyms, in their order, and without any text that may hold a name.

    With the same secret a student has the same pseudonym in every report.
    """
    members = [_without_name(member, secret) for member in results.members]
    left = len(results.passed_over)
    return replace(
        results,
        members=sorted(members, key=lambda member: member.student),
        passed_over=[f"Ignored in the folder of submissions: {left}."] if left else [],
        anonymous=True,
        roster=Roster(),
        absent=sorted(pseudonym(student, secret) for student in results.absent),
        strangers=sorted(pseudonym(student, secret) for student in results.strangers),
    )


def pseudonym(student: str, secret: str) -> str:
    """Return "k7qx-3mfa", say, which tells nothing of the name without the secret."""
    digest = hmac.digest(secret.encode(), b"pseudonym of " + student.encode(), hashlib.sha256)
    letters = b32encode(digest).decode().lower()
    return f"{letters[:4]}-{letters[4:8]}"


def _without_name(member: Member, secret: str) -> Member:
    name = pseudonym(member.student, secret)
    rows = [row | {"student": name, "message": _harmless(row["message"])} for row in member.rows]
    return replace(member, student=name, rows=rows, notes=[WITHHELD for _ in member.notes])


def _harmless(message: str) -> str:
    return message if message == NOT_WRITTEN else WITHHELD


def _member(student: str, journal: Journal, mark: "_Mark | None") -> Member:
    if student not in journal:
        return Member(student)
    entry = journal.entry(student)
    known = vars(mark) if mark else {}
    return Member(student, entry["rows"], entry["notes"], **known)


@dataclass(frozen=True)
class _Mark:
    """A submission as the gradebook knows it; see Member."""

    score: float
    penalty: float
    waits: int
    submitted: datetime | None
    due: datetime | None


def _marks(course: Course, name: str) -> tuple[dict[str, _Mark], float]:
    """Return the marks by student, and the highest possible score."""
    with course.gradebook() as book:
        try:
            highest = float(book.find_assignment(name).max_score)
        except MissingEntry:
            return {}, 0.0
        scores = {key: (score, waits) for key, score, waits in book.db.execute(_scores(name))}
        marks = {}
        for key, student, submitted, extension, due, penalty in book.db.execute(_dates(name)):
            score, waits = scores.get(key, (0.0, 0))
            own = due + extension if due and extension else due
            marks[student] = _Mark(max(0.0, score - penalty), penalty, waits or 0, submitted, own)
        return marks, highest


def _scores(name: str) -> Any:
    """Query for each submission: key, sum of its scores, how many answers wait for a person.

    nbgrader's own `submission_dicts` takes time that grows with the square of the class.
    """
    waits = func.sum(case((Grade.needs_manual_grade, 1), else_=0))
    query = select(SubmittedNotebook.assignment_id, func.sum(Grade.score), waits)
    query = query.join(Grade, Grade.notebook_id == SubmittedNotebook.id)
    query = query.join(SubmittedNotebook.assignment).join(SubmittedAssignment.assignment)
    return query.where(Assignment.name == name).group_by(SubmittedNotebook.assignment_id)


def _dates(name: str) -> Any:
    """Query for each submission: key, student, when it came, extension, due date, penalty."""
    penalty = func.sum(func.coalesce(SubmittedNotebook.late_submission_penalty, 0.0))
    columns = (
        SubmittedAssignment.id,
        SubmittedAssignment.student_id,
        SubmittedAssignment.timestamp,
        SubmittedAssignment.extension,
        Assignment.duedate,
    )
    query = select(*columns, penalty).join(SubmittedNotebook.assignment)
    query = query.join(SubmittedAssignment.assignment)
    return query.where(Assignment.name == name).group_by(*columns)
