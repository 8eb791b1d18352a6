"""A relation that every right answer satisfies; `properties` has those there are."""

from dataclasses import dataclass

from autograder.exercise.case import Case
from autograder.exercise.observation import Observation


@dataclass(frozen=True)
class Property:
    """`violation` returns a sentence about what is wrong, or "" where the property holds.

    `rule` says what should hold, without any number that a submission has a say in.
    """

    def violation(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> str:
        raise NotImplementedError

    def aligned(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> Observation:
        """Return what is expected of the entries of `actual`, which may be anything."""
        return expected

    def rule(self) -> str:
        raise NotImplementedError
