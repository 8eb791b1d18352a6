"""What rounding may do to the right numbers. What is further from them is a mistake.

The error of an entry is measured by the largest entry: its terms may have been as large, and
cancelled. Nothing cancels in a weight, which is measured by itself; a masked one is 0. In half
precision an entry may still be off by some percent, but roundings differ from entry to entry and
mistakes do not: there, all errors together and what they have in common are held to less.
"""

import math

import torch
from torch import Tensor

# Rounding errors of a sum of n terms grow like the square root of n; the factor leaves room for
# another order of operations. A mistake is thousands of times larger.
ROUNDINGS, IN_GRADIENTS = 8.0, 8.0
# In half precision it is not. These are root mean square errors in units of eps, about twice the
# largest that right implementations showed, with sums in float32 and with every step rounded.
HALF = {torch.float16: 12.0, torch.bfloat16: 4.0}
HALF_IN_GRADIENTS = 3.0
FEW = 64  # terms; with more, roundings of half precision add up, too
IN_COMMON = 2 / 3  # of the root mean square: the error that all entries share
IN_SHARES = 6.0  # an exponential multiplies the error of its score


def tolerance(dtype: torch.dtype, reduction: int, gradient: bool = False) -> float:
    """Error that honest sums of `reduction` terms leave in one entry, over the largest entry."""
    if not dtype.is_floating_point:
        return 0.0
    if dtype in HALF:
        return 2 * typical(dtype, reduction, gradient)
    more = IN_GRADIENTS if gradient else 1.0
    return more * ROUNDINGS * torch.finfo(dtype).eps * math.sqrt(max(reduction, 1))


def typical(dtype: torch.dtype, reduction: int, gradient: bool = False) -> float:
    """Error that they leave in all entries together, over the entries: root mean squares.

    Infinite but in half precision: elsewhere what one entry is allowed hides no mistake.
    """
    if dtype not in HALF:
        return math.inf
    more = HALF_IN_GRADIENTS if gradient else 1.0
    return more * HALF[dtype] * torch.finfo(dtype).eps * math.sqrt(1 + reduction / FEW)


def within(expected: Tensor, actual: Tensor, reduction: int, gradient: bool = False) -> bool:
    """Whether all is finite and close enough, in as few steps as can tell.

    The tensors have one shape and one dtype. Where this is False, `mismatches` decides.
    """
    if not expected.dtype.is_floating_point or not expected.numel():
        return False
    right, error = expected.double(), actual.double() - expected.double()
    relative = tolerance(expected.dtype, reduction, gradient)
    slack = relative * float(right.abs().max())
    if not float(error.abs().max()) <= slack < math.inf:
        return False
    if (
        not gradient
        and _are_shares(right)
        and _outside_shares(error, right, relative, expected.dtype).any()
    ):
        return False
    return not _systematic(error, right, typical(expected.dtype, reduction, gradient))


def mismatches(expected: Tensor, actual: Tensor, reduction: int, gradient: bool = False) -> Tensor:
    """True where two tensors of one shape and dtype differ by more than rounding explains."""
    if not expected.dtype.is_floating_point:
        return expected != actual
    right, given = expected.double(), actual.double()
    # where both are infinite or NaN, a difference says nothing
    alike = (given == right) | (given.isnan() & right.isnan())
    error = torch.where(alike, 0.0, given - right)
    relative = tolerance(expected.dtype, reduction, gradient)
    largest = float(right[right.isfinite()].abs().max()) if right.isfinite().any() else 0.0
    apart = ~(error.abs() <= max(relative * largest, torch.finfo(expected.dtype).tiny))
    if not gradient and _are_shares(right):
        apart |= _outside_shares(error, right, relative, expected.dtype)
    usual = typical(expected.dtype, reduction, gradient)
    if not apart.any() and _systematic(error, right.nan_to_num(0, 0, 0), usual):
        return error.abs() > IN_COMMON * usual * right.abs()
    return apart


def _systematic(error: Tensor, right: Tensor, usual: float) -> bool:
    """Whether the errors together, or what they have in common, are more than is `usual`."""
    if usual == math.inf:
        return False
    size = float(right.norm())
    common = abs(float((error * right).sum()))  # of errors in proportion to the entries
    return float(error.norm()) > usual * size or common > IN_COMMON * usual * size**2


def _are_shares(right: Tensor) -> bool:
    """Whether these are weights: nothing is negative, and each row sums to 1 or is empty."""
    if right.dim() == 0 or right.size(-1) < 2 or not bool((right >= 0).all()):
        return False
    sums = right.sum(-1)
    return bool(((sums == 0) | ((sums - 1).abs() < 0.01)).all())


def _outside_shares(error: Tensor, right: Tensor, relative: float, dtype: torch.dtype) -> Tensor:
    """True where a weight is further off than its own size and that of its score explain.

    The score of a weight is its logarithm, but for what all scores of a row share.
    """
    slack = relative * (IN_SHARES * right - torch.xlogy(right, right)) + torch.finfo(dtype).tiny
    return ~(error.abs() <= slack)
