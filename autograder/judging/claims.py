"""A submission's process claims to have observed something: this is the one place to refuse it.

What gets through is plain data of the kinds that the judge can compare, so that whatever the judge
raises is a fault of ours.
"""

from dataclasses import replace
from typing import Any

from torch import Tensor

from autograder.common.errors import WireError
from autograder.exercise.observation import (
    AXES,
    DTYPES,
    PARTS,
    Failure,
    Observation,
    Unsent,
    absent,
)
from autograder.exercise.tensors import parts

DEPTH = 200  # lists within lists
RETURNED = (bool, int, float, str, tuple, list, dict, Tensor, Unsent)
MALFORMED = (TypeError, ValueError, LookupError, AttributeError, OverflowError, RuntimeError)


def claimed(trees: Any, exercise: str, calls: int, failed_cell: Any) -> list[Observation]:
    """Return the observations of so many calls. Raises WireError for anything else.

    failed_cell: the failure of the cell that should have defined the exercise, None if it ran.
    """
    try:
        seen = [_observation(tree) for tree in trees]
        if len(seen) != calls:
            raise WireError("another number of calls")
        first = seen[0].failure
        if failed_cell is not None and first and first.message == absent(exercise):
            cause = Failure.from_tree(failed_cell)
            seen = [replace(observation, failure=cause) for observation in seen]
    except MALFORMED as error:
        raise WireError(f"no observation: {type(error).__name__}: {error}") from None
    return seen


def _observation(tree: Any) -> Observation:
    seen = Observation.from_tree(tree)
    gradients = {} if seen.gradients is None else seen.gradients
    if not isinstance(gradients, dict):
        raise WireError("gradients without names")
    for count, (part, depth) in enumerate(parts(seen.output)):
        if count >= PARTS or depth > DEPTH:
            raise WireError(f"more than {PARTS} values or {DEPTH} lists within lists")
        _refuse_strange(part)
    for gradient in gradients.values():
        if gradient is not None and not _may_be_gradient(gradient):
            raise WireError("a gradient that is no tensor of numbers that have one")
        _refuse_strange(gradient)
    return seen


def _refuse_strange(part: Any) -> None:
    if part is not None and not isinstance(part, RETURNED):
        raise WireError(f"a {type(part).__name__} as a result")
    if isinstance(part, Tensor) and (part.dtype not in DTYPES or part.dim() > AXES):
        raise WireError(f"a tensor of {part.dtype} with {part.dim()} axes")


def _may_be_gradient(value: Any) -> bool:
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())
