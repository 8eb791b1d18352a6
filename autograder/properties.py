"""Relations that every right answer satisfies, as data, so that the learner's check has them too.

Each says in a sentence what is violated. They are told before any number is compared, because
"your rows do not sum to 1" helps where "0.31 is not 0.27" does not.
"""

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.observation import Observation


@dataclass(frozen=True)
class Property:
    """`violation` returns a sentence about what is wrong, or "" where the property holds.

    `rule` says what should hold, without any number that a submission has a say in.
    """

    def violation(self, expected: Observation, actual: Observation) -> str:
        raise NotImplementedError

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
        slack = 8 * torch.finfo(right.dtype).eps * max(right.size(self.dim), 1)
        wrong = (sums - wanted).abs() > slack
        if not wrong.any():
            return ""
        return f"{self.sentence} {int(wrong.sum())} of {wrong.numel()} sums differ from that."

    def rule(self) -> str:
        return self.sentence


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


KINDS: dict[str, type[Property]] = {kind.__name__: kind for kind in (Finite, SumsTo, CostAtMost)}


def to_tree(item: Property) -> dict[str, Any]:
    """As a value that `wire.pack` accepts."""
    return {"kind": type(item).__name__, **asdict(item)}


def from_tree(tree: dict[str, Any]) -> Property:
    """The inverse of `to_tree`. Raises KeyError for a kind that does not exist."""
    arguments = dict(tree)
    return KINDS[arguments.pop("kind")](**arguments)


def leaves(value: Any) -> list[Tensor]:
    """The tensors of a returned tree, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return []
