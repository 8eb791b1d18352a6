"""A call may leave an input that it changes other than it should have; this says how they differ.

What was left is parts by name, as `exercise.stateful` observes them. Only names of the right one
are told: those of the other are of the submission's choosing.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autograder.exercise.stateful import (
    ASTRAY,
    DRAWN,
    GLOBAL_GENERATOR_USED,
    MODE,
    MODES,
    REPEATED,
    SEEDED,
)
from autograder.judging.difference import Difference, DifferenceKind

Compare = Callable[[Any, Any, str], Difference | None]
Told = Callable[[Any, Any, str, str, Compare], Difference | None]


def left(expected: dict[str, Any], actual: Any, name: str, compare: Compare) -> Difference | None:
    """The first difference, or None. `name` is that of the input; `compare` does for a part."""
    if not isinstance(actual, dict):
        return Difference(DifferenceKind.TYPE, name, f"Nothing is known of {name}.")
    for key, right in expected.items():
        if key not in actual:
            return Difference(DifferenceKind.PARTS, name, f"{key} of {name} is missing.")
        told: Told = REMARKS.get(key, _part)
        if found := told(right, actual[key], name, key, compare):
            return found
    more = len(actual) - len(expected)
    return (
        Difference(DifferenceKind.PARTS, name, f"{name} holds {more} more than it should.")
        if more
        else None
    )


def _part(right: Any, given: Any, name: str, key: str, compare: Compare) -> Difference | None:
    found = compare(right, given, f"{key} of {name}")
    return replace(found, whole=name) if found else None


def _mode(right: Any, given: Any, name: str, *_: Any) -> Difference | None:
    known = given if isinstance(given, str) and given in MODES else "another"
    if known == right:
        return None
    return Difference(
        DifferenceKind.MODE, name, f"The mode of {name} is {known}, expected {right}."
    )


def _elsewhere(right: Any, given: Any, name: str, *_: Any) -> Difference | None:
    """Torch's own generator may be left alone also where the right answer uses it."""
    if right is True or given is False:
        return None
    drawn = _itself(name)
    sentence = f"Something was drawn from torch's own generator, not from {drawn}."
    return Difference(DifferenceKind.STRAY_DRAWS, drawn, sentence)


def _drawn(right: Any, given: Any, name: str, *_: Any) -> Difference | None:
    """The right answer draws: where one need not, it is observed as if it had."""
    if given is right or (isinstance(given, str) and given == right):
        return None
    drawn = _itself(name)
    if told := NOT_FOLLOWED.get(given) if isinstance(given, str) else None:
        return Difference(DifferenceKind.OTHER_DRAWS, drawn, told.format(drawn))
    sentence = f"Nothing was drawn from {drawn}, or it was put back."
    return Difference(DifferenceKind.DRAWS, drawn, sentence)


def _itself(name: str) -> str:
    """The input, where an author has named what the call leaves of it: it was drawn from before."""
    return name.removesuffix(" afterwards")


NOT_FOLLOWED = {
    SEEDED: "{} was seeded anew, and is to be drawn from as it is.",
    REPEATED: "A second call, with {} as the first left it, drew the same again.",
    ASTRAY: "Two calls with {} in the same state did not draw the same.",
}
REMARKS: dict[str, Told] = {MODE: _mode, GLOBAL_GENERATOR_USED: _elsewhere, DRAWN: _drawn}
