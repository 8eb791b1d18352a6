"""Marks as a learning platform imports them: `nbgrader export --exporter autograder.lms_export.…`.

Canvas (its `lib/gradebook_importer.rb`) wants the five columns below in that order, then one for
each assignment, and a row of points possible. Moodle (https://docs.moodle.org/405/en/Grade_import)
takes any columns: the teacher says which is which.
"""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from autograder.lms.export import chosen, harmless

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = ("First name", "Last name", "Username", "Email address")


class CanvasExport(ExportPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """For Canvas: Grades > Import. The roster's `lms_user_id` is Canvas's ID, `id` the login."""

    def export(self, gradebook: Gradebook) -> None:
        """Write `canvas.csv`, or the file that `--to` names."""
        assignments = chosen(gradebook.assignments, "name", self.assignment)
        possible = ["    Points Possible", "", "", "", "", *(a.max_score for a in assignments)]
        rows = (
            [f"{student.last_name or ''}, {student.first_name or ''}".strip(", ") or student.id,
             student.lms_user_id, "", student.id, "",
             *(_score(gradebook, assignment, student) for assignment in assignments)]
            for student in chosen(gradebook.students, "id", self.student)
        )  # fmt: skip
        header = [*CANVAS, *(assignment.name for assignment in assignments)]
        _write(self.to or "canvas.csv", [header, possible, *rows])


class MoodleExport(ExportPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """For Moodle: Grades > Import > CSV file, where the user is mapped by e-mail or username."""

    def export(self, gradebook: Gradebook) -> None:
        """Write `moodle.csv`, or the file that `--to` names."""
        assignments = chosen(gradebook.assignments, "name", self.assignment)
        rows = (
            [student.first_name, student.last_name, student.id, student.email,
             *(_score(gradebook, assignment, student) for assignment in assignments)]
            for student in chosen(gradebook.students, "id", self.student)
        )  # fmt: skip
        header = [*MOODLE, *(f"Assignment: {assignment.name}" for assignment in assignments)]
        _write(self.to or "moodle.csv", [header, *rows])


def _score(gradebook: Gradebook, assignment: Any, student: Any) -> float | str:
    """What counts, late penalty taken off; empty for who handed nothing in: that is no zero yet."""
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return ""
    if not submission.notebooks:  # there for an extension alone
        return ""
    return round(max(0.0, submission.score - (submission.late_submission_penalty or 0.0)), 2)


def _write(path: str, rows: Iterable[list[Any]]) -> None:
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        for row in rows:
            table.writerow([harmless(value) for value in row])
