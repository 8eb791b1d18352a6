"""This module says in sentences what the numbers about a class mean for its teacher."""

import math
from datetime import timedelta

from autograder.classes.class_results import ClassResults
from autograder.classes.statistics import (
    ExerciseResult,
    Mistake,
    Spread,
    correlation_noise_level,
    days_after_due,
    exercises,
    graded,
    mistakes,
    spread,
)
from autograder.course.roster import difference

COMMON = 20  # a misconception is common if one in so many students has it, and two at least
FEW = 10  # misconceptions that are shown however rare they are
LISTED = 12  # students whom a sentence names
HARD = 0.75  # an exercise is hard for a class of which fewer than this pass it
DISCRIMINATION = (
    "Discrimination is the point-biserial correlation, from −1 to 1, of passing an exercise with "
    "the points on the other exercises of the chapter. A low or negative one means that those who "
    "do well elsewhere do no better here: read the exercise itself again before you blame the "
    "class."
)


def what_to_reteach(results: ClassResults) -> list[str]:
    """Say what to teach again, in one to three sentences."""
    students, seen = len(graded(results)), mistakes(results)
    parts = [part for part in exercises(results) if part.graded]
    if not parts:
        return ["Nothing was graded yet."]
    if all(part.passed == part.graded for part in parts):
        return [f"Nothing: {_all(students)} passed every exercise."]
    common = [mistake for mistake in seen if mistake.students >= common_threshold(students)]
    if not common:
        return [_rare(seen, students), *_hard(parts, "")]
    return [*_common(common, students), *_hard(parts, common[0].exercise)]


def common_threshold(students: int) -> int:
    """Return how many of so many students make a misconception a common one."""
    return max(2, math.ceil(students / COMMON))


def rare_mistakes(results: ClassResults) -> list[Mistake]:
    """Return the misconceptions that a long list of them is the shorter without."""
    limit = common_threshold(len(graded(results)))
    return [mistake for mistake in mistakes(results)[FEW:] if mistake.students < limit]


def rare_ones(results: ClassResults) -> str:
    """Say what the rare misconceptions have in common."""
    count, limit = len(rare_mistakes(results)), common_threshold(len(graded(results)))
    whom = "one student" if limit <= 2 else f"fewer than {limit} students"
    return f"{count} rarer one{'' if count == 1 else 's, each'} shown to {whom}"


def _common(seen: list[Mistake], students: int) -> list[str]:
    first = seen[0]
    again = f" Read {first.read} with them again." if first.read else ""
    said = [
        f"Begin with {first.exercise}: {first.students} of {students} students were told of the "
        f"same mistake there. “{_first_sentence(first.hint)}”{again}"
    ]
    others = [mistake for mistake in seen[1:] if mistake.exercise != first.exercise]
    if others:
        then = others[0]
        said.append(
            f"Then {then.exercise}, where {then.students} were told of the same one: "
            f"“{_first_sentence(then.hint)}”"
        )
    return said


def lost(exercise: ExerciseResult) -> list[str]:
    """Tell which groups with points of their own are lost where the rest is right."""
    return [
        f"{count} of the {exercise.right} who got the core right lose {group}."
        for group, count in exercise.lost.items()
    ]


def _rare(seen: list[Mistake], students: int) -> str:
    if not seen:
        return "No answer shows a known misconception; look at the exercises that were failed."
    most = seen[0].students
    return (
        f"No mistake is common: none was named in the answers of more than {most} of {students} "
        "students. Help those who erred one by one."
        if most > 1
        else "No two students were told of the same mistake in the same exercise: help those who "
        "erred one by one."
    )


def _hard(parts: list[ExerciseResult], told: str) -> list[str]:
    """Return the exercise that fewest passed, if it is hard and is not `told` of already."""
    least = min(parts, key=lambda part: part.passed / part.graded)
    if least.name == told or least.passed >= HARD * least.graded:
        return []
    return [f"Only {least.passed} of {least.graded} passed {least.name}."]


