"""Slips of an author in what a call may change: a model, an optimiser or a generator that is none.

Each is built here once, as it is for a call, and each optimiser takes a step.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from autograder.exercise.case import Case
from autograder.exercise.spec import Exercise
from autograder.exercise.stateful import BuiltInputs, Optimizer, Stateful, build_inputs


def of_returns(exercise: Exercise, cases: list[Case]) -> Iterator[tuple[str, str]]:
    """The field `returns`, where it does not name what is compared."""
    for case in cases:
        changing = _changing(case)
        if changing and len(exercise.returns) != 1 + len(changing):
            yield (
                "returns",
                (
                    f"returns has {len(exercise.returns)} names. In the case {case.name!r} "
                    f"{1 + len(changing)} things are compared: what is returned, and what the call "
                    f"leaves of {', '.join(changing)}. Name each."
                ),
            )


def of_case(case: Case) -> str:
    """Say what is wrong with the inputs that the call may change, "" if nothing is."""
    held = [*_inside(case.inputs.values()), *(case.construct or {}).values()]
    if any(isinstance(value, Stateful) for value in held):
        return "holds what a call may change within a list. Give it as an input of its own."
    if not _changing(case):
        return ""
    try:
        made = build_inputs(case.inputs, "cpu")
        return next(filter(None, (_of_optimizer(name, case, made) for name in case.inputs)), "")
    except Exception as error:  # it is the author's code that is built here
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return f"gives what cannot be made: {said.rstrip('.: ')}."


def _changing(case: Case) -> list[str]:
    return [name for name, value in case.inputs.items() if isinstance(value, Stateful)]


def _inside(values: Any) -> Iterator[Any]:
    """Yield what is in a list, in a list of lists and so on."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from value
            yield from _inside(value)


def _of_optimizer(name: str, case: Case, made: BuiltInputs) -> str:
    """Entries of its state that its kind does not have would be left as they are, unnoticed."""
    value = case.inputs[name]
    if not isinstance(value, Optimizer):
        return ""
    known = _entries(value, made)
    strange = {key for held in value.state.values() for key in held} - known
    return (
        f"gives {name} the state {', '.join(sorted(strange))}; {value.kind} holds "
        f"{', '.join(sorted(known)) or 'nothing'}."
        if strange
        else ""
    )


def _entries(value: Optimizer, made: BuiltInputs) -> set[str]:
    """The names of what such an optimiser holds after a step."""
    fresh = replace(value, state={}).build(made, "cpu")
    for parameter in nn.Module.parameters(made[value.of]):
        parameter.grad = torch.zeros_like(parameter)
    fresh.step()
    return {key for entries in fresh.state.values() for key in entries}
