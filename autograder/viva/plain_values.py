"""Inputs and results as a sheet shows them: in full where they are small, else by their shape."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.exercise.case import Case
from autograder.exercise.observation import Unsent
from autograder.exercise.specimen import Specimen
from autograder.exercise.stateful import Stateful
from autograder.exercise.tensors import is_float
from autograder.showing.wording import printable

ENTRIES, AXES, DIGITS = 24, 4, 8  # of a tensor that is shown in full
TEXT, ITEMS = 60, 8  # characters of a text, items of a list
LINES, WIDTH = 5, 100  # of a function's code
USUAL = (torch.float32, torch.int64, torch.bool)  # dtypes that are not named; the sheet says so
BUILT = "It is built{given}; its weights are the same before and after the change."
SMALL, LARGE = 0.01, 1e4  # of numbers that are written with two decimals


def is_in_full(thing: Any) -> bool:
    """Tell whether `value` says all of it."""
    if isinstance(thing, Tensor):
        few = thing.numel() <= ENTRIES and thing.dim() <= AXES and not thing.is_complex()
        return few and all(len(_entry(entry)) <= DIGITS for entry in thing.reshape(-1))
    if isinstance(thing, Specimen):
        lines = thing.source.strip("\n").split("\n")
        return len(lines) <= LINES and max(map(len, lines)) <= WIDTH
    if isinstance(thing, list | tuple):
        return len(thing) <= ITEMS and all(map(is_in_full, thing)) and len(_items(thing)) <= WIDTH
    if isinstance(thing, str):
        return len(repr(thing)) <= TEXT and thing.isprintable()
    return thing is None or isinstance(thing, bool | int | float)


def value(thing: Any) -> str:
    """Return any part of an input or a result as text of a few lines."""
    if isinstance(thing, Unsent):
        return printable(thing.kind, TEXT)
    if not is_in_full(thing):
        return summary(thing)
    if isinstance(thing, Tensor):
        return _tensor(thing)
    if isinstance(thing, Specimen):
        return thing.source.strip("\n")
    if isinstance(thing, list | tuple):
        return _items(thing)
    return f"{thing:.6g}" if isinstance(thing, float) else repr(thing)


def summary(thing: Any) -> str:
    """Say what kind of value it is, and of a tensor its shape, and its dtype if not a usual one."""
    if isinstance(thing, Tensor):
        return f"a tensor of shape {tuple(thing.shape)}{_dtype(thing)}"
    if isinstance(thing, list | tuple):
        return _outline(thing)
    if isinstance(thing, Stateful):
        return f"given: {type(thing).__name__.lower()}"
    if isinstance(thing, dict):
        return "its state"
    if isinstance(thing, Specimen):
        return "a function"
    return value(thing) if is_in_full(thing) else f"given: {type(thing).__name__}"


def _outline(things: list[Any] | tuple[Any, ...]) -> str:
    """Write what is in a short list, an item in each line if one is long."""
    if len(things) > ITEMS:
        return f"a {type(things).__name__} of {len(things)}"
    parts = [summary(thing) for thing in things]
    between = ", " if len(", ".join(parts)) <= TEXT else ",\n "
    return f"[{between.join(parts)}]" if isinstance(things, list) else f"({between.join(parts)})"


def _tensor(value: Tensor) -> str:
    width = max((len(_entry(entry)) for entry in value.reshape(-1)), default=0)
    return f"{_rows(value, width)}{_dtype(value)}"


def _dtype(value: Tensor) -> str:
    return "" if value.dtype in USUAL else f", {str(value.dtype).removeprefix('torch.')}"


def _rows(value: Tensor, width: int, indent: int = 0) -> str:
    """Write a row in each line; what has no axis stands in `tensor(…)`."""
    if value.dim() == 0:
        return f"tensor({_entry(value)})"
    if value.dim() == 1:
        return f"[{', '.join(_entry(entry).rjust(width) for entry in value)}]"
    between = ",\n" + " " * (indent + 1)
    return f"[{between.join(_rows(part, width, indent + 1) for part in value)}]"


def _entry(value: Tensor) -> str:
    number = value.item()
    if not value.is_floating_point():
        return str(number)
    if 0 < abs(number) < SMALL or LARGE <= abs(number) < torch.inf:
        return f"{number:.2g}"
    return f"{number:z.2f}".rstrip("0")


def _items(things: list[Any] | tuple[Any, ...]) -> str:
    parts = ", ".join(value(thing) for thing in things)
    return f"[{parts}]" if isinstance(things, list) else f"({parts})"


def is_shown(case: Case) -> bool:
    """Tell whether a sheet shows all that a call is given."""
    return not case.state and all(map(is_in_full, case.inputs.values()))


def as_shown(case: Case) -> Case:
    """Return a case whose inputs are the numbers that a sheet prints, where it prints all of them.

    Else a result could not be worked out from the sheet.
    """
    if not is_shown(case):
        return case
    return replace(case, inputs={name: _as_shown(thing) for name, thing in case.inputs.items()})


def _as_shown(thing: Any) -> Any:
    if isinstance(thing, list | tuple):
        return type(thing)(map(_as_shown, thing))
    if isinstance(thing, float):
        return float(value(thing))
    if not is_float(thing):
        return thing
    printed = [float(_entry(entry)) for entry in thing.reshape(-1)]
    return torch.tensor(printed, dtype=thing.dtype).reshape(thing.shape)


def built(case: Case) -> str:
    """Say what a class is built with, "" for a function."""
    if case.construct is None:
        return ""
    given = ", ".join(f"{name} = {value(thing)}" for name, thing in case.construct.items())
    return BUILT.format(given=f" with {given}" if given else "")


def given(case: Case) -> list[str]:
    """Return what is given to a call, each as "name = value".

    Where a part of the inputs is not shown, the numbers of the others would not help.
    """
    shown = is_shown(case)
    return [
        f"{name} = {indented(_input(thing, shown), len(name) + 3)}"
        for name, thing in case.inputs.items()
    ]


def _input(thing: Any, shown: bool) -> str:
    return summary(thing) if not shown and is_float(thing) else value(thing)


def indented(text: str, by: int) -> str:
    """Move all lines but the first to the right."""
    return text.replace("\n", "\n" + " " * by)
