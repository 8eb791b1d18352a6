"""Marks as a learning platform imports them, for `nbgrader export --exporter`.

Canvas (its `lib/gradebook_importer.rb`) wants the five columns below in that order, then one for
each assignment, and a row of points possible. Moodle (https://docs.moodle.org/405/en/Grade_import)
takes any columns: the teacher says which is which.
"""

from collections.abc import Iterator
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from autograder.plugins.marks_export import MarksExport, counted

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = ("First name", "Last name", "Username", "Email address")


class CanvasExport(MarksExport):
    """For Canvas: Grades > Import. The roster's `lms_user_id` is Canvas's ID, `id` the login."""

    name = "canvas.csv"

    def rows(
        self, gradebook: Gradebook, assignments: list[Any], students: list[Any]
    ) -> Iterator[list[Any]]:
        """Names of columns, points possible, then a line for each student."""
        yield [*CANVAS, *(assignment.name for assignment in assignments)]
        yield ["    Points Possible", "", "", "", "", *(a.max_score for a in assignments)]
        for student in students:
            name = f"{student.last_name or ''}, {student.first_name or ''}".strip(", ")
            yield [
                name or student.id,
                student.lms_user_id,
                "",
                student.id,
                "",
                *(_score(gradebook, assignment, student) for assignment in assignments),
            ]


class MoodleExport(MarksExport):
    """For Moodle: Grades > Import > CSV file, where the user is mapped by e-mail or username."""

    name = "moodle.csv"

    def rows(
        self, gradebook: Gradebook, assignments: list[Any], students: list[Any]
    ) -> Iterator[list[Any]]:
        """Names of columns, then a line for each student."""
        yield [*MOODLE, *(f"Assignment: {assignment.name}" for assignment in assignments)]
        for student in students:
            yield [
                student.first_name,
                student.last_name,
                student.id,
                student.email,
                *(_score(gradebook, assignment, student) for assignment in assignments),
            ]


def _score(gradebook: Gradebook, assignment: Any, student: Any) -> float | str:
    """Return what counts, late penalty taken off; empty for who handed nothing in: no zero yet."""
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return ""
    if not submission.notebooks:  # there for an extension alone
        return ""
    return counted(submission.score, submission.late_submission_penalty)
