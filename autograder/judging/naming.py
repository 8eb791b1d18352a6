"""Which known mistakes explain all that was observed.

A name is given if it agrees in every case that could tell it from others, and it is given for two
mistakes at once where each explains what the other leaves unexplained.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from autograder.calls.observation import Observation
from autograder.calls.properties import CostAtMost, Drawn, aligned
from autograder.calls.relation import Property
from autograder.calls.rounding import tolerance
from autograder.calls.tensors import is_float
from autograder.calls.witness import Witness
from autograder.judging.aspects import ASPECTS, floats
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.compare import first_difference
from autograder.judging.difference import Difference, DifferenceKind
from autograder.judging.signs import same_failure

Pair = tuple[CheckedCase, Observation]
MOST = 8  # candidates that are tried in twos


class Known:
    """An exercise's misconceptions, compared with one submission's observations.

    anywhere: on whatever device, since numbers that are wrong are so on every one.
    """

    def __init__(self, checks: Checks, pairs: list[Pair], failing: list[int], anywhere: bool):
        self.checks, self.pairs, self.failing, self.anywhere = checks, pairs, failing, anywhere
        self._wrong: dict[tuple[int, str, str], bool] = {}
        self._like: dict[tuple[int, str, str], bool] = {}

    def names(self) -> tuple[str, ...]:
        """The misconception that explains everything, if there is one.

        Of what is drawn at random, the only one that explains all cases that fail: the others say
        little there, for they may pass by chance.
        """
        if self._is_drawn:
            fitting = [name for name in self.checks.hints if self._explains(name, self.failing)]
            whole = [name for name in fitting if self._explains(name, range(len(self.pairs)))]
            return next((tuple(names) for names in (whole, fitting) if len(names) == 1), ())
        places = sorted(range(len(self.pairs)), key=lambda index: index not in self.failing)
        return next(((name,) for name in self.checks.hints if self._explains(name, places)), ())

    def _explains(self, name: str, places: Iterable[int]) -> bool:
        return all(self._exactly(index, name) for index in places)

    @property
    def _is_drawn(self) -> bool:
        return any(isinstance(relation, Drawn | Witness) for relation in self.checks.properties)

    @property
    def _is_of_truths(self) -> bool:
        return all(isinstance(checked.expected.output, bool) for checked, _ in self.pairs)

    def constant(self) -> str:
        """The name of an answer that is always True or always False, where neither always is right.

        It says nothing about a single case. "" if the answers differ.
        """
        right = {_truth(checked.expected) for checked, _ in self.pairs}
        given = {_truth(seen) for _, seen in self.pairs}
        if right != {True, False} or len(given) > 1 or None in given:
            return ""
        return "says_yes_always" if given == {True} else "says_no_always"

    def pair(self) -> tuple[str, ...]:
        """Two misconceptions that explain everything together, if there are.

        Which answers are wrong, of those that are True or False, any two may explain by chance.
        """
        if self._is_drawn or self._is_of_truths:
            return ()
        candidates = [name for name in self.checks.hints if self._is_candidate(name)]
        twos = combinations(candidates[:MOST], 2)
        return next((two for two in twos if self._composed(*two)), ())

    def mostly(self) -> Iterator[tuple[str, list[int]]]:
        """Misconceptions that explain something, with the cases that each leaves unexplained.

        The one that leaves the fewest comes first.
        """
        if self._is_drawn:
            return
        left = {
            name: [index for index in range(len(self.pairs)) if not self._exactly(index, name)]
            for name in self.checks.hints if self._is_candidate(name)
        }  # fmt: skip
        yield from sorted(left.items(), key=lambda item: len(item[1]))

    def apart(self, index: int, name: str) -> Difference | None:
        """How an observation differs from that of a misconception."""
        checked, seen = self.pairs[index]
        wrong = checked.wrong[name]
        seen = replace(seen, devices=wrong.devices)
        return first_difference(wrong, seen, self.checks.returns, checked.case.exactness)

    def is_extreme(self, index: int, name: str) -> bool:
        """Whether a case fails with numbers that are too small or too large to be told apart, and
        a misconception is wrong there in the same respect.

        Infinite ones are too large only where the right ones are finite.
        """
        checked, seen = self.pairs[index]
        both = any(self._is_wrong(index, aspect, name) and not self.is_right(index, aspect)
                   for aspect in ("output", "gradients"))  # fmt: skip
        if not both or checked.wrong[name].failure:
            return False
        bounded = all(bool(leaf.isfinite().all()) for leaf in floats(checked.expected))
        rough = any(
            leaf.dtype.itemsize == 2 or (bounded and not bool(leaf.isfinite().all()))
            for leaf in floats(seen)
        )
        return index in self.failing and rough

    def _is_candidate(self, name: str) -> bool:
        """Whether it fails where the submission does, and in the same way at least once."""
        return any(
            self._is_wrong(index, aspect, name) and self._is_like(index, aspect, name)
            for index in self.failing for aspect in ASPECTS
        )  # fmt: skip

    def _composed(self, one: str, other: str) -> bool:
        """Whether each explains something that the other does not, and both together all."""
        witnesses = {one: 0, other: 0}
        for index, aspect in self._places():
            wrong = [name for name in (one, other) if self._is_wrong(index, aspect, name)]
            if len(wrong) == 2:
                continue  # what both together give here is not known
            if not (self._is_like(index, aspect, wrong[0]) if wrong
                    else self.is_right(index, aspect)):  # fmt: skip
                return False
            for name in wrong:
                witnesses[name] += 1
        return all(witnesses.values())

    def _places(self) -> Iterator[tuple[int, str]]:
        for index in range(len(self.pairs)):
            for aspect in ASPECTS:
                if aspect != "device" or not self.anywhere:
                    yield index, aspect

    def is_right(self, index: int, aspect: str) -> bool:
        checked, seen = self.pairs[index]
        return ASPECTS[aspect](self.checks, checked, checked.expected, seen)

    def _is_wrong(self, index: int, aspect: str, name: str) -> bool:
        key, checked = (index, aspect, name), self.pairs[index][0]
        if key not in self._wrong:
            wrong = checked.wrong[name]
            self._wrong[key] = not ASPECTS[aspect](self.checks, checked, checked.expected, wrong)
        return self._wrong[key]

    def _is_like(self, index: int, aspect: str, name: str) -> bool:
        key, (checked, seen) = (index, aspect, name), self.pairs[index]
        if key not in self._like:
            self._like[key] = ASPECTS[aspect](self.checks, checked, checked.wrong[name], seen)
        return self._like[key]

    def _exactly(self, index: int, name: str) -> bool:
        """Whether an observation is that of a misconception in every respect."""
        checked, seen = self.pairs[index]
        wrong, exactness, returns = checked.wrong[name], checked.case.exactness, self.checks.returns
        if type(wrong.output) is float and type(seen.output) is int:
            return False  # an integer is accepted as a float, but was not computed as one
        clash = wrong.clash if self.anywhere else seen.clash
        placed = replace(seen, devices=wrong.devices, clash=clash)
        if not same_failure(wrong.failure, seen.failure):
            return False
        relations, right = self.checks.properties, checked.expected
        draws = [relation for relation in relations if isinstance(relation, Drawn)]
        free = [one for one in relations if isinstance(one, Witness) and not any(
            one.violation(right, other, checked.case) for other in (seen, wrong))]  # fmt: skip
        meant = aligned([*draws, *free], wrong, placed, checked.case)
        difference = first_difference(meant, placed, returns, exactness)
        if difference and _is_rounding(difference, checked):
            placed = replace(placed, output=meant.output)
            difference = first_difference(meant, placed, returns, exactness)
        if difference:
            return False
        back = aligned(draws, placed, wrong)  # a draw of few values is among those of many
        if draws and first_difference(back, wrong, returns, exactness):
            return False
        return all(_violated_alike(part, right, wrong, seen) for part in relations)


def _truth(seen: Observation) -> bool | None:
    """The truth value that was returned, perhaps followed by the states of the inputs."""
    output = seen.output
    first = output[0] if isinstance(output, tuple | list) and output else output
    return first if isinstance(first, bool) else None


def _is_rounding(difference: Difference, checked: CheckedCase) -> bool:
    """Whether two outputs that differ are both rounding beside the right one.

    Where all of a mistake's terms cancel, one processor gives 0 and another 1e-9.
    """
    right = checked.expected.output
    values = [right, difference.expected, difference.actual]
    if (
        difference.kind != DifferenceKind.VALUES
        or not all(map(is_float, values))
        or not right.numel()
    ):
        return False
    slack = tolerance(right.dtype, checked.case.exactness) * right.abs().max()
    return all(bool((value.abs() <= slack).all() & slack.isfinite()) for value in values[1:])


def _violated_alike(
    relation: Property, right: Observation, wrong: Observation, seen: Observation
) -> bool:
    """Whether two observations violate in the same way what comparing outputs does not show."""
    match relation:
        case Drawn():
            return relation.violation(right, wrong) == relation.violation(right, seen)
        case CostAtMost():  # with other numbers, perhaps
            return bool(relation.violation(right, wrong)) == bool(relation.violation(right, seen))
    return True
