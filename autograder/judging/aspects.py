"""In which respects two observations of one call are alike: a mistake may be in one of them only.

output: what was returned or raised, whatever its dtype. dtype, inputs (changed or not), device,
gradients and work are what their names say.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_unflatten

from autograder.calls.observation import Observation
from autograder.calls.properties import CostAtMost
from autograder.calls.tensors import is_float, leaves
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.compare import first_difference
from autograder.judging.signs import same_failure

Alike = Callable[[Checks, CheckedCase, Observation, Observation], bool]


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
    """What was given, in the dtypes of what is wanted."""
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


ASPECTS: dict[str, Alike] = {
    "output": _output,
    "dtype": _dtype,
    "inputs": _inputs,
    "device": _device,
    "gradients": _gradients,
    "work": _work,
}


def floats(seen: Observation) -> list[Tensor]:
    """The floating tensors of what was returned."""
    return [leaf for leaf in leaves(seen.output) if is_float(leaf)]
