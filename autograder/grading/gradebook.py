"""Marks into nbgrader's gradebook, exactly as `nbgrader autograde` would write them.

One trusted writer, one transaction for many students. The rows are written without nbgrader's
object layer, which loads and sums a class's marks again for every student.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    MissingEntry,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from sqlalchemy import bindparam, insert, or_, select, update

from autograder.course.course import Course
from autograder.course.nbgrader_errors import patiently
from autograder.grading import hand_marks
from autograder.grading.declared_cells import declare
from autograder.grading.penalties import Penalties, Penalty, charge

Values = Mapping[tuple[str, str], float | str | None]  # by notebook and name of a cell
Result = TypeVar("Result")


@dataclass(frozen=True)
class Submission:
    """Marks of one: scores and comments by grade_id. A score is None where a person gives it.

    answers: digests of what was marked, by grade_id.
    """

    student: str
    submitted: datetime | None
    scores: dict[str, float | None]
    comments: dict[str, str | None]
    answers: dict[str, str]


def scores(
    course: Course, chapter: str, student: str, cell: str
) -> tuple[float | None, float | None]:
    """Points of a student's cell as the gradebook has them: automatic, and given by a person."""
    with course.gradebook() as book:
        try:
            grade = book.find_grade(cell, chapter, chapter, student)
        except MissingEntry:
            return None, None
        return grade.auto_score, grade.manual_score


def students_with_marks(course: Course, chapter: str) -> set[str]:
    """Return who has a graded notebook of the chapter; no gradebook is made for this."""
    if not course.has_gradebook:
        return set()
    query = select(SubmittedAssignment.student_id).join(SubmittedNotebook.assignment)
    query = query.join(SubmittedAssignment.assignment).where(Assignment.name == chapter)
    with course.gradebook() as book:
        return set(book.db.scalars(query))


