"""All that was observed of one wrong answer, and the general patterns in it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.catalogue import EVERY_PATTERN, PATTERNS
from autograder.diagnosis.circumstances import CaseInputs
from autograder.diagnosis.known_mistakes import KnownMistakes, Pair
from autograder.diagnosis.patterns import find_patterns
from autograder.exercise.observation import Observation
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.difference import Difference, DifferenceKind


@dataclass(frozen=True)
class Symptoms:
    """The observations of all cases, and how each differs from the right one.

    differences: one for each case, None if it passed. shown: the index of the case that the
        message shows.
    """

    checks: Checks
    pairs: list[Pair]
    differences: list[Difference | None]
    shown: int

    @cached_property
    def failing(self) -> list[int]:
        return [index for index, difference in enumerate(self.differences) if difference]

    @property
    def failing_public_pairs(self) -> list[Pair]:
        return [self.pairs[index] for index in self.failing if self.pairs[index][0].case.public]

    @cached_property
    def device_only(self) -> bool:
        return all(is_device_only(self.differences[index]) for index in self.failing)

    @cached_property
    def known(self) -> KnownMistakes:
        ignore = not self.device_only
        return KnownMistakes(self.checks, self.pairs, self.failing, ignore_device=ignore)

    @cached_property
    def has_booleans(self) -> bool:
        """Tell whether a truth value is among what the cases give, or what is right to return."""
        return any(_holds_a_boolean([*checked.case.inputs.values(), checked.expected.output])
                   for checked, _ in self.pairs)  # fmt: skip

    @cached_property
    def constant(self) -> str:
        """The pattern of an answer that is always True or always False, where neither is right.

        It says nothing about a single case. "" if the answers differ.
        """
        right = {_truth(checked.expected) for checked, _ in self.pairs}
        given = {_truth(seen) for _, seen in self.pairs}
        if right != {True, False} or len(given) > 1 or None in given:
            return ""
        return "says_yes_always" if given == {True} else "says_no_always"

    @cached_property
    def general(self) -> tuple[str, ...]:
        """The pattern that all failing cases have, and what those cases have in common.

        Numbers of a secret case are not looked at: a submission that knows its inputs could tell
        them on, by the kind of its mistake. If a secret case is shown, those of other cases are not
        used either.
        """
        public = [index for index in self.failing if self.pairs[index][0].case.public]
        used = public if self.shown in public else self.failing
        order = sorted(used, key=lambda index: index != self.shown)
        found = [self._patterns(*self.pairs[index], self.differences[index]) for index in order]
        if two := _two_slips(found):
            return two
        common = set.intersection(*found) or _frequent(found)
        fitting = [name for name in by_priority(common)
                   if len(found) > 1 or not PATTERNS[name].needs_two_cases]  # fmt: skip
        # Few cases are tried on another device: what they have in common says nothing.
        where = "" if self.device_only else self.circumstance(self.failing)
        return (*fitting[:1], *([where] if where else []))

    def circumstance(self, indices: list[int]) -> str:
        """Say what these cases have in common and no other case has; "" if there is nothing."""
        inputs = [CaseInputs(checked.case, self.checks.vocabulary.selecting)
                  for checked, _ in self.pairs]  # fmt: skip
        for pattern in EVERY_PATTERN:
            if pattern.holds is None:
                continue
            found = [index for index, one in enumerate(inputs) if pattern.holds(one)]
            enough = len(found) > 1 or not pattern.needs_two_cases
            if found == indices and len(found) < len(inputs) and enough:
                return pattern.name
        return ""

    def single_slips_beside(self, name: str, indices: list[int]) -> list[str]:
        """The slips that part the answer from a known mistake in all of these cases."""
        found = []
        for index in indices:
            checked, seen = self.pairs[index]
            mistaken = CheckedCase(checked.case, checked.wrong[name], checked.wrong)
            difference = self.known.difference_from(name, index)
            found.append(self._patterns(mistaken, seen, difference) if difference else set())
        slips = by_priority(set.intersection(*found))
        return [slip for slip in slips
                if PATTERNS[slip].single_slip and self._was_made(slip, indices)]  # fmt: skip

    def _was_made(self, slip: str, indices: list[int]) -> bool:
        """Tell whether a slip beside a known mistake is one beside what is right, too.

        What returns the right dtype has not changed it, whatever dtype the known mistake has.
        """
        aspect = PATTERNS[slip].aspect
        return not aspect or not any(self.known.is_right(index, aspect) for index in indices)

    def _patterns(
        self, checked: CheckedCase, seen: Observation, difference: Difference | None
    ) -> set[str]:
        assert difference
        if checked.case.public:
            selecting = self.checks.vocabulary.selecting
            return find_patterns(checked.case, checked.expected, seen, difference, selecting)
        return {difference.kind.pattern} - {""}


def by_priority(names: set[str]) -> list[str]:
    """Names of patterns, in the order of the catalogue."""
    return [name for name in PATTERNS if name in names]


def is_device_only(difference: Difference | None) -> bool:
    """Tell whether only the device is wrong, which says nothing about numbers in other cases."""
    return difference is not None and difference.kind == DifferenceKind.DEVICE


def _holds_a_boolean(value: Any) -> bool:
    """Tell whether an output holds a boolean; what a call leaves of a model does not count."""
    if isinstance(value, list | tuple):
        return any(map(_holds_a_boolean, value))
    return isinstance(value, bool) or (isinstance(value, Tensor) and value.dtype == torch.bool)


def _truth(seen: Observation) -> bool | None:
    """The truth value that was returned, perhaps followed by the states of the inputs."""
    output = seen.output
    first = output[0] if isinstance(output, tuple | list) and output else output
    return first if isinstance(first, bool) else None


def _two_slips(found: list[set[str]]) -> tuple[str, ...]:
    """Two kinds of difference that are seen at once, if each failing case is of one of them."""
    of_kinds = {kind.pattern for kind in DifferenceKind}
    slips = [one & of_kinds for one in found]
    seen = set.union(*slips)
    return tuple(by_priority(seen)) if all(slips) and len(seen) == 2 else ()


def _frequent(found: list[set[str]]) -> set[str]:
    """Patterns of the case that is shown, which comes first, that at least half of all have."""
    return {name for name in found[0] if 2 * sum(name in some for some in found) >= len(found)}
