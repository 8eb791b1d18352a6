"""The time that answers may take: many times what the reference takes, never less than usual."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from autograder.sandbox.sandbox import STEP_SECONDS, SUBMISSION_SECONDS
from autograder.sandbox.steps import Run

# The slowest right answers that were tried take 9 times as long as the reference where that is far
# below the usual limit, and 4 times as long where it is not.
HURRY_SECONDS, HURRY_FACTOR, LIMIT_FACTOR = 0.25, 3, 10
ALONE_FACTOR = 2  # for its cell and its calls
# A loop over single numbers waits for the GPU at each of them. No exercise asks for speed there.
GPU_FACTOR = 10


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

    def on_gpu(self) -> "Limits":
        """Return the limits of the same answers on a GPU."""
        step, together = GPU_FACTOR * self.step, GPU_FACTOR * self.together
        return replace(self, step=step, together=together)


class TooSlow(Exception):
    """A submission in a hurry did not finish a step in time; nothing is known about it yet."""


@dataclass
class Budget:
    """The time of one submission: what a step may take, and what is left for all of them.

    hurried: a step gets little time, and one that needs more raises TooSlow instead of being
    stopped for good. left: seconds for all further runs. steps: seconds of processor time that
    each step took so far.
    """

    limits: Limits
    hurried: bool = False
    left: float = field(init=False)
    steps: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = self.limits.together

    @property
    def step(self) -> float:
        """Seconds of processor time for a cell, or for the calls of an exercise."""
        return self.limits.hurried if self.hurried else self.limits.step

    def spend(self, run: Run) -> None:
        """Take off what a run took. Raises TooSlow in a hurry, where the time was not enough."""
        self.left = 0.0 if run.end == "over" else self.left - run.seconds
        if self.hurried and run.end in ("timeout", "over"):
            raise TooSlow
        self.steps += run.steps

    def allow_one_alone(self) -> None:
        """Begin the time of an exercise that is tried alone. Raises TooSlow in a hurry."""
        if self.hurried:
            raise TooSlow
        self.left = self.limits.alone


def limits_of(steps: Sequence[float]) -> Limits:
    """Derive limits from the seconds of processor time that each step of the reference took."""
    slowest = max(steps, default=0.0)
    return Limits(
        max(STEP_SECONDS, LIMIT_FACTOR * slowest),
        max(HURRY_SECONDS, HURRY_FACTOR * slowest),
        max(SUBMISSION_SECONDS, LIMIT_FACTOR * sum(steps)),
    )
