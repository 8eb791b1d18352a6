"""What one call is given: copies of the inputs of a case, and what it may change made anew."""

from typing import Any

import torch
from torch import Tensor

from autograder.exercise.specimen import Specimen
from autograder.exercise.stateful import Made, Optimizer, Stateful
from autograder.exercise.tensors import is_float, leaves


def given(inputs: dict[str, Any], device: str, placed: bool = False) -> Made:
    """The inputs of one call. An optimiser is made last, of the model that the call is given.

    placed: something else says where the work belongs. Where nothing does, as where no input is a
    tensor, what a call may change is on the CPU.
    """
    there = device if placed or leaves(list(inputs.values())) else "cpu"
    made: Made = {}
    for name, value in sorted(inputs.items(), key=lambda one: isinstance(one[1], Optimizer)):
        stateful = isinstance(value, Stateful)
        made[name] = value.build(made, there) if stateful else _prepared(value, device)
    return {name: made[name] for name in inputs}


def _prepared(value: Any, device: str) -> Any:
    """A private copy of an input, so that no call can spoil the next."""
    if isinstance(value, Specimen):
        return value.build()
    if isinstance(value, list | tuple):
        return type(value)(_prepared(item, device) for item in value)
    return value.detach().clone().to(device) if isinstance(value, Tensor) else value


def in_dtype(value: Any, dtype: torch.dtype) -> Any:
    """A value with its floating numbers in this dtype."""
    return value.to(dtype) if isinstance(value, Stateful) or is_float(value) else value
