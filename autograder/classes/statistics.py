"""Numbers about a class, and bars that count them: scores, dates, exercises, who is stuck."""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograder.classes.class_results import ClassResults, Member
from autograder.diagnosis.catalogue import hints
from autograder.diagnosis.diagnose import names
from autograder.grading.results import Row
from autograder.judging.verdict import NOT_WRITTEN, Kind

STEPS = (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
BARS = 13  # at most, so that their labels can be read on a phone
LONGEST = 14.0  # days: who is earlier or later than this counts as this


@dataclass(frozen=True)
class Bar:
    """A count of numbers from `low` up to `high`; the last bar includes its upper end."""

    low: float
    high: float
    count: int


def bars(values: Sequence[float], lowest: float, highest: float) -> list[Bar]:
    """At most BARS bars of one round width that hold all from `lowest` to `highest`."""
    step = next((s for s in STEPS if (highest - lowest) / s <= BARS - 1), STEPS[-1])
    first, last = math.floor(lowest / step), math.ceil(highest / step)
    last = max(last, first + 1)
    places = [min(math.floor(value / step), last - 1) for value in values]
    return [Bar(at * step, (at + 1) * step, places.count(at)) for at in range(first, last)]


def score_bars(scores: Sequence[float], highest: float) -> list[Bar]:
    """Draw scores from 0 to the highest possible one; extra credit may exceed it."""
    return bars(scores, 0, max([highest, *scores])) if scores else []


def day_bars(days: Sequence[float]) -> list[Bar]:
    """Draw days after the due date, which lies on the edge of a bar."""
    near = [min(max(day, -LONGEST), LONGEST) for day in days]
    return bars(near, min([0.0, *near]), max([0.0, *near])) if near else []


ODD = (Kind.INFRASTRUCTURE, Kind.TIMEOUT, Kind.MEMORY, Kind.CRASHED, Kind.FORBIDDEN)
STUCK = "Passed fewer than half of the exercises, or was told of the same mistake in several."
NO_VERDICT = "No verdict yet. Grade again; the command says why there is none."


@dataclass(frozen=True)
class Spread:
    """The spread of some numbers: lowest, quartiles, highest, mean."""

    lowest: float
    lower: float
    median: float
    upper: float
    highest: float
    mean: float


@dataclass(frozen=True)
class ExerciseResult:
    """An exercise's result in a class: how many passed, and what passing it goes with.

    discrimination: the point-biserial correlation of passing with the points on the other
    exercises; None where it is undefined, for the reason in `undefined`.
    """

    name: str
    points: float
    passed: int
    graded: int
    discrimination: float | None
    undefined: str = ""
    mean: float = 0.0
    lost: dict[str, int] = field(default_factory=dict)
    right: int = 0


@dataclass(frozen=True)
class Mistake:
    """A mistake that was named in somebody's answer, which others may explain as well.

    read: the section of the book to read again. students: how many were told of it.
    """

    exercise: str
    name: str
    hint: str
    read: str
    students: int


@dataclass(frozen=True)
class Stuck:
    """Exercises passed, and mistakes that were named in several of the student's exercises."""

    student: str
    passed: int
    exercises: int
    repeated: tuple[str, ...]


@dataclass(frozen=True)
class Concern:
    """Something that a person should look at: whose, in which exercise (or all), what."""

    student: str
    where: str
    verdict: str
    message: str


def graded(results: ClassResults) -> list[Member]:
    """Return those who have verdicts."""
    return [member for member in results.members if member.rows]


def spread(values: Sequence[float]) -> Spread | None:
    """Return None without values. Quartiles are interpolated, the ends included."""
    if not values:
        return None
    lower, median, upper = _quartiles(values)
    return Spread(min(values), lower, median, upper, max(values), statistics.fmean(values))


def _quartiles(values: Sequence[float]) -> list[float]:
    if len(values) == 1:  # of which Python knows none
        return [values[0]] * 3
    return statistics.quantiles(values, n=4, method="inclusive")


def days_after_due(results: ClassResults) -> list[float]:
    """Return the delay of each who handed in with a date and had one to keep; negative is early."""
    return [
        (member.submitted - member.due).total_seconds() / 86400
        for member in results.members
        if member.submitted and member.due
    ]


def exercises(results: ClassResults) -> list[ExerciseResult]:
    """Return one result for each exercise, in the order of the notebook."""
    students = [{row["exercise"]: row for row in member.rows} for member in graded(results)]
    return [
        _exercise(name, exercise.points, [rows for rows in students if name in rows])
        for name, exercise in results.chapter.exercises.items()
    ]


def _exercise(name: str, points: float, students: list[dict[str, Row]]) -> ExerciseResult:
    passed = [float(rows[name]["verdict"] == Kind.PASSED) for rows in students]
    rest = [
        sum(row["points"] or 0 for row in rows.values() if row["exercise"] != name)
        for rows in students
    ]
    undefined = _undefined(passed, rest)
    correlation = None if undefined else statistics.correlation(passed, rest)
    own = [rows[name] for rows in students]
    earned = [row["points"] or 0.0 for row in own]
    mean = statistics.fmean(earned) if earned else 0.0
    lost = Counter(group for row in own for group in lost_groups(row))
    return ExerciseResult(
        name,
        points,
        int(sum(passed)),
        len(students),
        correlation,
        undefined,
        mean,
        dict(lost.most_common()),
        sum(points > 0 for points in earned),
    )


def lost_groups(row: Row) -> list[str]:
    """Return the groups of an exercise that earned nothing, where the rest did."""
    if not row["points"]:
        return []
    return [name for name, (earned, _) in row.get("groups", {}).items() if not earned]


def _undefined(passed: list[float], rest: list[float]) -> str:
    """Say why there is no correlation, "" where there is one."""
    if not passed:
        return "undefined: nobody's was graded"
    if all(passed):
        return "undefined: all passed"
    if not any(passed):
        return "undefined: nobody passed"
    return "undefined: all have the same points elsewhere" if len(set(rest)) == 1 else ""


def correlation_noise_level(students: int) -> float:
    """Return what a correlation of unrelated numbers stays below in about 19 of 20 classes."""
    return 1.96 / (students - 1) ** 0.5 if students > 4 else 1.0


def mistakes(results: ClassResults) -> list[Mistake]:
    """Every mistake that was named in somebody's answer, the most frequent first."""
    count = Counter(
        (row["exercise"], name)
        for member in results.members
        for row in member.rows
        if row["exercise"] in results.chapter.exercises
        for name in names(row["misconception"])
    )
    places = list(results.chapter.exercises)
    made = [_mistake(results, *key, times) for key, times in count.items()]
    return sorted(made, key=lambda one: (-one.students, places.index(one.exercise), one.name))


def _mistake(results: ClassResults, exercise: str, name: str, students: int) -> Mistake:
    known = results.chapter.exercises[exercise]
    said = hints(known.vocabulary) | {wrong.name: wrong.hint for wrong in known.misconceptions}
    gone = "The exercise no longer knows this misconception; grade the class again."
    return Mistake(exercise, name, said.get(name, gone), known.read, students)


def stuck(results: ClassResults) -> list[Stuck]:
    """Whoever meets the criterion STUCK, those who passed least first."""
    members = [_stuck(member) for member in graded(results)]
    chosen = [one for one in members if 2 * one.passed < one.exercises or one.repeated]
    return sorted(chosen, key=lambda one: (one.passed, one.student))


def _stuck(member: Member) -> Stuck:
    where = defaultdict[str, set[str]](set)
    for row in member.rows:
        for name in names(row["misconception"]):
            where[name].add(row["exercise"])
    repeated = tuple(sorted(name for name, places in where.items() if len(places) > 1))
    passed = sum(row["verdict"] == Kind.PASSED for row in member.rows)
    return Stuck(member.student, passed, len(member.rows), repeated)


def concerns(results: ClassResults) -> list[Concern]:
    """List what a person should look at, by student, but for answers that wait for a mark."""
    return [concern for member in results.members for concern in _concerns(member)]


def _concerns(member: Member) -> Iterator[Concern]:
    if not member.rows:
        yield Concern(member.student, "all", "no verdict", NO_VERDICT)
        return
    if {row["verdict"] for row in member.rows} == {Kind.MISSING}:
        telling = next(filter(_is_odd, member.rows), member.rows[0])
        yield Concern(member.student, "all", Kind.MISSING, telling["message"])
    else:
        for row in filter(_is_odd, member.rows):
            yield Concern(member.student, row["exercise"], row["verdict"], row["message"])
    for note in member.notes:
        yield Concern(member.student, "all", "note", note)


def _is_odd(row: Row) -> bool:
    lost = row["verdict"] == Kind.MISSING and row["message"] != NOT_WRITTEN
    return lost or row["verdict"] in ODD
