"""A release is the same on every processor: here two sets of checks are compared up to rounding.

Processors sum in different orders, so that last bits differ. What the judge takes for equal is
equal here.
"""

import reprlib
from collections.abc import Iterator
from typing import Any

from torch import Tensor
from torch.utils._pytree import tree_leaves

from autograder.exercise.observation import Observation
from autograder.exercise.properties import aligned
from autograder.exercise.stateful import Stateful, parts
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.checks_file import to_tree
from autograder.judging.compare import first_difference
from autograder.judging.difference import Difference

Path = tuple[str, ...]
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = 120


def drift(known: list[Checks], fresh: list[Checks]) -> str:
    """Say which entry of `known` is the first to differ in `fresh`, by how much; "" for none."""
    return _structure(_named(known), _named(fresh), ()) or next(_values(known, fresh), "")


def _named(checks: list[Checks]) -> dict[str, Any]:
    """Return all that is known of each exercise, with cases by name, but no rounded number."""
    trees = {known.exercise: to_tree(known) for known in checks}
    for tree in trees.values():
        tree["cases"] = {part["case"]["name"]: part for part in tree["cases"]}
    return {name: _without_rounding(tree) for name, tree in trees.items()}


def _without_rounding(value: Any) -> Any:
    if isinstance(value, Stateful):
        return {type(value).__name__: _without_rounding(parts(value))}
    if isinstance(value, dict):
        return {key: _without_rounding(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_without_rounding(item) for item in value)
    if isinstance(value, Tensor):
        kind = f"{value.dtype} {tuple(value.shape)}"
        return kind if value.is_floating_point() else (kind, value.tolist())
    return "a float" if isinstance(value, float) else value


def _structure(old: Any, new: Any, path: Path) -> str:
    """Say where two trees part, "" where they are equal."""
    if isinstance(old, dict) and isinstance(new, dict):
        if [*old] != [*new]:
            return _changed(", ".join(old), ", ".join(new), path)
        parts = (_structure(old[key], new[key], (*path, key)) for key in old)
        return next(filter(None, parts), "")
    return "" if old == new else _changed(old, new, path)


def _changed(old: Any, new: Any, path: Path) -> str:
    return f"{' / '.join(path)} was {SHORT.repr(old)} and is {SHORT.repr(new)}"


def _values(known: list[Checks], fresh: list[Checks]) -> Iterator[str]:
    for old, new in zip(known, fresh, strict=True):
        for one, other in zip(old.cases, new.cases, strict=True):
            for (part, names, was), (_, _, now) in zip(_parts(one), _parts(other), strict=True):
                meant = was if names else aligned(old.properties, was, now, one.case)
                labels = names or old.returns
                difference = first_difference(meant, now, labels, one.case.exactness)
                if difference:
                    yield f"{old.exercise} / {one.case.name} / {part}: {_moved(difference)}"


def _parts(checked: CheckedCase) -> Iterator[tuple[str, Path, Observation]]:
    """Yield what holds numbers: the case, as if it had been returned, and each observation."""
    case = checked.case
    given = case.inputs | (case.construct or {}) | (case.state or {})
    values = [
        tree_leaves(parts(value)) if isinstance(value, Stateful) else value
        for value in given.values()
    ]
    yield "inputs", tuple(given), Observation(output=values)
    yield "expected", (), checked.expected
    for name, seen in checked.wrong.items():
        yield name, (), seen


def _moved(difference: Difference) -> str:
    old, new = difference.expected, difference.actual
    if not isinstance(old, Tensor) or not isinstance(new, Tensor):
        return f"{difference.sentence} It was {old} and is {new}."
    largest, apart = old.double().abs().max(), (new.double() - old.double()).abs().max()
    return f"{difference.sentence} It moved by {apart / largest:.1g} of the largest entry."