def _first_sentence(hint: str) -> str:
    end = min((hint.find(sign) for sign in (". ", "? ") if sign in hint), default=len(hint))
    return hint[: end + 1]


def _all(students: int) -> str:
    return f"all {students} students" if students > 1 else "the one student who was graded"


def waiting(results: ClassResults) -> str:
    """Say what is missing from the scores until a person has marked it."""
    count = sum(member.waits > 0 for member in results.members)
    if not count:
        return "No answer waits for a person to mark it."
    return (
        f"{_students(count)} {'have' if count > 1 else 'has'} an answer that waits for a person "
        "to mark it in formgrader. Until then it counts 0, or as before where it was marked before."
    )


def scores(summary: Spread | None, highest: float) -> str:
    """Return the spread of the scores as a sentence; also what a drawing of them shows."""
    if summary is None:
        return "There are no scores yet."
    return (
        f"Scores from {summary.lowest:g} to {summary.highest:g} of {highest:g} points: mean "
        f"{summary.mean:.1f}, median {summary.median:g}, and the middle half between "
        f"{summary.lower:g} and {summary.upper:g}."
    )


def attendance(results: ClassResults) -> list[str]:
    """Name who handed in nothing, and who handed in and is not known; nothing without a roster."""
    enrolled = len(results.members) - len(results.strangers) + len(results.absent)
    said = []
    if results.absent:
        said.append(
            f"{len(results.absent)} of the {enrolled} students in the roster handed in "
            f"nothing: {_listed(results, results.absent)}."
        )
    if results.strangers:
        said.append(
            f"{_students(len(results.strangers))} handed in and "
            f"{'is' if len(results.strangers) == 1 else 'are'} not in the roster: "
            f"{_listed(results, results.strangers)}. Add them with nbgrader db student "
            "add, or take their folders out of the submissions."
        )
    said += [
        f"The folder {stranger} may be that of {results.named(meant)}: the id has other "
        f"{difference(stranger, meant)}."
        for stranger, meant in results.roster.meant(results.strangers)[:LISTED]
    ]
    return said


def _listed(results: ClassResults, students: list[str]) -> str:
    shown = ", ".join(sorted(map(results.named, students), key=str.casefold)[:LISTED])
    more = len(students) - LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def handed_in(results: ClassResults) -> list[str]:
    """Say when work was handed in; how long it took is not known to anybody here."""
    minutes = sum(exercise.minutes for exercise in results.chapter.exercises.values())
    clock = (
        "How long anyone worked is not known: nothing measures it. The chapter's exercises are "
        f"meant to take {minutes} minutes, reading included."
    )
    dates = sorted(member.submitted for member in results.members if member.submitted)
    if not dates:
        return ["The submissions carry no date.", clock]
    first, last = (f"{date:%d %B %Y, %H:%M}" for date in (dates[0], dates[-1]))
    return [f"Handed in from {first} to {last} UTC.", _lateness(results), clock]


def _lateness(results: ClassResults) -> str:
    days = days_after_due(results)
    middle = spread(days)
    if middle is None:
        return "The gradebook has no due date, so nobody is late."
    late = sum(day > 0 for day in days)
    side = "after" if middle.median > 0 else "before"
    fined = sum(member.penalty > 0 for member in results.members)
    return (
        f"Half of them came in more than {_duration(abs(middle.median))} {side} they were due, "
        f"extensions included. {late} of {len(days)} {'was' if late == 1 else 'were'} late; "
        f"{fined or 'nobody'} lost points for it."
    )


def _duration(days: float) -> str:
    hours = timedelta(days=days).total_seconds() / 3600
    return f"{days:.1f} days" if hours >= 48 else f"{hours:.1f} hours"


def by_chance(results: ClassResults) -> str:
    """Say how seriously to take a correlation in a class of this size."""
    students = len(graded(results))
    noise = f"{correlation_noise_level(students):.2f}"
    return f"With {_students(students)}, chance alone gives between about −{noise} and {noise}."


def _students(count: int) -> str:
    return f"{count} student{'' if count == 1 else 's'}"
