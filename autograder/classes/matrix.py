"""Students by exercises: what each has of each, in a sign, a number and a few words."""

import re
from dataclasses import dataclass
from enum import StrEnum

from autograder.classes.class_results import ClassResults, Member
from autograder.classes.statistics import lost_groups
from autograder.diagnosis.diagnose import names
from autograder.grading.results import Row
from autograder.judging.verdict import NOT_WRITTEN, Kind

NO_VERDICT, NOTHING = "no verdict yet", "handed in nothing"


class State(StrEnum):
    """The state of a student's exercise. The template decides how it looks; see SIGNS."""

    PASSED = "passed"
    PARTLY = "partly"
    FAILED = "failed"
    MISSING = "missing"
    UNGRADED = "ungraded"


SIGNS = {
    State.PASSED: "✓",
    State.PARTLY: "◐",
    State.FAILED: "✗",
    State.MISSING: "○",
    State.UNGRADED: "–",
}


@dataclass(frozen=True)
class Cell:
    """One exercise of one student; why: what it failed by, "" where it passed."""

    state: State
    points: str = ""
    why: str = ""

    @property
    def sign(self) -> str:
        """Return a sign that says without a colour what became of it."""
        return SIGNS[self.state]


@dataclass(frozen=True)
class Line:
    """One student. cells: in the order of the exercises; none where `instead` says why not."""

    student: str
    cells: list[Cell]
    member: Member
    instead: str = ""


def lines(results: ClassResults) -> list[Line]:
    """Everybody who handed in or is in the roster, in the order of what they are called."""
    exercises = list(results.chapter.exercises)
    everybody = [_line(member, exercises) for member in results.members]
    everybody += [Line(student, [], Member(student), NOTHING) for student in results.absent]
    return sorted(everybody, key=lambda line: results.named(line.student).casefold())


def _line(member: Member, exercises: list[str]) -> Line:
    if not member.rows:
        return Line(member.student, [], member, NO_VERDICT)
    rows = {row["exercise"]: row for row in member.rows}
    return Line(member.student, [_cell(rows.get(name)) for name in exercises], member)


def _cell(row: Row | None) -> Cell:
    if row is None or row["points"] is None:
        return Cell(State.UNGRADED)
    if row["verdict"] == Kind.PASSED:
        return Cell(State.PASSED, f"{row['points']:g}")
    if row["verdict"] == Kind.MISSING:
        return Cell(State.MISSING, "0", "not written" if row["message"] == NOT_WRITTEN else "lost")
    earned = f"{row['points']:g} of {row['max_points']:g}"
    if row["points"]:
        return Cell(State.PARTLY, earned, ", ".join(lost_groups(row)) or _slip(row))
    return Cell(State.FAILED, "0", _slip(row))


def _slip(row: Row) -> str:
    """Return the misconceptions by their short names, else what kind of verdict it is."""
    return "; ".join(map(short, names(row["misconception"]))) or row["verdict"]


def short(name: str) -> str:
    """Return the name of a misconception as words: of `sums_columns` and of `SumsColumns`."""
    return re.sub(r"_|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).lower()
