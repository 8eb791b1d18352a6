"""Relations that every right answer satisfies, as data, so that the learner's check has them too.

Each says in a sentence what is violated. They are told before any number is compared, because
"your rows do not sum to 1" helps where "0.31 is not 0.27" does not.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from autograder.exercise import draws
from autograder.exercise.case import Case, Property
from autograder.exercise.observation import Observation
from autograder.exercise.rounding import Exactness, typical_error, within
from autograder.exercise.tensors import leaves
from autograder.exercise.witness import Witness


@dataclass(frozen=True)
class Finite(Property):
    """Nothing returned is NaN or infinite where the right answer is finite."""

    def violation(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> str:
        for right, given in zip(leaves(expected.output), leaves(actual.output), strict=False):
            if not right.isfinite().all() or given.isfinite().all():
                continue
            kind = "NaN" if given.isnan().any() else "infinite"
            count = int((~given.isfinite()).sum())
            return f"{count} of {given.numel()} returned numbers are {kind}."
        return ""

    def rule(self) -> str:
        return "No returned number should be NaN or infinite."


@dataclass(frozen=True)
class SumsTo(Property):
    """Output `output` has the right sum along `dim`: 1 for weights, 0 for an empty row."""

    output: int
    dim: int
    sentence: str

    def violation(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> str:
        right, given = leaves(expected.output)[self.output], leaves(actual.output)
        if len(given) <= self.output or right.shape != given[self.output].shape:
            return ""  # the comparison tells
        sums, wanted = given[self.output].double().sum(self.dim), right.double().sum(self.dim)
        terms = max(right.size(self.dim), 1)
        wrong = (sums - wanted).abs() > _slack(right.dtype, terms, case)
        if not wrong.any():
            return ""
        return f"{self.sentence} Here {int(wrong.sum())} of {wrong.numel()} do not."

    def rule(self) -> str:
        return self.sentence


def _slack(dtype: torch.dtype, terms: int, case: Case | None) -> float:
    """Error that is allowed in a sum of `terms` entries, which are of size 1 at most."""
    if case and case.tolerance is not None:
        return case.tolerance * terms
    # In half precision errors grow with the square root of the number of terms.
    return min(8 * torch.finfo(dtype).eps * terms, 2 * typical_error(dtype, Exactness(terms)))


@dataclass(frozen=True)
class Drawn(Property):
    """Output `output` is drawn at random, entry by entry, from few values.

    Each value occurs as often as in the right one, in all and in each slice of each axis, and no
    two slices have more entries alike, but for what chance allows; see `draws`.
    An output of other than many entries with few values is compared entry by entry, and so must not
    depend on what is drawn.
    """

    output: int
    sentence: str

    def aligned(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> Observation:
        """Expect of each entry the nearest of the values; which, `violation` counts."""
        pair = self._pair(expected, actual)
        if pair is None:
            return expected
        right, given = pair
        values = draws.distinct(right)
        nearest = values[draws.nearest(values, given)].to(right.dtype)
        output = tree_map(lambda leaf: nearest if leaf is right else leaf, expected.output)
        return replace(expected, output=output)

    def violation(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> str:
        pair = self._pair(expected, actual)
        if pair is None:
            return ""
        _, told = self._unlikely(*pair)
        return f"{self.sentence} {told}" if told else ""

    def rule(self) -> str:
        return self.sentence

    def alike(self, right: Observation, one: Observation, other: Observation) -> bool:
        """Tell whether two observations draw the same values, each as often, and as wrongly."""
        pairs = [pair for seen in (one, other) if (pair := self._pair(right, seen))]
        if len(pairs) < 2:
            return not pairs
        kinds = {self._unlikely(*both)[0] for both in pairs}
        return len(kinds) == 1 and draws.alike(pairs[0][1], pairs[1][1])

    def drawn(self, seen: Observation) -> Tensor | None:
        """Return the output that is drawn; None where there is no tensor in its place."""
        return self._of(seen.output)

    def is_free(self, right: Observation, aligned: Observation, entries: Any) -> bool:
        """Tell whether `entries` is the drawn output, with its values aligned to the answer's."""
        return entries is self.drawn(aligned) and entries is not self.drawn(right)

    def _unlikely(self, right: Tensor, given: Tensor) -> tuple[str, str]:
        """Say what chance does not explain; of other values nothing: the comparison tells them."""
        values = draws.distinct(right)
        nearest = values[draws.nearest(values, given)].to(right.dtype)
        among = torch.equal(nearest, given) or within(nearest, given, Exactness(1))
        return draws.unlikely(right, given) if among else ("", "")

    def _pair(self, expected: Observation, actual: Observation) -> tuple[Tensor, Tensor] | None:
        """Return the right output and the given one, if they are drawn and of one kind."""
        if len(leaves(expected.output)) != len(leaves(actual.output)):
            return None
        right, given = (self._of(seen.output) for seen in (expected, actual))
        if right is None or given is None:
            return None
        same = (right.shape, right.dtype) == (given.shape, given.dtype)
        return (right, given) if same and draws.are_counted(right) else None

    def _of(self, output: Any) -> Tensor | None:
        """Return the first tensor of the output, which a mistake may have put into a tuple."""
        parts = output if isinstance(output, tuple | list) else [output]
        found = leaves(parts[self.output]) if self.output < len(parts) else []
        return found[0] if found else None


COUNTED = {
    "flops": "Floating-point operations",
    "matmuls": "Matrix products",
    "largest": "Entries of the largest tensor",
    "peak": "Bytes held at one time",
}


@dataclass(frozen=True)
class CostAtMost(Property):
    """Counted work stays within `factor` times the oracle's, by one of COUNTED.

    Counted in the largest case, and in every case where calls are forbidden: the bound must hold
    for small inputs, too. "peak" is counted only in the largest case: beside small inputs, a few
    temporary numbers of a right answer would weigh too much.
    """

    counter: str
    factor: float
    sentence: str

    def violation(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> str:
        if expected.cost is None:
            return ""
        if actual.cost is None:
            return f"{self.sentence} The work of the call could not be counted."
        given, right = getattr(actual.cost, self.counter), getattr(expected.cost, self.counter)
        if given <= self.factor * right:
            return ""
        return f"{self.sentence} {COUNTED[self.counter]}: {given:,}; {right:,} are enough."

    def rule(self) -> str:
        return self.sentence


KINDS: dict[str, type[Property]] = {
    kind.__name__: kind for kind in (Finite, SumsTo, Drawn, Witness, CostAtMost)
}


def to_tree(relation: Property) -> dict[str, Any]:
    """Return it as a value that `wire.pack` accepts."""
    arguments = {part.name: getattr(relation, part.name) for part in fields(relation)}
    return {"kind": type(relation).__name__, **arguments}


def from_tree(tree: dict[str, Any]) -> Property:
    """Undo `to_tree`. Raises KeyError for a kind that does not exist."""
    arguments = dict(tree)
    return KINDS[arguments.pop("kind")](**arguments)


def aligned(
    relations: Iterable[Property],
    expected: Observation,
    actual: Observation,
    case: Case | None = None,
) -> Observation:
    """Return what is expected where some outputs are drawn at random, or may be one of many."""
    for relation in relations:
        expected = relation.aligned(expected, actual, case)
    return expected
