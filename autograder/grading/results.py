"""The rows of a submission, one for each exercise, as `attn grade --results` writes them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NotRequired, TypedDict

from autograder.judging.verdict import Verdict
from autograder.showing.wording import sentence


class Row(TypedDict):
    """What became of one exercise of one student; without a verdict there are no points.

    groups: where the exercise has any, by name: points earned, and points that can be.
    """

    student: str
    chapter: str
    exercise: str
    points: float | None
    max_points: float
    verdict: str
    misconception: str | None
    message: str
    groups: NotRequired[dict[str, list[float]]]


def rows(student: str, chapter: str, verdicts: dict[str, Verdict]) -> list[Row]:
    """One row per exercise, in the order of the verdicts."""
    return [_row(student, chapter, verdict) for verdict in verdicts.values()]


def _row(student: str, chapter: str, verdict: Verdict) -> Row:
    row: Row = {
        "student": student,
        "chapter": chapter,
        "exercise": verdict.exercise,
        "points": verdict.points,
        "max_points": verdict.max_points,
        "verdict": verdict.kind,
        "misconception": verdict.misconception or None,
        "message": " ".join(filter(None, (sentence(verdict.sentence), verdict.hint))),
    }
    if verdict.groups:
        row["groups"] = {name: [*marks] for name, marks in verdict.groups.items()}
    return row


def write_results(path: Path, students: Iterable[list[Row]]) -> None:
    """One JSON object per line, in the order of the students."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        for rows_of_one in students:
            file.writelines(json.dumps(row) + "\n" for row in rows_of_one)
