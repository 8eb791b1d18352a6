"""What a call did, as a person can tell it from what another call did."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from autograder.exercise.case import Case
from autograder.exercise.observation import Observation
from autograder.exercise.tensors import leaves
from autograder.judging.compare import first_difference
from autograder.showing.wording import printable
from autograder.viva.plain_values import indented, is_in_full, is_shown, summary, value

OTHER = "other than before"
SAME = "It does the same as before."
RETURNS = "It returns "
NOTHING = ("it",)  # the name of a part, which is not shown
NAME = 60  # characters of an exception's name
FAR = 0.1  # a person sees that numbers differ by this share of the largest of them
NEAR = 0.02  # and by no less than this, since two decimals are shown


@dataclass(frozen=True)
class Outcome:
    """One call's outcome, beside that of the unchanged answer on the same case.

    returns: names of what is returned. firm: it follows from what a sheet shows of the inputs.
    """

    seen: Observation
    before: Observation
    case: Case
    returns: tuple[str, ...]
    firm: bool = True

    @property
    def former(self) -> "Outcome":
        """Return the outcome of the unchanged answer."""
        return replace(self, seen=self.before)

    @cached_property
    def same(self) -> bool:
        """Tell whether it is the outcome of the unchanged answer, up to rounding."""
        return first_difference(self.before, self.seen, self.returns, self.case.exactness) is None

    @property
    def text(self) -> str:
        """Say what happens, beside what the unchanged answer does."""
        return SAME if self.same else self.told

    @cached_property
    def told(self) -> str:
        """Say what happens: an exception, or what is returned."""
        if self.seen.failure:
            return f"It raises {printable(self.seen.failure.type, NAME)}."
        told = RETURNS + self._returned()
        if self.seen.changed:
            told += f"\nIt changes the caller's {', '.join(self.seen.changed)}."
        return told

    def _returned(self) -> str:
        output, was = self.seen.output, self.before.output
        if not isinstance(output, tuple) or len(output) != len(self.returns) or len(output) == 1:
            return indented(self._value(output, was), len(RETURNS))
        known = was if isinstance(was, tuple) and len(was) == len(output) else [None] * len(output)
        lines = [
            f"{name} = {indented(self._value(part, before), len(name) + 3)}"
            for name, part, before in zip(self.returns, output, known, strict=True)
        ]
        return "\n".join(["", *lines])

    def _value(self, part: Any, was: Any) -> str:
        """Show it in full where a person could work it out from the sheet."""
        if is_in_full(part) and (is_shown(self.case) or not isinstance(part, Tensor)):
            return value(part)
        beside = "" if self.seen is self.before else self._beside(part, was)
        return summary(part) + (f", {beside}" if beside else "")

    def _beside(self, part: Any, was: Any) -> str:
        """Say how something that is not shown in full differs from what it was before."""
        if first_difference(_of(was), _of(part), NOTHING, self.case.exactness) is None:
            return "the same as before"
        if isinstance(part, Tensor) and isinstance(was, Tensor) and was.dtype != part.dtype:
            return f"now {str(part.dtype).removeprefix('torch.')}"
        if summary(part) != summary(was):
            return ""
        return "with other entries than before" if isinstance(part, Tensor) else OTHER


def _of(part: Any) -> Observation:
    """A whole observation of a part of a result, to compare it with another."""
    return Observation((part,))


def apart(one: Outcome, other: Outcome) -> bool:
    """Tell whether a person can tell two outcomes of a case apart without a calculator.

    Which exception is raised is not asked for.
    """
    if not (one.firm and other.firm) or one.text == other.text:
        return False
    if one.seen.failure and other.seen.failure:
        return False
    if one.seen.failure or other.seen.failure or one.seen.changed != other.seen.changed:
        return True
    ours, theirs = leaves(one.seen.output), leaves(other.seen.output)
    if not ours or not is_shown(one.case) or [*map(_form, ours)] != [*map(_form, theirs)]:
        return True
    return any(map(_far, ours, theirs))


def _form(tensor: Tensor) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.dtype


def _far(one: Tensor, other: Tensor) -> bool:
    if not is_in_full(one):
        return False
    if not one.is_floating_point():
        return not torch.equal(one, other)
    a, b = (tensor.double().nan_to_num(1e30, 2e30, -2e30) for tensor in (one, other))
    largest = max((float(part.abs().max()) for part in (a, b) if part.numel()), default=0.0)
    return bool(((a - b).abs() > max(FAR * largest, NEAR)).any())
