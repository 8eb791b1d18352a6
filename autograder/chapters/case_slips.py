"""Slips of an author in the cases of an exercise: inputs that do not fit what is to be called.

Inputs are passed by position, so that two of them in the wrong order, or one under another name,
would cost every learner the exercise. Here their names are compared with those in the notebook.

What a call may change, a model, an optimiser or a generator, is built here once, as it is for a
call, and each optimiser takes a step.
"""

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import torch
from torch import nn

from autograder.chapters import slips
from autograder.common import source_location
from autograder.common.errors import CourseError
from autograder.exercise import wire
from autograder.exercise.case import Case
from autograder.exercise.spec import Exercise
from autograder.exercise.stateful import BuiltInputs, Optimizer, Stateful, build_inputs
from autograder.judging.checks import PUBLIC_SEED, generate
from autograder.judging.checks_file import case_to_tree
from autograder.notebooks.chapter import Chapter, reference

Definition = ast.FunctionDef | ast.ClassDef
CALLED, MADE = "forward", "__init__"  # of a class: what takes the inputs, and what `construct`


def refuse(chapter: Chapter) -> None:
    """Raise CourseError for the first slip, with its line, in a chapter that was loaded."""
    solved = reference(chapter)
    for exercise in chapter.exercises.values():
        cases, again = (generate(exercise, PUBLIC_SEED, secret=True) for _ in range(2))
        for at, said in _slips(chapter.folder, exercise, cases, solved[exercise.name]):
            raise CourseError(f"{at}: {said}")
        _refuse_changing(chapter.folder / f"{exercise.name}.py", cases, again)


def _refuse_changing(path: Path, cases: list[Case], again: list[Case]) -> None:
    """Stop at a case that is another each time it is made: no two releases would be the same."""
    for pair in zip_longest(cases, again):
        there = [case for case in pair if case]
        if len({wire.pack(case_to_tree(case)) for case in there}) > 1 or len(there) < 2:
            name = there[0].name
            raise CourseError(
                f"{source_location.of_text(path, name)}: the case {name!r} differs when it is made "
                "again. "
                "Draw its numbers with rng only."
            )


def _slips(
    folder: Path, exercise: Exercise, cases: list[Case], source: str
) -> Iterator[tuple[str, str]]:
    """Yield where a slip is, and what is wrong."""
    path = folder / f"{exercise.name}.py"
    for said in _of_groups(exercise, {case.name for case in cases}):
        yield slips.field_location(path, "groups"), said
    asked = _definition(source, exercise.name)
    for case in cases:
        if said := _unlike(exercise.name, asked, case) or of_case(case):
            yield source_location.of_text(path, case.name), f"the case {case.name!r} {said}"
    for field, said in of_returns(exercise, cases):
        yield slips.field_location(path, field), said
    for written in filter(None, (exercise.right, *exercise.misconceptions, *exercise.variants)):
        for case in cases:
            if said := _refused(written.target, case):
                yield written.place, f"{written.name} cannot take the case {case.name!r}: {said}."


def _of_groups(exercise: Exercise, known: set[str]) -> Iterator[str]:
    for group in exercise.groups:
        for name in group.cases:
            if name not in known:
                yield f"the group {group.name!r} names the case {name!r}, which there is not."


def _unlike(name: str, asked: Definition, case: Case) -> str:
    """Say in which names a case differs from the definition in the notebook."""
    if isinstance(asked, ast.FunctionDef):
        return _misnamed(name, asked.args, [*case.inputs])
    methods = {node.name: node.args for node in asked.body if isinstance(node, ast.FunctionDef)}
    if MADE in methods and (said := _unknown(name, methods[MADE], case)):
        return said
    if case.through:
        (function,) = [
            node
            for node in ast.parse(case.through.source).body
            if isinstance(node, ast.FunctionDef)
        ][:1]
        return _misnamed(function.name, _without_self(function.args), [*case.inputs])
    if CALLED in methods:
        return _misnamed(f"{name}.{CALLED}", _without_self(methods[CALLED]), [*case.inputs])
    return ""


def _misnamed(called: str, asked: ast.arguments, given: list[str]) -> str:
    names = [argument.arg for argument in (*asked.posonlyargs, *asked.args)]
    needed = len(names) - len(asked.defaults)
    if asked.vararg or (given == names[: len(given)] and len(given) >= needed):
        return ""
    return (
        f"gives {', '.join(given)}; {called} takes {', '.join(names)}. Name the inputs so, in this "
        "order."
    )


def _unknown(name: str, made: ast.arguments, case: Case) -> str:
    """`construct` is given by name, in any order."""
    names = [argument.arg for argument in (*made.posonlyargs, *made.args, *made.kwonlyargs)][1:]
    strange = [part for part in case.construct or {} if part not in names]
    if made.kwarg or not strange:
        return ""
    return f"constructs with {', '.join(strange)}; {name} takes {', '.join(names) or 'nothing'}."


def _without_self(asked: ast.arguments) -> ast.arguments:
    parts = vars(asked) | {"args": asked.args[1:]}
    return ast.arguments(**parts)


def _definition(source: str, name: str) -> Definition:
    return next(
        node
        for node in ast.parse(source).body
        if isinstance(node, Definition) and node.name == name
    )


def _refused(target: Callable[..., Any], case: Case) -> str:
    """Say why a function or a class cannot be called so, as Python says it; "" if it can."""
    try:
        if inspect.isclass(target):
            inspect.signature(target).bind(**case.construct or {})
        elif case.construct is None:
            inspect.signature(target).bind(*case.inputs.values())
        if inspect.isclass(target) and not case.through and CALLED in vars(target):
            inspect.signature(vars(target)[CALLED]).bind(None, *case.inputs.values())
    except TypeError as error:
        return str(error)
    return ""


def of_returns(exercise: Exercise, cases: list[Case]) -> Iterator[tuple[str, str]]:
    """Yield the field `returns`, where it does not name what is compared."""
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
    """Return the names of what such an optimiser holds after a step."""
    fresh = replace(value, state={}).build(made, "cpu")
    for parameter in nn.Module.parameters(made[value.of]):
        parameter.grad = torch.zeros_like(parameter)
    fresh.step()
    return {key for entries in fresh.state.values() for key in entries}
