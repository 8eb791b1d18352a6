"""Relations that every right answer satisfies, as data, so that the learner's check has them too.

Each says in a sentence what is violated. They are told before any number is compared, because
"your rows do not sum to 1" helps where "0.31 is not 0.27" does not.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from autograder.calls.observation import Observation
from autograder.calls.rounding import typical, within


@dataclass(frozen=True)
class Property:
    """`violation` returns a sentence about what is wrong, or "" where the property holds.

    `rule` says what should hold, without any number that a submission has a say in.
    """

    def violation(self, expected: Observation, actual: Observation) -> str:
        raise NotImplementedError

    def aligned(self, expected: Observation, actual: Observation) -> Observation:
        """What is expected of the entries of `actual`, which may be anything."""
        return expected

    def rule(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class Finite(Property):
    """Nothing returned is NaN or infinite where the right answer is finite."""

    def violation(self, expected: Observation, actual: Observation) -> str:
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

    def violation(self, expected: Observation, actual: Observation) -> str:
        right, given = leaves(expected.output)[self.output], leaves(actual.output)[self.output]
        if right.shape != given.shape:
            return ""
        sums, wanted = given.double().sum(self.dim), right.double().sum(self.dim)
        terms = max(right.size(self.dim), 1)
        most = 2 * typical(right.dtype, terms)  # in half precision the root counts, not the number
        slack = min(8 * torch.finfo(right.dtype).eps * terms, most)
        wrong = (sums - wanted).abs() > slack
        if not wrong.any():
            return ""
        return f"{self.sentence} {int(wrong.sum())} of {wrong.numel()} sums differ from that."

    def rule(self) -> str:
        return self.sentence


MANY, FEW = 1000, 16  # entries of an output that is drawn, and the values that they may have
CHANCE = 1e-10  # that a right answer violates the property in one case


@dataclass(frozen=True)
class Drawn(Property):
    """Output `output` is drawn at random, entry by entry, from few values.

    Each value occurs as often as in the right one, in all and in each slice of each axis, and no
    two slices have more entries alike, but for what chance allows; by Hoeffding's inequality, a
    right answer fails with a chance of twice CHANCE.
    An output of other than many entries with few values is compared entry by entry.
    """

    output: int
    sentence: str

    def aligned(self, expected: Observation, actual: Observation) -> Observation:
        """Each entry is expected to have the nearest of the values; which, `violation` counts."""
        pair = self._pair(expected, actual)
        if pair is None:
            return expected
        right, given = pair
        values = _values(right)
        nearest = values[_nearest(values, given)].to(right.dtype)
        output = tree_map(lambda leaf: nearest if leaf is right else leaf, expected.output)
        return replace(expected, output=output)

    def violation(self, expected: Observation, actual: Observation) -> str:
        pair = self._pair(expected, actual)
        if pair is None:
            return ""
        right, given = pair
        values = _values(right)
        places = _nearest(values, given)
        if not within(values[places].to(right.dtype), given, 1):
            return ""  # other values: the comparison tells
        tests = len(values) * (1 + sum(given.shape))
        chance = math.log(2 * tests / CHANCE) / 2
        for place, value in enumerate(values):
            due = float((right == value).double().mean())
            if told := _uneven(places == place, chance) or _off(places == place, due, chance):
                return f"{self.sentence} {told}"
        alike = sum(float((right == value).double().mean()) ** 2 for value in values)
        told = _repeated(places, len(values), alike)
        return f"{self.sentence} {told}" if told else ""

    def rule(self) -> str:
        return self.sentence

    def _pair(self, expected: Observation, actual: Observation) -> tuple[Tensor, Tensor] | None:
        """The right output and the given one, if they are drawn and of one kind."""
        all_right, all_given = leaves(expected.output), leaves(actual.output)
        if len(all_right) != len(all_given):
            return None
        right, given = all_right[self.output], all_given[self.output]
        drawn = right.numel() >= MANY and len(_values(right)) <= FEW
        same = (right.shape, right.dtype) == (given.shape, given.dtype)
        return (right, given) if drawn and same else None


def _values(right: Tensor) -> Tensor:
    """Each number once, in rising order."""
    return torch.tensor(sorted(set(right.double().flatten().tolist())), dtype=torch.float64)


def _nearest(values: Tensor, given: Tensor) -> Tensor:
    """For each entry, the place of the nearest of the values."""
    return torch.bucketize(given.double(), (values[1:] + values[:-1]) / 2).clamp(
        max=len(values) - 1
    )


def _off(hits: Tensor, due: float, chance: float) -> str:
    """Whether more or fewer are True than a share of `due`, and chance does not explain it."""
    size = hits.numel()
    off = abs(float(hits.sum()) - due * size) > math.sqrt(size * chance)
    return "Some values occur too often, others too seldom." if off else ""


def _uneven(hits: Tensor, chance: float) -> str:
    """Whether some slice has so many or so few of those that are True as chance does not give."""
    share = float(hits.double().mean())
    for axis, length in enumerate(hits.shape):
        counts, size = hits.movedim(axis, 0).flatten(1).sum(1), hits.numel() // length
        slack = math.sqrt(size * chance) + size * math.sqrt(chance / hits.numel())
        if bool(((counts - share * size).abs() > slack).any()):
            return "Entries were not drawn one by one, but several together."
    return ""


def _repeated(places: Tensor, values: int, alike: float) -> str:
    """The first two slices that have more entries alike than chance gives, "" if there are none.

    alike: the chance that two entries are. places: of the value of each entry.
    """
    tests = sum(length**2 for length in places.shape)
    for axis in range(places.dim()):
        slices = places.movedim(axis, 0).flatten(1)
        hits = torch.nn.functional.one_hot(slices, values).double().flatten(1)
        size = slices.size(1)
        most = size * alike + math.sqrt(size * math.log(tests / CHANCE) / 2)
        found = ((hits @ hits.mT).fill_diagonal_(0) > most).nonzero().tolist()
        if found:
            before = ":, " * axis
            return "The same was drawn at [{0}{1}] and at [{0}{2}].".format(before, *found[0])
    return ""


COUNTED = {
    "flops": "Floating-point operations",
    "matmuls": "Matrix products",
    "largest": "Entries of the largest tensor",
}


@dataclass(frozen=True)
class CostAtMost(Property):
    """Counted work stays within `factor` times the oracle's: "flops", "matmuls" or "largest".

    Counted in the largest case, and in every case where calls are forbidden: the bound must hold
    for small inputs, too.
    """

    counter: str
    factor: float
    sentence: str

    def violation(self, expected: Observation, actual: Observation) -> str:
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
    kind.__name__: kind for kind in (Finite, SumsTo, Drawn, CostAtMost)
}


def to_tree(item: Property) -> dict[str, Any]:
    """As a value that `wire.pack` accepts."""
    return {"kind": type(item).__name__, **asdict(item)}


def from_tree(tree: dict[str, Any]) -> Property:
    """The inverse of `to_tree`. Raises KeyError for a kind that does not exist."""
    arguments = dict(tree)
    return KINDS[arguments.pop("kind")](**arguments)


def aligned(
    relations: Iterable[Property], expected: Observation, actual: Observation
) -> Observation:
    """What is expected where some outputs are drawn at random."""
    for relation in relations:
        expected = relation.aligned(expected, actual)
    return expected


def leaves(value: Any) -> list[Tensor]:
    """The tensors of a returned tree, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return []
