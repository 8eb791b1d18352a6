"""How long answers may take: many times as long as the reference, and never less than usual."""

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.sandbox.sandbox import STEP_SECONDS, SUBMISSION_SECONDS

# The slowest right answers that were tried take 9 times as long as the reference where that is far
# below the usual limit, and 4 times as long where it is not.
HURRY_SECONDS, HURRY_FACTOR, LIMIT_FACTOR = 0.25, 3, 10
ALONE_FACTOR = 2  # for its cell and its calls


@dataclass(frozen=True)
class Limits:
    """The same for all who hand in a chapter, since they are measured once.

    step: seconds of processor time for a cell or the calls of an exercise, which is then stopped
    for good. hurried: after which it is put off. together: seconds for all runs of a submission;
    whatever has no verdict then is tried alone, so that no answer pays for others.
    """

    step: float = STEP_SECONDS
    hurried: float = HURRY_SECONDS
    together: float = SUBMISSION_SECONDS

    @property
    def alone(self) -> float:
        """Seconds for an exercise that is tried alone, without what it waits for a processor."""
        return ALONE_FACTOR * self.step


def limits_of(steps: Sequence[float]) -> Limits:
    """By the seconds of processor time that each step of the reference took."""
    slowest = max(steps, default=0.0)
    return Limits(
        max(STEP_SECONDS, LIMIT_FACTOR * slowest),
        max(HURRY_SECONDS, HURRY_FACTOR * slowest),
        max(SUBMISSION_SECONDS, LIMIT_FACTOR * sum(steps)),
    )
