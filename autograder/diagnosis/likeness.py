"""Compare two observations of one call: aspect by aspect, or an answer's with a known mistake's.

output: what was returned or raised, whatever its dtype. dtype, inputs (changed or not), device,
gradients and work are what their names say.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_unflatten

from autograder.diagnosis.patterns import same_failure
from autograder.exercise.case import Property
from autograder.exercise.observation import Observation
from autograder.exercise.properties import CostAtMost, Drawn, aligned
from autograder.exercise.rounding import tolerance
from autograder.exercise.tensors import is_float, leaves
from autograder.exercise.witness import Witness
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.compare import first_difference
from autograder.judging.difference import Difference, DifferenceKind

AreAlike = Callable[[Checks, CheckedCase, Observation, Observation], bool]


def _output(checks: Checks, checked: CheckedCase, one: Observation, other: Observation) -> bool:
    given = Observation(output=_cast(one.output, other.output), failure=other.failure)
    wanted = Observation(output=one.output, failure=one.failure)
    if first_difference(wanted, given, checks.returns, checked.case.exactness):
        return False
    if not same_failure(one.failure, other.failure):
        return False
    if one is not checked.expected:
        return True
    relations = (part for part in checks.properties if not isinstance(part, CostAtMost))
    return not any(relation.violation(one, other, checked.case) for relation in relations)


def _cast(wanted: Any, given: Any) -> Any:
    """Convert what was given to the dtypes of what is wanted."""
    right, _ = tree_flatten(wanted)
    parts, structure = tree_flatten(given)
    if len(right) != len(parts):
        return given
    pairs = zip(right, parts, strict=True)
    cast = [part.to(like.dtype) if is_float(like) and is_float(part) else part
            for like, part in pairs]  # fmt: skip
    return tree_unflatten(cast, structure)


def _dtype(checks: Checks, checked: CheckedCase, one: Observation, other: Observation) -> bool:
    kinds = [[leaf.dtype for leaf in leaves(seen.output)] for seen in (one, other)]
    return kinds[0] == kinds[1] or len(kinds[0]) != len(kinds[1])


def _inputs(checks: Checks, checked: CheckedCase, one: Observation, other: Observation) -> bool:
    known = checked.case.inputs
    return {*one.changed} & {*known} == {*other.changed} & {*known}


def _device(checks: Checks, checked: CheckedCase, one: Observation, other: Observation) -> bool:
    return bool(one.clash) == bool(other.clash)


def _gradients(checks: Checks, checked: CheckedCase, one: Observation, other: Observation) -> bool:
    wanted, given = (
        Observation(gradients=seen.gradients, gradient_failure=seen.gradient_failure)
        for seen in (one, other)
    )
    return not first_difference(wanted, given, checks.returns, checked.case.exactness)


def _work(checks: Checks, checked: CheckedCase, one: Observation, other: Observation) -> bool:
    limits = [relation for relation in checks.properties if isinstance(relation, CostAtMost)]
    right = checked.expected
    return all(
        bool(limit.violation(right, one)) == bool(limit.violation(right, other)) for limit in limits
    )


ASPECTS: dict[str, AreAlike] = {
    "output": _output,
    "dtype": _dtype,
    "inputs": _inputs,
    "device": _device,
    "gradients": _gradients,
    "work": _work,
}


def float_tensors(seen: Observation) -> list[Tensor]:
    """The floating tensors of what was returned."""
    return [leaf for leaf in leaves(seen.output) if is_float(leaf)]


def is_mistake(
    checks: Checks, checked: CheckedCase, name: str, seen: Observation, ignore_device: bool
) -> bool:
    """Tell whether an observation is that of a known mistake in every respect."""
    wrong, exactness, returns = checked.wrong[name], checked.case.exactness, checks.returns
    if type(wrong.output) is float and type(seen.output) is int:
        return False  # An integer is accepted as a float, but was not computed as one.
    clash = wrong.clash if ignore_device else seen.clash
    placed = replace(seen, devices=wrong.devices, clash=clash)
    if not same_failure(wrong.failure, seen.failure):
        return False
    relations, right = checks.properties, checked.expected
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
    back = aligned(draws, placed, wrong)  # A draw of few values is among those of many.
    if draws and first_difference(back, wrong, returns, exactness):
        return False
    return all(_violate_alike(part, right, wrong, seen) for part in relations)


def _is_rounding(difference: Difference, checked: CheckedCase) -> bool:
    """Tell whether two outputs that differ are both rounding beside the right one.

    Where all of a mistake's terms cancel, one processor gives 0 and another 1e-9.
    """
    right = checked.expected.output
    values = [right, difference.expected, difference.actual]
    are_numbers = all(map(is_float, values))
    if difference.kind != DifferenceKind.VALUES or not are_numbers or not right.numel():
        return False
    slack = tolerance(right.dtype, checked.case.exactness) * right.abs().max()
    return all(bool((value.abs() <= slack).all() & slack.isfinite()) for value in values[1:])


def _violate_alike(
    relation: Property, right: Observation, wrong: Observation, seen: Observation
) -> bool:
    """Tell whether two observations violate alike what comparing outputs does not show."""
    match relation:
        case Drawn():
            return relation.alike(right, wrong, seen)
        case CostAtMost():  # The numbers in the two sentences may differ.
            return bool(relation.violation(right, wrong)) == bool(relation.violation(right, seen))
    return True
