"""A verdict says what became of an exercise, as one value."""

import traceback
from dataclasses import dataclass, field, replace
from enum import StrEnum

from autograder.exercise.observation import Observation, clean
from autograder.judging.checks import Checks
from autograder.judging.difference import Difference

SENTENCE = 600  # characters; a submission has a say in some of them
NOT_WRITTEN = "Not written yet."
ON_GPU = "Right on the CPU. On the GPU: "


class Kind(StrEnum):
    """The kind of a verdict. Infrastructure is a fault of ours: no verdict, no marks, no zero."""

    PASSED = "passed"
    WRONG = "wrong"
    RAISED = "raised"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"
    MISSING = "missing"
    FORBIDDEN = "forbidden"
    INFRASTRUCTURE = "infrastructure"


@dataclass(frozen=True)
class Evidence:
    """The observations of a wrong answer, from which its mistake can be named.

    observations, differences: one of each for every case, in the order of `Checks.cases`; a
    difference is None where the case passed. shown: the index of the case that the verdict shows.
    explained: the verdict's sentence says the cause already, so no hint is needed.
    """

    observations: tuple[Observation, ...]
    differences: tuple[Difference | None, ...]
    shown: int
    explained: bool = False


@dataclass(frozen=True)
class Verdict:
    """A verdict says what became of one exercise.

    points is None where the kind is infrastructure.
    passed: names of the cases that passed. `case` is the first that did not; `public` tells
    whether its values may be shown. `difference` holds them, for public cases only.
    groups: of the exercise, by name: points earned, and points that can be.
    solve_first: what the exercise builds on and what does not pass either.
    fault: the traceback of an error of ours, which is why there is no verdict.
    tried_alone: the submission's time was over, so this one got time of its own.
    misconception, hint: "" until `diagnose` looked at the evidence, which is dropped then.
    """

    exercise: str
    kind: Kind
    points: float | None
    max_points: float
    sentence: str
    misconception: str = ""
    hint: str = ""
    read: str = ""
    case: str = ""
    public: bool = True
    passed: tuple[str, ...] = ()
    total: int = 0
    difference: Difference | None = None
    groups: dict[str, tuple[int, int]] = field(default_factory=dict)
    solve_first: tuple[str, ...] = ()
    fault: str = ""
    tried_alone: bool = False
    evidence: Evidence | None = field(default=None, repr=False, compare=False)


def stopped(checks: Checks, kind: Kind, sentence: str) -> Verdict:
    """Make a verdict that no observation decides: nothing was written, or the process stopped."""
    points = None if kind == Kind.INFRASTRUCTURE else 0
    said = clean(sentence, SENTENCE)
    total = len(checks.cases)
    return Verdict(
        checks.exercise, kind, points, checks.points, said, read=checks.read, total=total
    )


def unjudged(checks: Checks, error: Exception) -> Verdict:
    """No verdict on an exercise because of an error of ours, with its traceback."""
    sentence = f"The grader failed on {checks.exercise}: {type(error).__name__}: {error}."
    fault = "".join(traceback.format_exception(error))
    return replace(stopped(checks, Kind.INFRASTRUCTURE, sentence), fault=fault)


def on_gpu(verdict: Verdict) -> Verdict:
    """Return a verdict of the GPU, which is asked for what is right on the CPU; it says so."""
    if verdict.kind in (Kind.PASSED, Kind.INFRASTRUCTURE):
        return verdict
    return replace(verdict, sentence=clean(f"{ON_GPU}{verdict.sentence}", SENTENCE))
