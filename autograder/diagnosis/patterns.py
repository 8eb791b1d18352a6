"""Which general patterns there are in a right observation and another: a set of names.

Names are those of `catalogue.PATTERNS`. Each is a true statement about these two observations.
"""

import re
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from autograder.confined.failures import AN_INPUT, THE_CHECK
from autograder.diagnosis.catalogue import EVERY_PATTERN
from autograder.diagnosis.tensor_patterns import find_tensor_patterns, is_equal
from autograder.exercise.case import Case
from autograder.exercise.observation import Failure, Observation, Unsent
from autograder.exercise.tensors import leaves, parts
from autograder.judging.compare import first_difference
from autograder.judging.difference import Difference, DifferenceKind

LOADING = re.compile(r"^Error\(s\) in loading state_dict for \w+:")  # It names the class.
PARAMETERS = "has_other_parameters"
OF_A_CALL = {
    PARAMETERS,
    "takes_other_arguments",
    "calls_no_super_init",
}  # The learner's code may not make it.
OF_ALL_THAT_DIFFERS = {
    "is_right_for_the_first_only",
    "is_wrong_where_false",
    "is_wrong_in_rows_without_true",
    "is_wrong_at_the_first",
    "is_wrong_at_the_last",
    "is_wrong_on_the_diagonal",
    "is_wrong_above_the_diagonal",
    "is_wrong_below_the_diagonal",
    "is_off_by_one",
    "is_too_large",
    "is_too_small",
}  # They would be false of an output that differs otherwise.
MAX_OUTPUTS = 4  # All their orders are tried.


def find_patterns(
    case: Case, right: Observation, seen: Observation, difference: Difference, selecting: str = ""
) -> set[str]:
    """All patterns in an observation that differs from the right one.

    selecting: as in `Vocabulary`.
    """
    if difference.failure:
        return {_failure_pattern(difference.failure)}
    if difference.kind.pattern:
        return {difference.kind.pattern}
    if difference.kind == DifferenceKind.WITNESS:
        return set()  # What the oracle returned is one of many right answers.
    if difference.kind == DifferenceKind.GRADIENT:
        return {_gradient_pattern(difference)}
    if difference.kind == DifferenceKind.TYPE:
        found = set(_of_types(right.output, seen.output))
    else:
        found = set(_of_outputs(case, right.output, seen.output, selecting))
    if found or difference.kind != DifferenceKind.PROPERTY or _differ(case, right, seen):
        return found
    return {"works_too_much"}


def _differ(case: Case, right: Observation, seen: Observation) -> bool:
    """Tell whether the outputs differ; if they do not, a bound on the work is violated."""
    pairs = zip(leaves(right.output), leaves(seen.output), strict=False)
    return not leaves(right.output) or not all(are_alike(case, *pair) for pair in pairs)


def same_failure(one: Failure | None, other: Failure | None) -> bool:
    """Tell whether two exceptions are of one kind; where parameters have other names, the same."""
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


def _gradient_pattern(difference: Difference) -> str:
    given = difference.actual
    infinite = isinstance(given, Tensor) and not bool(given.isfinite().all())
    infinite = infinite or "NaN or infinite" in difference.sentence
    return "has_infinite_gradients" if infinite else "has_another_gradient"


def _of_types(right: Any, given: Any) -> Iterator[str]:
    """The patterns of what is of another type than the right one, or has parts that are."""
    if given is None:
        yield "returns_nothing"
    elif isinstance(right, Tensor):
        yield "returns_other_things" if isinstance(given, tuple | list) else "returns_no_tensor"
    elif isinstance(right, bool | int | float | str) and isinstance(given, Tensor):
        yield "returns_a_tensor"
    elif _have_as_many_parts(right, given):
        for one, other in zip(right, given, strict=True):
            if isinstance(one, Tensor) != isinstance(other, Tensor) or isinstance(other, Unsent):
                yield from _of_types(one, other)
    else:
        yield "returns_other_things"


def _have_as_many_parts(right: Any, given: Any) -> bool:
    lists = isinstance(right, tuple | list) and isinstance(given, tuple | list)
    return lists and len(right) == len(given)


def _of_outputs(case: Case, right: Any, given: Any, selecting: str) -> Iterator[str]:
    pairs = list(zip(leaves(right), leaves(given), strict=False))
    if not pairs:
        yield from _of_values(right, given)
        return
    if 1 < len(pairs) <= MAX_OUTPUTS and _are_exchanged(case, leaves(right), leaves(given)):
        yield "returns_them_in_another_order"
    wrong = [pair for pair in pairs if not are_alike(case, *pair)]
    if wrong:
        found = [set(find_tensor_patterns(case, *pair, selecting)) for pair in wrong]
        yield from _of_several(found, _of_numbers_beside(case, right, given))


def _of_several(found: list[set[str]], beside: list[set[str]]) -> set[str]:
    """Choose the patterns to report where several outputs differ.

    These are the patterns that hold for every output; if there are none, those of the first.
    beside: the patterns of plain numbers that are returned beside the tensors.
    """
    common = set.intersection(*found)
    of_all = set.intersection(common, *beside)
    return (common or found[0]) - (OF_ALL_THAT_DIFFERS - of_all)


def _of_numbers_beside(case: Case, right: Any, given: Any) -> list[set[str]]:
    """Return the patterns of each wrong output that is a plain number."""
    trees = ([Observation(output=part) for part, _ in parts(tree) if type(part) in (int, float)]
             for tree in (right, given))  # fmt: skip
    return [set(_of_plain_numbers([(one.output, other.output)]))
            for one, other in zip(*trees, strict=False)
            if first_difference(one, other, ("it",), case.exactness)]  # fmt: skip


def _are_exchanged(case: Case, right: list[Tensor], given: list[Tensor]) -> bool:
    if len(right) != len(given):
        return False
    orders = list(permutations(range(len(right))))[1:]
    return any(
        all(are_alike(case, right[i], given[j]) for i, j in enumerate(order)) for order in orders
    )


def are_alike(case: Case, right: Tensor, given: Tensor) -> bool:
    """Tell whether two tensors are the same but for rounding."""
    return right.dtype == given.dtype and is_equal(case, right, given)


def _of_values(right: Any, given: Any) -> Iterator[str]:
    """The patterns of plain numbers and truth values, or of lists of them."""
    parts = (part if isinstance(part, list | tuple) else [part] for part in (right, given))
    numbers = bool | int | float
    pairs = [(one, other) for one, other in zip(*parts, strict=False)
             if isinstance(one, numbers) and isinstance(other, numbers)
             and one != other]  # fmt: skip
    if all(isinstance(one, bool) and isinstance(other, bool) for one, other in pairs):
        yield from _of_plain_truths([other for _, other in pairs])
    else:
        yield from _of_plain_numbers(pairs)


def _of_plain_truths(wrong: list[Any]) -> Iterator[str]:
    if wrong and all(wrong):
        yield "says_yes_too_often"
    if wrong and not any(wrong):
        yield "says_yes_too_seldom"


def _of_plain_numbers(pairs: list[tuple[Any, Any]]) -> Iterator[str]:
    try:
        apart = torch.tensor([float(other) - float(one) for one, other in pairs])
    except OverflowError:
        return
    if apart.isnan().any():
        yield "is_not_finite"
    elif bool((apart.abs() == 1).all()):
        yield "is_off_by_one"
    elif bool((apart > 0).all()):
        yield "is_too_large"
    elif bool((apart < 0).all()):
        yield "is_too_small"
