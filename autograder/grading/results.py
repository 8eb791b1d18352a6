"""The rows of a submission, one for each exercise, as `attn grade --results` writes them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict

from autograder.judging.verdict import Verdict
from autograder.showing.wording import sentence


class Row(TypedDict):
    """What became of one exercise of one student; without a verdict there are no points."""

    student: str
    chapter: str
    exercise: str
    points: float | None
    max_points: float
    verdict: str
    misconception: str | None
    message: str


def rows(student: str, chapter: str, verdicts: dict[str, Verdict]) -> list[Row]:
    """One row per exercise, in the order of the verdicts."""
    return [
        {
            "student": student,
            "chapter": chapter,
            "exercise": name,
            "points": verdict.points,
            "max_points": verdict.max_points,
            "verdict": verdict.kind,
            "misconception": verdict.misconception or None,
            "message": " ".join(filter(None, (sentence(verdict.sentence), verdict.hint))),
        }
        for name, verdict in verdicts.items()
    ]


def write_results(path: Path, students: Iterable[list[Row]]) -> None:
    """One JSON object per line, in the order of the students."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        for rows_of_one in students:
            file.writelines(json.dumps(row) + "\n" for row in rows_of_one)
