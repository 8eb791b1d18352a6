"""The tensors among what a call is given and returns; and one thread to compute with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor


def leaves(value: Any) -> list[Tensor]:
    """Return the tensors of a returned tree, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return []


def parts(value: Any, depth: int = 0) -> Iterator[tuple[Any, int]]:
    """Yield a returned tree and all that is in it, each with the number of lists around it."""
    yield value, depth
    if isinstance(value, tuple | list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from parts(item, depth + 1)


def is_float(value: Any) -> bool:
    """Tell whether a value is a tensor of floating-point numbers, which alone has a gradient."""
    return isinstance(value, Tensor) and value.is_floating_point()


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread; the program around it has its own number of them again after it."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
