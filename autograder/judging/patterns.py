"""Which general patterns there are in a right observation and another: a set of names.

Names are those of `catalogue.PATTERNS`. Each is a true statement about these two observations.
"""

import re
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from autograder.calls.failures import AN_INPUT, THE_CHECK
from autograder.calls.observation import Failure, Observation, Unsent
from autograder.calls.spec import Case
from autograder.calls.tensors import leaves
from autograder.judging.catalogue import EVERY_PATTERN
from autograder.judging.difference import Difference, DifferenceKind
from autograder.judging.tensor_patterns import equal, tensor_patterns

LOADING = re.compile(r"^Error\(s\) in loading state_dict for \w+:")  # It names the class.
PARAMETERS = "has_other_parameters"
OF_A_CALL = {PARAMETERS, "takes_other_arguments", "calls_no_super_init"}  # whoever makes the call
MAX_OUTPUTS = 4  # All their orders are tried.


def patterns(
    case: Case, right: Observation, seen: Observation, difference: Difference, selecting: str = ""
) -> set[str]:
    """All patterns in an observation that differs from the right one.

    selecting: as in `Vocabulary`.
    """
    if difference.failure:
        return {_failure_pattern(difference.failure)}
    if difference.kind.pattern:
        return {difference.kind.pattern}
    if difference.kind == DifferenceKind.WITNESS:  # what the oracle returned is one of many
        return set()
    if difference.kind == DifferenceKind.GRADIENT:
        return {_of_gradient(difference)}
    if difference.kind == DifferenceKind.TYPE:
        return set(_of_kinds(right.output, seen.output))
    found = set(_of_outputs(case, right.output, seen.output, selecting))
    works = difference.kind == DifferenceKind.PROPERTY and not _differ(case, right, seen)
    return found or ({"works_too_much"} if works else set())


def _differ(case: Case, right: Observation, seen: Observation) -> bool:
    """Whether outputs do; if not, what is violated is a bound on the work."""
    pairs = zip(leaves(right.output), leaves(seen.output), strict=False)
    return not leaves(right.output) or not all(alike(case, *pair) for pair in pairs)


def same_failure(one: Failure | None, other: Failure | None) -> bool:
    """Whether two exceptions are of one kind; for parameters of other names, of the same ones."""
    if one is None or other is None:
        return one is other
    kinds = exception_pattern(one), exception_pattern(other)
    texts = (LOADING.sub("", failure.message) for failure in (one, other))
    return kinds[0] == kinds[1] and (kinds[0] != PARAMETERS or len({*texts}) == 1)


def _failure_pattern(failure: Failure) -> str:
    """The kind of an exception, which may have been raised by code that is not the learner's."""
    kind = exception_pattern(failure)
    if failure.within == AN_INPUT:
        return "raises_in_what_it_was_given"
    if failure.within == THE_CHECK and kind not in OF_A_CALL:
        return "returns_what_cannot_be_used"
    return kind


def exception_pattern(failure: Failure) -> str:
    """The pattern of an exception, by its type and text."""
    said = f"{failure.type}: {failure.message}"
    found = (one.name for one in EVERY_PATTERN if any(part in said for part in one.raised))
    return next(found, "raises")


def _of_gradient(difference: Difference) -> str:
    given = difference.actual
    infinite = isinstance(given, Tensor) and not bool(given.isfinite().all())
    infinite = infinite or "NaN or infinite" in difference.sentence
    return "has_infinite_gradients" if infinite else "has_another_gradient"


def _of_kinds(right: Any, given: Any) -> Iterator[str]:
    if given is None:
        yield "returns_nothing"
    elif isinstance(right, Tensor):
        yield "returns_other_things" if isinstance(given, tuple | list) else "returns_no_tensor"
    elif isinstance(right, bool | int | float | str) and isinstance(given, Tensor):
        yield "returns_a_tensor"
    elif isinstance(right, tuple | list) and isinstance(given, tuple | list):
        if len(right) == len(given):
            for one, other in zip(right, given, strict=True):
                if isinstance(one, Tensor) != isinstance(other, Tensor) or isinstance(
                    other, Unsent
                ):
                    yield from _of_kinds(one, other)
        else:
            yield "returns_other_things"
    else:
        yield "returns_other_things"


def _of_outputs(case: Case, right: Any, given: Any, selecting: str) -> Iterator[str]:
    pairs = list(zip(leaves(right), leaves(given), strict=False))
    if not pairs:
        yield from _of_values(right, given)
        return
    if 1 < len(pairs) <= MAX_OUTPUTS and _exchanged(case, leaves(right), leaves(given)):
        yield "returns_them_in_another_order"
    wrong = [pair for pair in pairs if not alike(case, *pair)]
    if wrong:
        found = [set(tensor_patterns(case, *pair, selecting)) for pair in wrong]
        yield from set.intersection(*found) or found[0]


def _exchanged(case: Case, right: list[Tensor], given: list[Tensor]) -> bool:
    if len(right) != len(given):
        return False
    orders = list(permutations(range(len(right))))[1:]
    return any(
        all(alike(case, right[i], given[j]) for i, j in enumerate(order)) for order in orders
    )


def alike(case: Case, right: Tensor, given: Tensor) -> bool:
    """Whether two tensors are the same but for rounding."""
    return right.dtype == given.dtype and equal(case, right, given)


def _of_values(right: Any, given: Any) -> Iterator[str]:
    """Of plain numbers and truth values, or lists of them."""
    right, given = (part if isinstance(part, list | tuple) else [part] for part in (right, given))
    numbers = bool | int | float
    pairs = [(one, other) for one, other in zip(right, given, strict=False)
             if isinstance(one, numbers) and isinstance(other, numbers)
             and one != other]  # fmt: skip
    if all(isinstance(one, bool) and isinstance(other, bool) for one, other in pairs):
        yield from ("says_yes_too_often" for _, other in pairs[:1] if all(g for _, g in pairs))
        yield from ("says_yes_too_seldom" for _ in pairs[:1] if not any(g for _, g in pairs))
        return
    try:
        apart = torch.tensor([float(other) - float(one) for one, other in pairs])
    except OverflowError:
        return
    if apart.isnan().any():
        yield "is_not_finite"
    elif len(apart) and bool((apart.abs() == 1).all()):
        yield "is_off_by_one"
    elif len(apart) and bool((apart > 0).all()):
        yield "is_too_large"
    elif len(apart) and bool((apart < 0).all()):
        yield "is_too_small"
