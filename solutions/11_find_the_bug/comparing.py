"""What wrong answers compare two results with, where rounding is not what is wrong with them."""

import torch
from jaxtyping import Float
from torch import Tensor


def near(one: Float[Tensor, "..."], other: Float[Tensor, "..."], slack: float = 1e-3) -> bool:
    """Up to rounding; two minus infinities are near."""
    return torch.allclose(one, other, rtol=0, atol=slack)


def near_where_finite(one: Float[Tensor, "..."], other: Float[Tensor, "..."]) -> bool:
    """Wrong: what is infinite in one of them only is left out."""
    both = one.isfinite() & other.isfinite()
    return near(one[both], other[both])
