"""Which general patterns there are in a right tensor and another."""

from collections.abc import Iterator
from itertools import combinations, permutations

import torch
from torch import Tensor

from autograder.diagnosis.circumstances import selections
from autograder.exercise.case import Case
from autograder.exercise.rounding import are_probability_rows, mismatches
from autograder.exercise.tensors import leaves

MAX_AXES = 5  # All their orders are tried.
MAX_SLICES = 64  # The slices along an axis are compared each with each.
BELOW = "is_wrong_below_the_diagonal"
NEAR_ONE = 0.02  # A sum of rounded entries that is nearer to 1 was meant to be 1.


def find_tensor_patterns(case: Case, right: Tensor, given: Tensor, selecting: str) -> Iterator[str]:
    """Names of `catalogue.PATTERNS`; each says something true of these two tensors."""
    if right.dtype != given.dtype and right.shape == given.shape:
        yield "returns_another_dtype"
    elif right.shape != given.shape:
        yield from _of_shapes(case, right, given)
    elif right.dtype == torch.bool:
        yield from _of_truths(case, right, given)
    else:
        yield from _of_numbers(case, right, given)
        yield from _of_places(case, right, given, selecting)


def is_equal(case: Case, right: Tensor, given: Tensor) -> bool:
    """Tell whether two tensors are the same but for rounding and their dtypes."""
    if right.shape != given.shape:
        return False
    return not bool(mismatches(right, given.to(right.dtype), case.exactness).any())


def _of_shapes(case: Case, right: Tensor, given: Tensor) -> Iterator[str]:
    ones = [[size for size in part.shape if size != 1] for part in (right, given)]
    if ones[0] == ones[1]:
        fewer = given.dim() < right.dim()
        yield "drops_an_axis_of_length_1" if fewer else "keeps_an_axis_of_length_1"
    elif right.dim() == given.dim() and sorted(right.shape) == sorted(given.shape):
        yield "transposes" if _is_reordered(case, right, given) else "has_other_lengths"
    elif right.numel() == given.numel() and is_equal(case, right.flatten(), given.flatten()):
        yield "has_another_shape"
    elif right.dim() != given.dim():
        yield "has_other_axes"
    else:
        apart = [other - one for one, other in zip(right.shape, given.shape, strict=True)]
        short = [size for size in apart if size]
        yield "is_too_long_or_short_by_one" if short in ([1], [-1]) else "has_other_lengths"


def _is_reordered(case: Case, right: Tensor, given: Tensor) -> bool:
    if right.dim() > MAX_AXES:
        return False
    return any(
        is_equal(case, right.permute(order), given) for order in permutations(range(right.dim()))
    )


def _of_truths(case: Case, right: Tensor, given: Tensor) -> Iterator[str]:
    if torch.equal(given, ~right):
        yield "negates"
    yield from _of_order(case, right, given)
    if not bool((right & ~given).any()):
        yield "says_yes_too_often"
    if not bool((~right & given).any()):
        yield "says_yes_too_seldom"


def _of_numbers(case: Case, right: Tensor, given: Tensor) -> Iterator[str]:
    if not bool(given.isfinite().all()) and bool(right.isfinite().all()):
        yield "is_not_finite"
        return
    one, other = right.double(), given.double()
    if bool((other == 0).all()):
        yield "is_zero"
    elif _is_constant(other) and not _is_constant(one):
        yield "is_constant"
    yield from _of_rows(case, right, given)
    yield from _of_inputs(case, right, given)
    yield from _of_order(case, right, given)
    yield from _of_scale(case, right, given, one, other)
    apart = (other - one)[mismatches(right, given, case.exactness)]
    if apart.numel() and not right.is_floating_point() and bool((apart.abs() == 1).all()):
        yield "is_off_by_one"
    if apart.numel() and bool((apart > 0).all()):
        yield "is_too_large"
    if apart.numel() and bool((apart < 0).all()):
        yield "is_too_small"


def _is_constant(numbers: Tensor) -> bool:
    return numbers.numel() > 1 and bool((numbers == numbers.flatten()[0]).all())


def _of_rows(case: Case, right: Tensor, given: Tensor) -> Iterator[str]:
    if not _has_probability_rows(right) or not bool((given >= 0).all()):
        return
    if is_equal(case, right.double().softmax(-1).to(right.dtype), given):
        yield "is_the_softmax_of_what_is_right"
    wanted, sums = right.double().sum(-1), given.double().sum(-1)
    if bool(((sums - wanted).abs() < NEAR_ONE).all()):
        return
    over = [axis for axis in range(given.dim() - 1)
            if bool(((given.double().sum(axis) - 1).abs() < NEAR_ONE).all())]  # fmt: skip
    yield "normalises_over_another_axis" if over else "does_not_normalise"


def _has_probability_rows(right: Tensor) -> bool:
    return right.is_floating_point() and are_probability_rows(right) and bool(right.any())


def _of_inputs(case: Case, right: Tensor, given: Tensor) -> Iterator[str]:
    if not right.is_floating_point():
        return
    for value in leaves(list(case.inputs.values())):
        if value.shape != right.shape or value.dtype != right.dtype:
            continue
        if is_equal(case, value, given):
            yield "returns_an_input"
        elif is_equal(case, right + value, given):
            yield "adds_an_input"
        elif is_equal(case, right - value, given):
            yield "leaves_out_an_input"


