"""By which constant a result is scaled: a length of an input, its root, or a plain number."""

from dataclasses import dataclass

from torch import Tensor

from autograder.diagnosis.tensor_patterns import is_equal
from autograder.exercise.case import Case
from autograder.exercise.observation import Observation
from autograder.exercise.tensors import is_float, leaves

POWERS = {
    1.0: "times",
    0.5: "times the root of",
    -1.0: "divided by",
    -0.5: "divided by the root of",
}
WHAT = "The output that differs is the right one"
NEAR = 1e-2  # Two factors that differ by less, over either, are one: half precision needs it.


@dataclass(frozen=True)
class Scaled:
    """A call whose result is `factor` times the right one."""

    case: Case
    factor: float


def describe_factor(calls: list[tuple[Case, Observation, Observation]]) -> str:
    """Say what the factor is in all of some calls, "" where they have nothing in common.

    Each call is a case, the right observation and the one that is a multiple of it.
    """
    scaled = [Scaled(case, _factor(case, *seen)) for case, *seen in calls]
    common = set.intersection(*map(_scaling_lengths, scaled))
    for name, axis, power in sorted(common, key=lambda found: (found[1], found[0])):
        return f"{WHAT} {POWERS[power]} the length of axis {axis} of `{name}`."
    factors = [one.factor for one in scaled]
    if all(_is_near(factor, factors[0]) for factor in factors) and not _is_near(factors[0], 1.0):
        return f"{WHAT} times {factors[0]:.3g}."
    return ""


def _factor(case: Case, right: Observation, given: Observation) -> float:
    """The factor of the first floating outputs that differ by more than rounding."""
    for one, other in zip(leaves(right.output), leaves(given.output), strict=False):
        if is_float(one) and is_float(other) and not is_equal(case, one, other):
            return _factor_between(one, other)
    return 1.0


def _factor_between(right: Tensor, given: Tensor) -> float:
    one, other = right.double(), given.double()
    return float((one * other).sum() / (one * one).sum())


def _scaling_lengths(scaled: Scaled) -> set[tuple[str, int, float]]:
    """Each input, axis and power that give the factor."""
    return {
        (name, axis - value.dim(), power)
        for name, value in scaled.case.inputs.items() if isinstance(value, Tensor)
        for axis, size in enumerate(value.shape) if size > 1
        for power in POWERS if _is_near(size**power, scaled.factor)
    }  # fmt: skip


def _is_near(one: float, other: float) -> bool:
    return abs(one - other) <= NEAR * abs(other)
