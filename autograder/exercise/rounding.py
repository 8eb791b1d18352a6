"""Rounding may move the right numbers by so much. What is further from them is a mistake.

The error of an entry is measured by the largest entry: its terms may have been as large, and
cancelled. Entries of a probability row are measured by themselves, since nothing cancels in them.
In half precision an entry may still be off by some percent, but roundings differ from entry to
entry and mistakes do not: there, all errors together and what they have in common are held to less.
An author who states a tolerance for a case replaces all of this by one number.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

# Rounding errors of a sum of n terms grow like the square root of n; the factor leaves room for
# another order of operations. A mistake is thousands of times larger.
ROUNDING_FACTOR, GRADIENT_FACTOR = 8.0, 8.0
# In half precision it is not. These are root mean square errors in units of eps, about twice the
# largest that right implementations showed, with sums in float32 and with every step rounded.
HALF_PRECISION_FACTORS = {torch.float16: 12.0, torch.bfloat16: 4.0}
HALF_PRECISION_GRADIENT_FACTOR = 3.0
FEW_TERMS = 64  # With more of them, roundings of half precision add up, too.
COMMON_ERROR_SHARE = 2 / 3  # The error that all entries share, over the root mean square error.
EXPONENTIAL_ERROR_FACTOR = 6.0  # An exponential multiplies the error of its argument.
ROW_SUM_SLACK = 0.01  # The entries of a row were rounded before they were added up.


@dataclass(frozen=True)
class Exactness:
    """The exactness that a result has to have.

    terms: the length of the longest sum in it, with which rounding errors grow.
    tolerance: the error that its author allows an entry, over the largest entry; None where it is
        what rounding explains.
    """

    terms: int
    tolerance: float | None = None


def tolerance(dtype: torch.dtype, exactness: Exactness, gradient: bool = False) -> float:
    """Error that is allowed in one entry, over the largest entry."""
    if not dtype.is_floating_point:
        return 0.0
    if exactness.tolerance is not None:
        return exactness.tolerance
    if dtype in HALF_PRECISION_FACTORS:
        return 2 * typical_error(dtype, exactness, gradient)
    more = GRADIENT_FACTOR if gradient else 1.0
    return more * ROUNDING_FACTOR * torch.finfo(dtype).eps * math.sqrt(max(exactness.terms, 1))


def typical_error(dtype: torch.dtype, exactness: Exactness, gradient: bool = False) -> float:
    """Error that is allowed in all entries together, over the entries: root mean squares.

    It is infinite but in half precision: elsewhere what one entry is allowed hides no mistake.
    """
    if dtype not in HALF_PRECISION_FACTORS or exactness.tolerance is not None:
        return math.inf
    more = HALF_PRECISION_GRADIENT_FACTOR if gradient else 1.0
    eps = torch.finfo(dtype).eps
    return more * HALF_PRECISION_FACTORS[dtype] * eps * math.sqrt(1 + exactness.terms / FEW_TERMS)


def within(expected: Tensor, actual: Tensor, exactness: Exactness, gradient: bool = False) -> bool:
    """Tell whether all is finite and close enough, in as few steps as can tell.

    The tensors have one shape and one dtype. Where this is False, `mismatches` decides.
    """
    if not expected.dtype.is_floating_point or not expected.numel():
        return False
    right, error = expected.double(), actual.double() - expected.double()
    relative = tolerance(expected.dtype, exactness, gradient)
    slack = relative * float(right.abs().max())
    if not float(error.abs().max()) <= slack < math.inf:
        return False
    if (
        _compares_rows(right, exactness, gradient)
        and _off_in_rows(error, right, relative, expected.dtype).any()
    ):
        return False
    return not _is_systematic(error, right, typical_error(expected.dtype, exactness, gradient))


def mismatches(
    expected: Tensor, actual: Tensor, exactness: Exactness, gradient: bool = False
) -> Tensor:
    """True where two tensors of one shape and dtype differ by more than is allowed."""
    if not expected.dtype.is_floating_point:
        return expected != actual
    right, given = expected.double(), actual.double()
    # Where both are infinite or NaN, a difference says nothing.
    alike = (given == right) | (given.isnan() & right.isnan())
    error = torch.where(alike, 0.0, given - right)
    relative = tolerance(expected.dtype, exactness, gradient)
    largest = float(right[right.isfinite()].abs().max()) if right.isfinite().any() else 0.0
    apart = ~(error.abs() <= max(relative * largest, torch.finfo(expected.dtype).tiny))
    if _compares_rows(right, exactness, gradient):
        apart |= _off_in_rows(error, right, relative, expected.dtype)
    usual = typical_error(expected.dtype, exactness, gradient)
    if not apart.any() and _is_systematic(error, right.nan_to_num(0, 0, 0), usual):
        return error.abs() > COMMON_ERROR_SHARE * usual * right.abs()
    return apart


def _is_systematic(error: Tensor, right: Tensor, usual: float) -> bool:
    """Tell whether the errors together, or what they have in common, are more than is `usual`."""
    if usual == math.inf:
        return False
    size = float(right.norm())
    common = abs(float((error * right).sum()))  # Of errors in proportion to the entries.
    return float(error.norm()) > usual * size or common > COMMON_ERROR_SHARE * usual * size**2


def are_probability_rows(right: Tensor) -> bool:
    """Tell whether nothing is negative, and each row sums to 1 or is 0 throughout."""
    if right.dim() == 0 or right.size(-1) < 2 or not bool((right >= 0).all()):
        return False
    sums = right.double().sum(-1)
    return bool(((sums == 0) | ((sums - 1).abs() < ROW_SUM_SLACK)).all())


def _compares_rows(right: Tensor, exactness: Exactness, gradient: bool) -> bool:
    """Tell whether entries are measured by themselves, if the author states no tolerance."""
    return not gradient and exactness.tolerance is None and are_probability_rows(right)


def _off_in_rows(error: Tensor, right: Tensor, relative: float, dtype: torch.dtype) -> Tensor:
    """True where a probability is further off than its own size and that of its score explain.

    The score of a probability is its logarithm, but for what all scores of a row share.
    """
    slack = relative * (EXPONENTIAL_ERROR_FACTOR * right - torch.xlogy(right, right))
    return ~(error.abs() <= slack + torch.finfo(dtype).tiny)