def _of_scale(
    case: Case, right: Tensor, given: Tensor, one: Tensor, other: Tensor
) -> Iterator[str]:
    size = float((one * one).sum())
    wrong = mismatches(right, given, case.exactness)
    if one.numel() < 2 or not size > 0 or not right.is_floating_point():
        return
    if 2 * int(wrong.sum()) < int((one != 0).sum()):
        return  # Most entries are right but for rounding.
    factor = float((one * other).sum()) / size
    if factor and is_equal(case, (factor * one).to(right.dtype), given):
        yield "negates" if abs(factor + 1) < 1e-3 else "scales_by_a_constant"
    shift = float((other - one).mean())
    if shift and is_equal(case, (one + shift).to(right.dtype), given):
        yield "adds_a_constant"


def _of_order(case: Case, right: Tensor, given: Tensor) -> Iterator[str]:
    """Tell whether the right slices or entries are there, elsewhere."""
    square = [two for two in combinations(range(right.dim()), 2)
              if right.size(two[0]) == right.size(two[1]) > 1]  # fmt: skip
    if any(is_equal(case, right.transpose(*two), given) for two in square):
        yield "transposes"
    for axis, size in enumerate(right.shape):
        if not 1 < size <= MAX_SLICES:
            continue
        if is_equal(case, right.flip(axis), given):
            yield "reverses"
        elif _is_shifted(case, right, given, axis):
            yield "shifts_by_one"
        elif _is_permuted(case, right, given, axis):
            yield "permutes"
    if _are_elsewhere(case, right, given):
        yield "puts_numbers_elsewhere"


def _are_elsewhere(case: Case, right: Tensor, given: Tensor) -> bool:
    """Tell whether those that are wrong are the right ones of the same places, in another order.

    All together would say little: of many numbers that are a little off, each is near some other.
    """
    wrong = mismatches(right, given.to(right.dtype), case.exactness)
    moved, placed = (part.double()[wrong].sort().values for part in (given, right))
    return len({*placed.tolist()}) > 2 and is_equal(case, placed.to(right.dtype), moved)


def _is_shifted(case: Case, right: Tensor, given: Tensor, axis: int) -> bool:
    size = right.size(axis)
    if size < 3 or is_equal(case, right.narrow(axis, 0, size - 1), right.narrow(axis, 1, size - 1)):
        return False  # Equal slices show nothing.
    forth = is_equal(case, right.narrow(axis, 0, size - 1), given.narrow(axis, 1, size - 1))
    return forth or is_equal(case, right.narrow(axis, 1, size - 1), given.narrow(axis, 0, size - 1))


def _is_permuted(case: Case, right: Tensor, given: Tensor, axis: int) -> bool:
    """Tell whether each slice of one is a slice of the other. Equal slices tell nothing."""
    one, other = (part.movedim(axis, 0).reshape(part.size(axis), -1) for part in (right, given))
    if len({*map(tuple, one.tolist())}) < len(one) or not bool(other.isfinite().all()):
        return False
    nearest = torch.cdist(other.double(), one.double()).argmin(1)
    return len({*nearest.tolist()}) == len(nearest) and is_equal(case, one[nearest], other)


def _of_places(case: Case, right: Tensor, given: Tensor, selecting: str) -> Iterator[str]:
    """Say where all that is wrong lies, if it lies together and something else is right."""
    wrong = mismatches(right, given, case.exactness)
    if wrong.dim() == 0 or bool(wrong.all()) or not bool(wrong.any()):
        return
    for selection in selections(case, selecting):
        yield from _of_selection(selection, wrong)
    triangle = set(_of_triangles(wrong))
    firsts = wrong.reshape(wrong.size(0), -1).any(1)
    # The first row of a matrix has nothing below the diagonal, so that it says nothing there.
    telling = wrong.dim() != 2 or BELOW not in triangle
    if telling and len(firsts) > 1 and not bool(firsts[0]) and bool(firsts[1:].all()):
        yield "is_right_for_the_first_only"
    for axis, size in enumerate(wrong.shape):
        others = wrong.movedim(axis, 0)
        if size > 2 and not bool(others[1:].any()):
            yield "is_wrong_at_the_first"
        if size > 2 and not bool(others[:-1].any()):
            yield "is_wrong_at_the_last"
    yield from triangle


def _of_triangles(wrong: Tensor) -> Iterator[str]:
    """Tell whether all that is wrong lies on the diagonal, or on one side of it.

    In other than square tensors the diagonal may begin in either corner.
    """
    if wrong.dim() < 2 or not wrong.size(-1) == wrong.size(-2) > 1:
        return
    if not bool((wrong & ~torch.eye(*wrong.shape[-2:], dtype=torch.bool)).any()):
        yield "is_wrong_on_the_diagonal"
    elif not bool(wrong.tril().any()):
        yield "is_wrong_above_the_diagonal"
    elif not bool(wrong.triu().any()):
        yield BELOW


def _of_selection(selection: Tensor, wrong: Tensor) -> Iterator[str]:
    """Tell whether only that is wrong which a boolean input does not select."""
    if _lies_within(wrong, ~selection):
        yield "is_wrong_where_false"
    if selection.dim() and selection.dim() <= wrong.dim():
        empty = ~selection.any(-1, keepdim=True)
        if bool(empty.any()) and _lies_within(wrong, empty):
            yield "is_wrong_in_rows_without_true"


def _lies_within(wrong: Tensor, region: Tensor) -> bool:
    """Tell whether all that is wrong lies in a region; False if that cannot be broadcast."""
    try:
        return not bool((wrong & ~region.broadcast_to(wrong.shape)).any())
    except RuntimeError:
        return False
