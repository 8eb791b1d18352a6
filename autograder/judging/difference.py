"""A difference says where two observations part, as data.

What a call left of an input that it may change is parts by name, as `exercise.stateful` observes
them. Only names of the right one are told: those of the other are of the submission's choosing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from autograder.exercise.observation import Failure
from autograder.exercise.stateful import (
    ASTRAY,
    DRAWN,
    GLOBAL_GENERATOR_USED,
    MODE,
    MODES,
    REPEATED,
    SEEDED,
)


class DifferenceKind(StrEnum):
    """The respect in which two observations part, with all that the engine needs to know of it.

    secret_sentence: what is shown for a secret case. A submission knows the inputs of such a case
        and must not pass them on: nothing here is of its choosing, no shape, count or exception.
        The only name is that of an output or an input, as the exercise calls it. "" where the
        difference's own sentence is shown, which is the rule of a property.
    numbers_comparable: the numbers can be compared all the same.
    pattern: the general pattern that every difference of this kind is, "" if there is none.
    """

    secret_sentence: str
    numbers_comparable: bool
    pattern: str

    def __new__(
        cls, value: str, secret_sentence: str, numbers_comparable: bool = False, pattern: str = ""
    ) -> "DifferenceKind":
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.secret_sentence = secret_sentence
        kind.numbers_comparable = numbers_comparable
        kind.pattern = pattern
        return kind

    # fmt: off
    RAISED = "raised", "The call raised an exception."
    TYPE = "type", "The type of {0} is wrong."
    SHAPE = "shape", "The shape of {0} is wrong."
    DTYPE = "dtype", "The dtype of {0} is wrong.", False, "returns_another_dtype"
    DEVICE = "device", "A tensor is not on the device of the inputs.", True, "leaves_the_device"
    VALUES = "values", "The values are wrong: {0}.", True
    INPUTS = "inputs", "The call changed the caller's inputs.", True, "changes_its_input"
    GRADIENT = "gradient", "A gradient is wrong.", True
    NO_GRADIENT = "no-gradient", "No gradient reaches {0}.", True, "cuts_the_gradient"
    STRAY_GRADIENT = (
        "stray-gradient", "A gradient reaches {0}, and none should.", True,
        "lets_a_gradient_through",
    )
    MODE = "mode", "The mode of {0} is wrong.", False, "leaves_another_mode"
    DRAWS = "draws", "Nothing was drawn from {0}, or it was put back.", False, "draws_nothing"
    OTHER_DRAWS = (
        "other-draws", "What was drawn does not follow from {0} as it was given.", False,
        "draws_by_another_seed",
    )
    STRAY_DRAWS = (
        "stray-draws", "Something was drawn from torch's own generator, not from {0}.", False,
        "draws_elsewhere",
    )
    PARTS = "parts", "Something of {0} is missing, or there is too much."
    PROPERTY = "property", ""
    WITNESS = "witness", ""
    # fmt: on


@dataclass(frozen=True)
class Difference:
    """The place where two observations part.

    what: the name of the output or input. `sentence` tells a person, about a public case.
    at: index of the first element that differs, for values and gradients.
    whole: the name of what `what` is a part of, the only name shown for a secret case.
    tolerance: that the author stated for the case.
    """

    kind: DifferenceKind
    what: str
    sentence: str
    at: tuple[int, ...] = ()
    expected: Any = None
    actual: Any = None
    failure: Failure | None = None
    whole: str = ""
    tolerance: float | None = None

    def secret_sentence(self) -> str:
        """Return the sentence about a secret case, which gives nothing of it away."""
        named = self.whole or self.what or "the result"
        return self.kind.secret_sentence.format(named) or self.sentence


Compare = Callable[[Any, Any, str], Difference | None]
Told = Callable[[Any, Any, str, str, Compare], Difference | None]


def state_difference(
    expected: dict[str, Any], actual: Any, name: str, compare: Compare
) -> Difference | None:
    """Return the first difference of an input `name`, or None; `compare` compares a part."""
    if not isinstance(actual, dict):
        return Difference(DifferenceKind.TYPE, name, f"Nothing is known of {name}.")
    for key, right in expected.items():
        if key not in actual:
            return Difference(DifferenceKind.PARTS, name, f"Something of {name} is missing: {key}.")
        told: Told = REMARKS.get(key, _part)
        if found := told(right, actual[key], name, key, compare):
            return found
    more = len(actual) - len(expected)
    if not more:
        return None
    sentence = f"There is too much in {name}: {more} more than there should be."
    return Difference(DifferenceKind.PARTS, name, sentence)


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
    """Say what is wrong with a draw; one that is not needed is observed as if it had been made."""
    if given is right or (isinstance(given, str) and given == right):
        return None
    drawn = _itself(name)
    if told := NOT_FOLLOWED.get(given) if isinstance(given, str) else None:
        return Difference(DifferenceKind.OTHER_DRAWS, drawn, told.format(drawn))
    sentence = f"Nothing was drawn from {drawn}, or it was put back."
    return Difference(DifferenceKind.DRAWS, drawn, sentence)


def _itself(name: str) -> str:
    """Return the name of the input itself, where `name` is that of what the call left of it."""
    return name.removesuffix(" afterwards")


NOT_FOLLOWED = {
    SEEDED: "The call seeded {} anew. It is to be drawn from as it is.",
    REPEATED: "A second call, with {} as the first left it, drew the same again.",
    ASTRAY: "Two calls with {} in the same state did not draw the same.",
}
REMARKS: dict[str, Told] = {MODE: _mode, GLOBAL_GENERATOR_USED: _elsewhere, DRAWN: _drawn}
