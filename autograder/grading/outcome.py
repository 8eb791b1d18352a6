"""What became of one submission: what a worker process sends and the journal keeps."""

import traceback
from dataclasses import dataclass, field

from autograder.common.errors import CourseError, SandboxUnavailable
from autograder.exercise.observation import clean
from autograder.grading.results import Row
from autograder.judging.verdict import SENTENCE, Kind
from autograder.notebooks.chapter import Chapter


@dataclass(frozen=True)
class Graded:
    """What became of one submission.

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
    return Graded(student, [
        {"student": student, "chapter": chapter.name, "exercise": exercise.name,
         "points": None, "max_points": exercise.points, "verdict": Kind.INFRASTRUCTURE,
         "misconception": None, "message": clean(sentence, SENTENCE)}
        for exercise in chapter.exercises.values()
    ], fault="".join(traceback.format_exception(error)))  # fmt: skip
