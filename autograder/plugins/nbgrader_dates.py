"""Dates in nbgrader, and what being late costs.

Its commands and formgrader read dates whole, with their time zone, or not at all.
"""

import math
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.apps.dbapp import DbAssignmentAddApp, DbAssignmentImportApp, DbBaseApp
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.server_extensions.formgrader.apihandlers import AssignmentHandler
from tornado.web import HTTPError
from traitlets import Float

from autograder.course.dates import EXAMPLES, STAMP, WHOLE, moment, stamp
from autograder.grading.penalties import DAY_SECONDS
from autograder.showing.wording import printable

update_or_create, put = Gradebook.update_or_create_assignment, AssignmentHandler.put
add, take_in = DbAssignmentAddApp.start, DbAssignmentImportApp.start


class NotADueDate(ValueError):
    """A due date is none; the message says how to write it."""


def read_dates_whole() -> None:
    """From now on, in a process that is nbgrader's own."""
    CourseDirectory.get_existing_timestamp = _handed_in
    NbGraderAPI.get_submitted_timestamp = _handed_in_by
    Gradebook.update_or_create_assignment = _with_whole_due_date
    DbAssignmentAddApp.start = _ending_with_a_sentence(add)
    DbAssignmentImportApp.start = _ending_with_a_sentence(take_in)
    AssignmentHandler.put = _put


def _handed_in(self: CourseDirectory, dest_path: str) -> datetime | None:
    """Return the date in a student's folder."""
    own = stamp(Path(dest_path))
    if own and not own.when:
        said = own.correct(Path(dest_path, STAMP))
        self.log.warning("%s Until then nothing is taken off for being late.", printable(said))
    return own.when if own else None


def _handed_in_by(self: NbGraderAPI, assignment_id: str, student_id: str) -> datetime | None:
    directory = self.coursedir
    folder = directory.format_path(directory.submitted_directory, student_id, assignment_id)
    own = stamp(Path(folder).absolute())
    return own.when if own else None


def _with_whole_due_date(self: Gradebook, name: str, **values: Any) -> Any:
    """Make or change an assignment. Raises NotADueDate, and then neither."""
    if isinstance(due := values.get("duedate"), str):
        values["duedate"] = _whole(name, due)
    return update_or_create(self, name, **values)


def _whole(chapter: str, text: str) -> datetime:
    when = moment(text)
    if when is None:
        shown = printable(repr(text), 80)
        raise NotADueDate(
            f"{printable(chapter)} did not get {shown} as its due date, which cannot be read as "
            f"{WHOLE}. Write it like {EXAMPLES}."
        )
    return when


def _ending_with_a_sentence(start: Callable[[Any], None]) -> Callable[[Any], None]:
    def started(self: DbBaseApp) -> None:
        try:
            start(self)
        except NotADueDate as error:
            self.fail("%s", error)

    return started


def _put(self: AssignmentHandler, assignment_id: str) -> Any:
    """Do what formgrader does when a teacher has edited an assignment."""
    try:
        return put(self, assignment_id)
    except NotADueDate as error:
        raise HTTPError(400, "%s", error) from None


class PercentPerDay(LateSubmissionPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """A share of the score for each day that has begun since the due date and any extension."""

    percent = Float(10.0, min=0.0, max=100.0, help="Percent of the score that a day costs.").tag(
        config=True
    )

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float:
        """Points to take off, at most the score."""
        return min(score, score * self.percent / 100 * math.ceil(total_seconds_late / DAY_SECONDS))