class Marks:
    """An open gradebook for one chapter. Use as a context manager."""

    def __init__(self, course: Course, chapter: str):
        self.course, self.chapter = course, chapter

    def __enter__(self) -> "Marks":
        with ExitStack() as opened:
            self._gradebook = opened.enter_context(self.course.gradebook())
            self._commit(self._prepare)
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)

    def _prepare(self) -> None:
        hand_marks.prepare(self._gradebook)
        self._declare()

    def write(self, entries: list[Submission]) -> None:
        """Save the marks of some students in one transaction; manual marks and comments stay.

        What is lost for being late is saved for whom the gradebook has no marks yet. With other
        students it may be another penalty than before: see `penalties` and `charge`.
        """
        db = self._gradebook.db
        self._commit(lambda: charge(db, self.penalties(self._save(entries))))

    def penalties(self, students: Iterable[str] | None = None) -> list[Penalty]:
        """Work out what some students, or all with a mark, lose for being late; changes nothing."""
        return list(self._penalties.work_out(self.due, students))

    def penalties_with(self, entries: list[Submission]) -> list[Penalty]:
        """Work out what all who have a mark would lose with these marks; changes nothing."""
        try:
            self._save(entries)
            return self.penalties()
        finally:
            self._gradebook.db.rollback()

    def charge(self, students: Collection[str]) -> None:
        """Save what some students lose for being late."""
        self._commit(lambda: charge(self._gradebook.db, self.penalties(students)))

    def extend(self, student: str, by: timedelta) -> list[Penalty]:
        """Give a student a later due date, and save what being late costs then; returns that.

        As `Gradebook.grant_extension` of nbgrader, but also for who has handed in nothing yet: that
        makes a submission without a notebook, which no mark or list of nbgrader's counts.
        """
        return self._commit(lambda: self._extend(student, by))

    def _extend(self, student: str, by: timedelta) -> list[Penalty]:
        empty = Submission(student, None, {}, {}, {})
        self._students([empty])
        (key,) = self._assignments([empty]).values()
        self._change(SubmittedAssignment, [{"key": key, "extension": by or None}])
        penalties = self.penalties([student])
        charge(self._gradebook.db, penalties)
        return penalties

    def _commit(self, act: Callable[[], Result]) -> Result:
        """Do all of `act` or nothing, and again while another program has the gradebook locked.

        Raises GradebookError for what is wrong with the gradebook, whoever's marks these are.
        """

        def once() -> Result:
            db = self._gradebook.db
            try:
                result = act()
                db.commit()
            except BaseException:
                db.rollback()
                raise
            return result

        return patiently(self.course.directory.db_url, once)

    def _save(self, entries: list[Submission]) -> Collection[str]:
        """Returns the students for whom the gradebook had no notebook before."""
        self._students(entries)
        known, new = self._notebooks(entries)
        keys = known | new
        of_cells = [(keys[entry.student], entry) for entry in entries]
        scores = {(key, cell): score for key, one in of_cells for cell, score in one.scores.items()}
        comments = {
            (key, cell): text for key, one in of_cells for cell, text in one.comments.items()
        }
        answers = {(key, cell): text for key, one in of_cells for cell, text in one.answers.items()}
        self._write(Grade, "auto_score", scores)
        self._write(Comment, "auto_comment", comments)
        self._ask_again(keys, answers)
        return new.keys()

    def _declare(self) -> None:
        book = self._gradebook
        assignment, notebook = declare(self.course, self.chapter, book)
        self.due, self._assignment, self._notebook = assignment.duedate, assignment.id, notebook.id
        # an answer that a person marks is two cells of one name: one to grade, one to comment on
        self._cells = {
            Grade: {cell.name: cell.id for cell in notebook.grade_cells},
            Comment: {cell.name: cell.id for cell in notebook.solution_cells},
        }
        self._penalties = Penalties(
            self.course.config, book.db, notebook.id, self._cells[Grade].values()
        )

    def _students(self, entries: list[Submission]) -> None:
        names = {entry.student for entry in entries}
        known = set(self._gradebook.db.scalars(select(Student.id).where(Student.id.in_(names))))
        self._add(Student, [{"id": name} for name in sorted(names - known)])

    def _notebooks(self, entries: list[Submission]) -> tuple[dict[str, str], dict[str, str]]:
        """Return the ids of the students' notebooks in the gradebook, and of those made now."""
        assignments = self._assignments(entries)
        owners = {key: student for student, key in assignments.items()}
        query = select(SubmittedNotebook.assignment_id, SubmittedNotebook.id)
        query = query.where(
            SubmittedNotebook.notebook_id == self._notebook,
            SubmittedNotebook.assignment_id.in_(owners),
        )
        known = {owners[assignment]: key for assignment, key in self._pairs(query)}
        new = {student: new_uuid() for student in assignments.keys() - known.keys()}
        rows = [
            {"id": key, "notebook_id": self._notebook, "assignment_id": assignments[student]}
            for student, key in new.items()
        ]
        self._add(SubmittedNotebook, rows)
        return known, new

    def _assignments(self, entries: list[Submission]) -> dict[str, str]:
        """Return the id of each student's submission, made where it is missing, with its date."""
        dates = {entry.student: entry.submitted for entry in entries}
        query = select(SubmittedAssignment.student_id, SubmittedAssignment.id)
        query = query.where(
            SubmittedAssignment.assignment_id == self._assignment,
            SubmittedAssignment.student_id.in_(dates),
        )
        known = dict(self._pairs(query))
        new = {student: new_uuid() for student in dates.keys() - known.keys()}
        same = {"assignment_id": self._assignment}
        rows = [
            {**same, "id": key, "student_id": student, "timestamp": dates[student]}
            for student, key in new.items()
        ]
        self._add(SubmittedAssignment, rows)
        dated = [(key, dates[student]) for student, key in known.items() if dates[student]]
        self._change(SubmittedAssignment, [{"key": key, "timestamp": at} for key, at in dated])
        return known | new

    def _write(self, table: Any, column: str, values: Values) -> None:
        """Put values into a column of `table`, which has a row for each notebook and cell."""
        query = select(table.notebook_id, table.cell_id, table.id)
        query = query.where(*self._of(table, {notebook for notebook, _ in values}))
        known = {(book, cell): key for book, cell, key in self._gradebook.db.execute(query)}
        new, old = [], []
        for (notebook, name), value in values.items():
            cell = self._cells[table][name]
            if (notebook, cell) in known:
                old.append({"key": known[notebook, cell], column: value})
            else:
                ids = {"id": new_uuid(), "notebook_id": notebook, "cell_id": cell}
                new.append({**ids, column: value})
        self._add(table, new)
        self._change(table, old)

    def _ask_again(self, notebooks: dict[str, str], answers: dict[hand_marks.Key, str]) -> None:
        """Let what has a manual score, or no score, wait for a person to look.

        Other than in nbgrader, what somebody has looked at and did not change does not wait.
        """
        of_these = self._of(Grade, notebooks.values())
        names = {cell: name for name, cell in self._cells[Grade].items()}
        done = hand_marks.unchanged_manual_marks(self._gradebook, of_these, names, answers)
        waiting = or_(Grade.manual_score.is_not(None), Grade.auto_score.is_(None))
        self._gradebook.db.execute(
            update(Grade)
            .where(*of_these, Grade.id.not_in(done))
            .values(needs_manual_grade=waiting),
            execution_options={"synchronize_session": False},
        )
        hand_marks.remember(self._gradebook, answers)

    def _of(self, table: Any, notebooks: Iterable[str]) -> tuple[Any, Any]:
        """Conditions for the rows of some notebooks, in the way that the index can answer."""
        return table.cell_id.in_(self._cells[table].values()), table.notebook_id.in_(notebooks)

    def _pairs(self, query: Any) -> Iterable[tuple[Any, Any]]:
        return [tuple(row) for row in self._gradebook.db.execute(query)]

    def _add(self, table: Any, rows: list[dict[str, Any]]) -> None:
        if rows:
            self._gradebook.db.execute(insert(table.__table__), rows)

    def _change(self, table: Any, rows: list[dict[str, Any]]) -> None:
        if rows:
            statement = update(table.__table__).where(table.__table__.c.id == bindparam("key"))
            self._gradebook.db.execute(statement, rows)
