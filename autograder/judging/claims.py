"""What a submission's process claims to have observed: the one place that may refuse it.

What gets through is plain data of the kinds that the judge can compare, so that whatever the judge
raises is a fault of ours.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import Tensor

from autograder.calls.errors import WireError
from autograder.calls.observation import AXES, DTYPES, Failure, Observation, Unsent, absent

DEPTH = 200  # lists within lists
MALFORMED = (TypeError, ValueError, LookupError, AttributeError, OverflowError, RuntimeError)


def claimed(trees: Any, exercise: str, calls: int, failed_cell: Any) -> list[Observation]:
    """The observations of so many calls. Raises WireError for anything else.

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
    for leaf in (*_leaves(seen.output), *gradients.values()):
        if isinstance(leaf, Tensor) and (leaf.dtype not in DTYPES or leaf.dim() > AXES):
            raise WireError(f"a tensor of {leaf.dtype} with {leaf.dim()} axes")
    if not all(value is None or _may_be_gradient(value) for value in gradients.values()):
        raise WireError("a gradient that is no tensor of numbers that have one")
    return seen


def _may_be_gradient(value: Any) -> bool:
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def _leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    if depth > DEPTH:
        raise WireError(f"more than {DEPTH} lists within lists")
    if isinstance(value, tuple | list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item, depth + 1)
    elif value is None or isinstance(value, bool | int | float | str | Tensor | Unsent):
        yield value
    else:
        raise WireError(f"a {type(value).__name__} as a result")
