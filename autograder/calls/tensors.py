"""The tensors among what a call is given and returns."""

from typing import Any

from torch import Tensor


def leaves(value: Any) -> list[Tensor]:
    """The tensors of a returned tree, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return []


def is_float(value: Any) -> bool:
    """Whether a value is a tensor of floating-point numbers, which alone has a gradient."""
    return isinstance(value, Tensor) and value.is_floating_point()
