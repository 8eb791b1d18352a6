"""Classes of the toy chapter that nobody graded: verdicts as a test wants them."""

from datetime import UTC, datetime

from autograder.classes.class_results import ClassResults, Member

EXERCISES = {"normalise": 2, "average": 3, "Scale": 1}
ALL = dict.fromkeys(EXERCISES, "passed")
SLIP = {**ALL, "average": "unnormalised"}


def made_up(toy, *students, **rest):
    """A class from the exercises that each student passed, or the misconception they have."""
    members = [
        Member(name, [row(name, exercise, passed.get(exercise, "")) for exercise in EXERCISES])
        for name, passed in students
    ]
    return ClassResults(toy, members, 8.0, [], datetime(2026, 1, 1, tzinfo=UTC), **rest)


def row(student, exercise, said):
    kind = said if said in ("passed", "timeout") else "wrong"
    points = EXERCISES[exercise] if kind == "passed" else 0
    slip = None if said in ("passed", "timeout", "") else said
    return {"student": student, "exercise": exercise, "points": points, "verdict": kind,
            "misconception": slip, "message": "It said so.",
            "max_points": EXERCISES[exercise]}  # fmt: skip
