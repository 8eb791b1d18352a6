"""Slips of an author in the file of an exercise, each reported with its line."""

import ast
import inspect
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.chapters.cell_slips import is_positive, list_known
from autograder.common.errors import CourseError

if TYPE_CHECKING:
    from autograder.exercise.spec import Exercise, Implementation

HARDEST = 5
EXPECTED_ITEMS = {
    "properties": "properties such as Finite()",
    "groups": 'groups such as Group("cost", 1, …)',
    **dict.fromkeys(("returns", "builds_on", "forbids"), "names"),
}


def refuse(folder: Path, exercises: "Mapping[str, Exercise]") -> None:
    """Raise CourseError for the first slip in a chapter's exercises, given in their order."""
    earlier: list[str] = []
    for name, exercise in exercises.items():
        path = folder / f"{name}.py"
        of_file = (
            _of_fields(exercise),
            _of_groups(exercise),
            _of_use(exercise, earlier),
            _of_parts(exercise),
        )
        for field, slip in chain(*of_file, _of_sources(exercise)):
            raise CourseError(f"{field_location(path, field)}: {slip}")
        for written, slip in _of_implementations(exercise):
            raise CourseError(f"{written.place}: {slip}")
        earlier.append(name)


def _of_fields(exercise: "Exercise") -> Iterator[tuple[str, str]]:
    """Yield the name of a field, and what is wrong with it."""
    from autograder.exercise.case import Property  # and torch
    from autograder.exercise.spec import Group

    fields = {
        "returns": str,
        "builds_on": str,
        "forbids": str,
        "properties": Property,
        "groups": Group,
    }
    for name, kind in fields.items():
        value = getattr(exercise, name)
        if not isinstance(value, tuple):
            yield name, f"{name} must be a tuple; one of a single item ends with a comma: (item,)."
        elif strange := [one for one in value if not isinstance(one, kind)]:
            yield name, f"{name} holds {strange[0]!r}. Give {EXPECTED_ITEMS[name]} only."
    yield from _of_properties(exercise)
    if exercise.returns == ():
        yield "returns", "returns is empty. Name each output, or leave it out."
    for name in ("points", "minutes"):
        if not is_positive(getattr(exercise, name)):
            yield name, f"{name} is {getattr(exercise, name)!r}. Make it a whole number above 0."
    if exercise.device not in (True, False, None):
        yield "device", f"device is {exercise.device!r}. Make it True or False."
    if exercise.difficulty not in range(1, HARDEST + 1):
        yield "difficulty", f"difficulty is {exercise.difficulty!r}. Make it 1 to {HARDEST}."


def _of_properties(exercise: "Exercise") -> Iterator[tuple[str, str]]:
    """Yield properties that are none of the kinds that a learner's copy of the checks can hold."""
    from autograder.exercise.properties import KINDS  # and torch

    of_groups = (("groups", one) for group in exercise.groups for one in group.properties)
    for field, relation in chain((("properties", one) for one in exercise.properties), of_groups):
        if type(relation) not in KINDS.values():
            known = ", ".join(sorted(KINDS))
            yield (
                field,
                f"{type(relation).__name__} is no property that learners' checks can hold. Use one "
                f"of {known}, or a case that shows what is wrong.",
            )


def _of_groups(exercise: "Exercise") -> Iterator[tuple[str, str]]:
    """Yield what is wrong with groups, whatever the cases are."""
    names = [group.name for group in exercise.groups]
    for group in exercise.groups:
        if not isinstance(group.name, str) or not group.name.strip() or names.count(group.name) > 1:
            yield "groups", f"a group is named {group.name!r}. Give each a name of its own."
        if not is_positive(group.points):
            yield "groups", f"the group {group.name!r} needs points, a whole number above 0."
        if not group.cases and not group.properties:
            yield (
                "groups",
                f"the group {group.name!r} has neither cases nor properties. Give it some.",
            )
        for name in group.cases:
            if sum(name in other.cases for other in exercise.groups) > 1:
                yield "groups", f"two groups have the case {name!r}. Keep it in one."
    if exercise.groups and sum(group.points for group in exercise.groups) >= exercise.points:
        yield "groups", "the groups have all points of the exercise. Leave some for the rest."


def _of_use(exercise: "Exercise", earlier: list[str]) -> Iterator[tuple[str, str]]:
    for name in exercise.builds_on:
        if name not in earlier:
            said = f"builds_on names {name!r}, which is no earlier exercise{list_known(earlier)}"
            yield "builds_on", said


def _of_parts(exercise: "Exercise") -> Iterator[tuple[str, str]]:
    """Yield what an exercise cannot do without and lacks; the file as a whole is meant."""
    if not exercise.has_cases:
        yield "", "it has no cases. Mark the function that yields them with @exercise.cases."
    if exercise.right is None:
        yield "", "it has no oracle. Mark what is right with @exercise.oracle."


def _of_sources(exercise: "Exercise") -> Iterator[tuple[str, str]]:
    """Wrong answers and variants are put into a notebook as they are written."""
    for written in (*exercise.misconceptions, *exercise.variants):
        whole = inspect.isfunction(written.target) or inspect.isclass(written.target)
        if not whole or not written.name.isidentifier():
            said = "is no function or class of this file. Write one that calls it."
            yield "", f"{written.name} {said}"


def _of_implementations(exercise: "Exercise") -> "Iterator[tuple[Implementation, str]]":
    for wrong in exercise.misconceptions:
        if not isinstance(wrong.hint, str) or not wrong.hint.strip():
            yield wrong, f"the misconception {wrong.name} has no hint. Write one."
    yield from _of_names("misconceptions", exercise.misconceptions)
    yield from _of_names("variants", exercise.variants)


def _of_names(
    what: str, implementations: "Sequence[Implementation]"
) -> "Iterator[tuple[Implementation, str]]":
    seen: set[str] = set()
    for written in implementations:
        if written.name in seen:
            yield written, f"two {what} are named {written.name}. Rename one."
        seen.add(written.name)


def field_location(path: Path, field: str = "") -> str:
    """Return the place of a field of `exercise = Exercise(…)`, or of the call without it."""
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="exercise")], value=ast.Call() as call):
                given = {keyword.arg: keyword.lineno for keyword in call.keywords}
                return f"{path}, line {given.get(field, call.lineno)}"
    return str(path)
