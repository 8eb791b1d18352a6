"""Penalties for being late, worked out by nbgrader's plugin from what the gradebook has."""

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from nbgrader.api import Grade, Gradebook, MissingEntry, SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import bindparam, func, select, update
from traitlets.config import Config

LAST_BIT = 1e-6  # points; two sums of the same marks differ by less
DAY_SECONDS = 24 * 60 * 60


@dataclass(frozen=True)
class Penalty:
    """One student's loss for being late: before, as the gradebook has it, and now.

    key: of the student's notebook there. score: without the penalty. graded: something has a mark.
    handed_in: in UTC, None where it is not known. seconds_late: after the student's own due date;
    negative is early.
    """

    student: str
    key: str
    score: float
    graded: bool
    handed_in: datetime | None
    seconds_late: float
    before: float | None
    now: float | None

    @property
    def changed(self) -> bool:
        """Tell whether it is not what the gradebook has."""
        return abs((self.now or 0.0) - (self.before or 0.0)) > LAST_BIT


class Penalties:
    """The penalties of a chapter's notebook in an open gradebook; cells: ids of what has points."""

    def __init__(self, config: Config, db: Any, notebook: str, cells: Collection[str]):
        self._db, self._notebook, self._cells = db, notebook, cells
        self._late = AssignLatePenalties(config=config)
        self._late.init_plugin()

    def work_out(self, due: datetime | None, students: Iterable[str] | None) -> Iterator[Penalty]:
        """Yield the penalties of some students, or of all that have a mark; changes nothing."""
        for student, key, came, extension, before, score, marks in self._db.execute(
            self._query(students)
        ):
            late = _seconds(due, extension, came)
            now = self._penalty(student, float(score), late)
            yield Penalty(student, key, float(score), marks > 0, came, late, before, now)

    def _penalty(self, student: str, score: float, late: float) -> float | None:
        """Ask nbgrader's plugin as nbgrader does, and keep the answer within the score."""
        if late <= 0:
            return None
        penalty = self._late.plugin_inst.late_submission_penalty(student, score, late)
        return None if penalty is None else min(max(penalty, 0.0), score)

    def _query(self, students: Iterable[str] | None) -> Any:
        of, own = SubmittedAssignment, SubmittedNotebook
        columns = (of.student_id, own.id, of.timestamp, of.extension, own.late_submission_penalty)
        score = func.coalesce(Grade.manual_score, Grade.auto_score)
        total = func.sum(func.coalesce(score, 0.0) + func.coalesce(Grade.extra_credit, 0.0))
        query = select(*columns, total, func.count(score)).join(own, own.assignment_id == of.id)
        query = query.join(Grade, Grade.notebook_id == own.id)
        query = query.where(own.notebook_id == self._notebook, Grade.cell_id.in_(self._cells))
        if students is not None:
            query = query.where(of.student_id.in_(students))
        return query.group_by(*columns).order_by(of.student_id)


def _seconds(
    due: datetime | None, extension: timedelta | None, handed_in: datetime | None
) -> float:
    if due is None or handed_in is None:
        return 0.0
    return (handed_in - due - (extension or timedelta())).total_seconds()


def charge(db: Any, penalties: Collection[Penalty]) -> None:
    """Put what students lose for being late into the gradebook; does not commit."""
    table = SubmittedNotebook.__table__
    if penalties:
        db.execute(
            update(table).where(table.c.id == bindparam("key")),
            [{"key": penalty.key, "late_submission_penalty": penalty.now} for penalty in penalties],
        )


def settle(
    config: Config, book: Gradebook, chapter: str, students: Iterable[str] | None = None
) -> list[Penalty]:
    """Have the gradebook take off what being late costs with the marks and dates it has now.

    Marks are given by hand, and due dates are moved, long after a submission was graded. Returns
    the penalties that were different before. config: nbgrader's, which names its plugin.
    """
    try:
        assignment = book.find_assignment(chapter)
    except MissingEntry:
        return []
    changed = []
    for notebook in assignment.notebooks:
        cells = [cell.id for cell in notebook.grade_cells]
        found = Penalties(config, book.db, notebook.id, cells)
        changed += [p for p in found.work_out(assignment.duedate, students) if p.changed]
    if changed:
        charge(book.db, changed)
        book.db.commit()
    return changed


def lateness(seconds: float) -> str:
    """Say "30 hours late, on day 2" or "on time". A day counts as soon as it has begun."""
    if seconds <= 0:
        return "on time"
    hours, day = math.ceil(seconds / 360) / 10, math.ceil(seconds / DAY_SECONDS)
    return f"{hours:g} hour{'' if hours == 1 else 's'} late, on day {day}"


def in_words(penalty: Penalty) -> str:
    """Say in a sentence what was taken off and is now."""
    before, now = (f"{round(number or 0.0, 2):g}" for number in (penalty.before, penalty.now))
    return f"{penalty.student} lost {before} for being late, and now loses {now}."
