"""The same call with other numbers where a sheet does not show them.

What follows from the sheet alone is the same for both.
"""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.exercise.case import Case
from autograder.exercise.stateful import Model, Stateful
from autograder.viva.plain_values import is_in_full, is_shown

SEED = 1


class CannotBeRedrawn(Exception):
    """A part that is not shown is no numbers, such as the code of a function."""


def redrawn(case: Case) -> Case | None:
    """Return a case that looks the same on a sheet, None for one that is shown in full.

    None also where what is not shown is a function or a text.
    """
    if is_shown(case):
        return None
    generator = torch.Generator().manual_seed(SEED)
    try:
        inputs = {name: _other(thing, generator) for name, thing in case.inputs.items()}
        state = {name: _other(thing, generator) for name, thing in (case.state or {}).items()}
    except CannotBeRedrawn:
        return None
    return replace(case, inputs=inputs, state=state if case.state is not None else None)


def _other(thing: Any, generator: torch.Generator) -> Any:
    if isinstance(thing, Tensor):
        return _entries(thing, generator)
    if isinstance(thing, Model):
        state = {name: _other(weight, generator) for name, weight in thing.state.items()}
        return replace(thing, state=state)
    if isinstance(thing, list | tuple):
        return type(thing)(_other(one, generator) for one in thing)
    if is_in_full(thing) or isinstance(thing, Stateful):
        return thing
    raise CannotBeRedrawn


def _entries(tensor: Tensor, generator: torch.Generator) -> Tensor:
    """Numbers are drawn, which are nowhere shown here; others only where they are not shown."""
    if tensor.is_floating_point():
        return torch.randn(tensor.shape, generator=generator).to(tensor.dtype)
    if is_in_full(tensor):
        return tensor
    if tensor.dtype == torch.bool:
        return torch.rand(tensor.shape, generator=generator) < 0.5
    order = torch.randperm(tensor.numel(), generator=generator)
    return tensor.reshape(-1)[order].reshape(tensor.shape)
