"""Which known mistakes of an exercise explain all that was observed of one answer.

A mistake is named only if its observations equal the answer's in every case. Two are named where
each explains what the other leaves unexplained.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from autograder.diagnosis.likeness import ASPECTS, float_tensors, is_mistake
from autograder.exercise.observation import Observation
from autograder.exercise.properties import Drawn
from autograder.exercise.witness import Witness
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.compare import first_difference
from autograder.judging.difference import Difference

Pair = tuple[CheckedCase, Observation]
MAX_PAIR_CANDIDATES = 8  # Each two of them are tried together.


class KnownMistakes:
    """An exercise's misconceptions, compared with one answer's observations.

    failing: the indices of the cases in which the answer is wrong.
    ignore_device: compare without the device, since a wrong number is wrong on every device.
    """

    def __init__(self, checks: Checks, pairs: list[Pair], failing: list[int], ignore_device: bool):
        self.checks, self.pairs, self.failing = checks, pairs, failing
        self.ignore_device = ignore_device
        self._wrong: dict[tuple[int, str, str], bool] = {}
        self._alike: dict[tuple[int, str, str], bool] = {}

    def match_one(self) -> str:
        """The name of the mistake that explains everything, "" if there is none.

        Of what is drawn at random, it is the only one that explains all cases that fail: the others
        say little there, for they may pass by chance.
        """
        if self._is_drawn:
            fitting = [name for name in self.checks.hints if self._explains(name, self.failing)]
            whole = [name for name in fitting if self._explains(name, range(len(self.pairs)))]
            return next((names[0] for names in (whole, fitting) if len(names) == 1), "")
        order = sorted(range(len(self.pairs)), key=lambda index: index not in self.failing)
        return next((name for name in self.checks.hints if self._explains(name, order)), "")

    def match_two(self) -> tuple[str, ...]:
        """The names of two mistakes that explain everything together, if there are.

        Any two may explain by chance which answers are wrong where all are True or False.
        """
        if self._is_drawn or self._is_of_truths:
            return ()
        candidates = [name for name in self.checks.hints if self._is_candidate(name)]
        twos = combinations(candidates[:MAX_PAIR_CANDIDATES], 2)
        return next((two for two in twos if self._explain_together(*two)), ())

    def partial_matches(self) -> Iterator[tuple[str, list[int]]]:
        """Mistakes that explain something, with the cases that each leaves unexplained.

        The one that leaves the fewest comes first.
        """
        if self._is_drawn:
            return
        unexplained = {
            name: [index for index in range(len(self.pairs)) if not self._explains(name, [index])]
            for name in self.checks.hints if self._is_candidate(name)
        }  # fmt: skip
        yield from sorted(unexplained.items(), key=lambda item: len(item[1]))

    def difference_from(self, name: str, index: int) -> Difference | None:
        """Find how the answer differs in a case from a mistake, on whatever device it is."""
        checked, seen = self.pairs[index]
        wrong = checked.wrong[name]
        seen = replace(seen, devices=wrong.devices)
        return first_difference(wrong, seen, self.checks.returns, checked.case.exactness)

    def overflows_here(self, name: str, index: int) -> bool:
        """Tell whether a case fails with numbers too small or too large to be told apart.

        The mistake has to be wrong there in the same respect.

        Infinite ones are too large only where the right ones are finite.
        """
        checked, seen = self.pairs[index]
        both = any(self._is_wrong(index, aspect, name) and not self.is_right(index, aspect)
                   for aspect in ("output", "gradients"))  # fmt: skip
        if not both or checked.wrong[name].failure:
            return False
        bounded = all(bool(leaf.isfinite().all()) for leaf in float_tensors(checked.expected))
        rough = any(
            leaf.dtype.itemsize == 2 or (bounded and not bool(leaf.isfinite().all()))
            for leaf in float_tensors(seen)
        )
        return index in self.failing and rough

    def is_right(self, index: int, aspect: str) -> bool:
        """Tell whether the answer is right in one aspect of a case."""
        checked, seen = self.pairs[index]
        return ASPECTS[aspect](self.checks, checked, checked.expected, seen)

    @property
    def _is_drawn(self) -> bool:
        return any(isinstance(relation, Drawn | Witness) for relation in self.checks.properties)

    @property
    def _is_of_truths(self) -> bool:
        return all(isinstance(checked.expected.output, bool) for checked, _ in self.pairs)

    def _explains(self, name: str, indices: Iterable[int]) -> bool:
        pairs = (self.pairs[index] for index in indices)
        return all(is_mistake(self.checks, checked, name, seen, self.ignore_device)
                   for checked, seen in pairs)  # fmt: skip

    def _is_candidate(self, name: str) -> bool:
        """Tell whether it fails where the answer does, and in the same way at least once."""
        return any(
            self._is_wrong(index, aspect, name) and self._is_alike(index, aspect, name)
            for index in self.failing for aspect in ASPECTS
        )  # fmt: skip

    def _explain_together(self, one: str, other: str) -> bool:
        """Tell whether each explains something that the other does not, and both together all."""
        explained = {one: 0, other: 0}
        for index, aspect in self._compared_aspects():
            wrong = [name for name in (one, other) if self._is_wrong(index, aspect, name)]
            if len(wrong) == 2:
                continue  # It is not known what both together give here.
            if not (self._is_alike(index, aspect, wrong[0]) if wrong
                    else self.is_right(index, aspect)):  # fmt: skip
                return False
            for name in wrong:
                explained[name] += 1
        return all(explained.values())

    def _compared_aspects(self) -> Iterator[tuple[int, str]]:
        for index in range(len(self.pairs)):
            for aspect in ASPECTS:
                if aspect != "device" or not self.ignore_device:
                    yield index, aspect

    def _is_wrong(self, index: int, aspect: str, name: str) -> bool:
        key, checked = (index, aspect, name), self.pairs[index][0]
        if key not in self._wrong:
            wrong = checked.wrong[name]
            self._wrong[key] = not ASPECTS[aspect](self.checks, checked, checked.expected, wrong)
        return self._wrong[key]

    def _is_alike(self, index: int, aspect: str, name: str) -> bool:
        key, (checked, seen) = (index, aspect, name), self.pairs[index]
        if key not in self._alike:
            self._alike[key] = ASPECTS[aspect](self.checks, checked, checked.wrong[name], seen)
        return self._alike[key]
