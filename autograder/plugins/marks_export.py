"""Marks as a table, for `nbgrader export`: who is in it, and what is said before it is written."""

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    MissingEntry,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.plugins import ExportPlugin
from sqlalchemy import and_, func, select
from traitlets import Bool, Unicode

from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.opening import refuse
from autograder.course.roster import is_enrolled
from autograder.course.sections import students_of
from autograder.grading.penalties import in_words, settle
from autograder.showing.display import agreed
from autograder.showing.wording import printable, visible

FIELDS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)
NOTHING = (
    "Nothing was exported. Mark them in formgrader; or export these marks with "
    "--MarksExport.yes=True."
)
# What a person has yet to do: where that is, what it is called, and what is said of it.
NEVER = and_(Grade.auto_score.is_(None), Grade.manual_score.is_(None))
AGAIN = and_(Grade.manual_score.is_not(None), Grade.needs_manual_grade)
TO_MARK = (
    (NEVER, "written answer", "%s: %s of %s not marked yet; that counts nothing in these marks."),
    (AGAIN, "answer", "%s: %s of %s changed after being marked; the points from before count."),
)


class MarksExport(ExportPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """A CSV file of marks; no field of it is a formula for a spreadsheet.

    Who is not in the roster is left out and named. Where a person has yet to mark an answer, or to
    mark it again, that is said, and somebody at a terminal is asked.
    """

    name = "grades.csv"  # of the file, unless `--to` gives one
    yes = Bool(
        False,
        help="Do not ask before marks are exported without those of written answers "
        "that nobody has marked yet.",
    ).tag(config=True)
    section = Unicode(
        "", help="Export only the students in this section of the roster, by its name."
    ).tag(config=True)

    def __init__(self, **how: Any):
        """Ends the command that it is part of where the gradebook, opened next, cannot be used."""
        super().__init__(**how)
        try:
            if self.parent:
                refuse(self.parent.coursedir.db_url)
        except CourseError as error:
            self.parent.fail("Nothing was exported. %s", printable(str(error)))

    def export(self, gradebook: Gradebook) -> None:
        """Write the file, or end with exit code 1 if the teacher does not want it now."""
        assignments = chosen(gradebook.assignments, "name", self.assignment)
        students = self._in_section(self._enrolled(gradebook))
        self._settle(gradebook, assignments)
        if not self._agreed(gradebook, assignments, students):
            self.log.warning(NOTHING)
            raise SystemExit(1)
        with Path(self.to or self.name).open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            for row in self.rows(gradebook, assignments, students):
                table.writerow([harmless(value) for value in row])

    def rows(
        self, gradebook: Gradebook, assignments: list[Any], students: list[Any]
    ) -> Iterator[list[Any]]:
        """Return the lines of the table, the first with the names of its columns."""
        raise NotImplementedError

    def _enrolled(self, gradebook: Gradebook) -> list[Any]:
        """Grading adds whoever handed in, by an id alone; a roster has more of each student."""
        everybody = list(gradebook.students)
        roster = [student for student in everybody if is_enrolled(student)]
        if self.student or not roster:
            return chosen(everybody, "id", self.student)
        strangers = ", ".join(printable(one.id) for one in everybody if not is_enrolled(one))
        if strangers:
            self.log.warning("Not exported, since the roster does not have them: %s.", strangers)
        return roster

    def _in_section(self, students: list[Any]) -> list[Any]:
        """Leave out who is not in the section that was asked for; end where there is none."""
        if not self.section:
            return students
        try:
            chosen = students_of(Course(Path(self.parent.coursedir.root)), self.section)
        except CourseError as error:
            self.parent.fail("Nothing was exported. %s", printable(str(error)))
        return [student for student in students if student.id in chosen]

    def _settle(self, gradebook: Gradebook, assignments: list[Any]) -> None:
        """A mark given by hand, or another date, changes what is taken off for being late."""
        for assignment in assignments:
            for one in settle(self.config, gradebook, assignment.name):
                self.log.warning("%s: %s", assignment.name, printable(in_words(one)))

    def _agreed(self, gradebook: Gradebook, assignments: list[Any], students: list[Any]) -> bool:
        waiting = False
        for of, name, sentence in TO_MARK:
            for assignment, answers, owners in _count(gradebook, of, assignments, students):
                self.log.warning(
                    sentence, assignment, _number(answers, name), _number(owners, "student")
                )
                waiting = True
        return not waiting or self.yes or not sys.stdin.isatty() or agreed("Export these marks?")


class CsvExport(MarksExport):
    """nbgrader's own table, with every field quoted as it needs to be."""

    def rows(
        self, gradebook: Gradebook, assignments: list[Any], students: list[Any]
    ) -> Iterator[list[Any]]:
        """Yield a line for each student and assignment; without a submission it has a zero."""
        yield list(FIELDS)
        for assignment, student in product(assignments, students):
            yield _row(gradebook, assignment, student)


def chosen(entries: Iterable[Any], key: str, names: list[Any]) -> list[Any]:
    """Return those that `--assignment` or `--student` names; all of them without that option."""
    wanted = {str(name) for name in names}
    return [entry for entry in entries if not wanted or getattr(entry, key) in wanted]


def _count(
    gradebook: Gradebook, of: Any, assignments: list[Any], students: list[Any]
) -> Iterator[tuple[str, int, int]]:
    """Assignment, number of answers for which `of` holds, and of the students who gave them."""
    owner = SubmittedAssignment.student_id
    query = (
        select(
            Assignment.name,
            func.count(Grade.id).label("answers"),
            func.count(owner.distinct()).label("students"),
        )
        .select_from(Grade)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .where(of)
        .where(Assignment.name.in_([assignment.name for assignment in assignments]))
        .where(owner.in_([student.id for student in students]))
        .group_by(Assignment.name)
        .order_by(Assignment.name)
    )
    for row in gradebook.db.execute(query):
        yield row.name, row.answers, row.students


def _number(count: int, of: str) -> str:
    return f"{count} {of}{'' if count == 1 else 's'}"


def _row(gradebook: Gradebook, assignment: Any, student: Any) -> list[Any]:
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
        timestamp, raw = submission.timestamp, submission.score
        penalty = submission.late_submission_penalty
    except MissingEntry:
        timestamp, raw, penalty = None, 0.0, 0.0
    return [
        assignment.name,
        assignment.duedate,
        timestamp,
        student.id,
        student.last_name,
        student.first_name,
        student.email,
        round(raw, 2),
        round(penalty or 0.0, 2),
        counted(raw, penalty),
        round(assignment.max_score, 2),
    ]


def counted(score: float, penalty: float | None) -> float:
    """Return the mark: the score less the late penalty, with no digit that comes of adding."""
    return round(max(0.0, score - (penalty or 0.0)), 2)


NAMES = ("student", "first_name", "last_name", "notebook_path")
FORMULA = re.compile(r"(^|[;,|])(\s*)(?=[=+\-@＝＋－＠])")


class ShowAsText(Preprocessor):
    """Names and code as text: formgrader puts names into its page as they are."""

    enabled = Bool(True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        for name in NAMES:
            if isinstance(resources.get(name), str):
                resources[name] = escape(visible(resources[name]))
        for cell in nb.cells:
            if cell.cell_type == "code":  # what turns text around can hide what the code does
                cell.source = visible(cell.source, keep="\n\t")
        return nb, resources


def harmless(value: Any) -> Any:
    """Return a field of a table, which no spreadsheet takes for a formula."""
    return FORMULA.sub(r"\1'\2", printable(value)) if isinstance(value, str) else value
