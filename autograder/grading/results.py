"""The rows of a submission, one for each exercise, as `attn grade --results` writes them."""

import json
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NotRequired, TypedDict

from autograder.common.errors import CourseError, SandboxUnavailable
from autograder.exercise.observation import clean
from autograder.judging.verdict import SENTENCE, Kind, Verdict
from autograder.notebooks.chapter import Chapter
from autograder.showing.wording import sentence

PUBLIC_ONLY = "attn_public_only"  # in a graded notebook's metadata: no secret case was tried


class Row(TypedDict):
    """One row tells about an exercise of a student; without a verdict it has no points.

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
    """Return one row per exercise, in the order of the verdicts."""
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


@dataclass(frozen=True)
class Graded:
    """All that grading found out about one submission.

    rows: one for each exercise. notebook: with the cards as outputs; "" where there is no verdict.
    scores, comments: of nbgrader's cells by grade_id; None where a person is to give the score.
    notes: what the teacher should know of how the notebook was read.
    environment: versions of what it was graded with.
    slow: it was given little time, needs more, and has no rows yet.
    limits: of the chapter, where it was graded.
    fault: why there is no verdict, with the traceback of an error of ours.
    """

    student: str
    rows: list[Row] = field(default_factory=list)
    notebook: str = ""
    scores: dict[str, float | None] = field(default_factory=dict)
    comments: dict[str, str | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    slow: bool = False
    limits: dict[str, float] = field(default_factory=dict)
    fault: str = ""


def fault(
    student: str, chapter: Chapter, error: BaseException, what: str = "The grader failed"
) -> Graded:
    """No verdict on any exercise because of an error of ours, and its traceback."""
    told = isinstance(error, CourseError | SandboxUnavailable)
    sentence = f"{what}: {error if told else f'{type(error).__name__}: {error}.'}"
    return Graded(
        student,
        [
            {
                "student": student,
                "chapter": chapter.name,
                "exercise": exercise.name,
                "points": None,
                "max_points": exercise.points,
                "verdict": Kind.INFRASTRUCTURE,
                "misconception": None,
                "message": clean(sentence, SENTENCE),
            }
            for exercise in chapter.exercises.values()
        ],
        fault="".join(traceback.format_exception(error)),
    )
