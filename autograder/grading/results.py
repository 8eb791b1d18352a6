"""The rows of a submission, one for each exercise, as `attn grade --results` writes them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autograder.judging.verdict import Verdict
from autograder.showing.wording import sentence

Row = dict[str, Any]


def rows(student: str, chapter: str, verdicts: dict[str, Verdict]) -> list[Row]:
    """One row per exercise, as `--results` writes it. Points are null without a verdict."""
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


def write_results(path: Path, found: Iterable[list[Row]]) -> None:
    """One JSON object per line, in the order of `found`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        for student in found:
            file.writelines(json.dumps(row) + "\n" for row in student)
