"""A result that is right because of what it does: an input on which a model shows its defect.

Trusted code runs the author's predicate on it. What it may be is bounded by the author, so that
nothing that a submission returns can make that code fail, go on without end or fill the memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from autograder.exercise.case import Case, Property
from autograder.exercise.observation import Observation
from autograder.exercise.specimen import Specimen
from autograder.exercise.stateful import GLOBAL_SEED, Stateful, build_inputs, in_dtype
from autograder.exercise.tensors import leaves


@dataclass(frozen=True)
class Witness(Property):
    """A returned value is right where `holds` says so, whatever the oracle returned.

    output: which of the tensors that are returned. Where the oracle returns none, none is right.
    holds: source of a function of this tensor and the inputs of the case, in their order, all in
        float64 and made anew. It returns a truth value; where it raises, it does not hold.
    shape: the most entries that each axis may have; one at least. least, most: of its entries.
        dtype and number of axes are those of the oracle's.
    sentence: what a right one does.
    """

    output: int
    holds: Specimen
    shape: tuple[int, ...]
    least: float
    most: float
    sentence: str

    def aligned(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> Observation:
        """Expect what was given, if it is of the right kind; `violation` says if it is right."""
        pair = self._pair(expected, actual, case)
        if pair is None:
            return expected
        right, value = pair
        output = tree_map(lambda leaf: value if leaf is right else leaf, expected.output)
        return replace(expected, output=output)

    def violation(
        self, expected: Observation, actual: Observation, case: Case | None = None
    ) -> str:
        pair = self._pair(expected, actual, case)
        if pair is None or case is None:
            return ""  # another kind of value: the comparison tells
        if told := next(self._out_of_bounds(pair[1]), ""):
            return told
        failed = self._failed(pair[1], case)
        return f"{self.sentence} {failed}".rstrip() if failed is not None else ""

    def rule(self) -> str:
        return self.sentence

    def _pair(
        self, expected: Observation, actual: Observation, case: Case | None
    ) -> tuple[Tensor, Tensor] | None:
        """Return the oracle's and the given one, if both are there and of one dtype."""
        right, value = (self._found(seen.output, case) for seen in (expected, actual))
        if right is None or value is None or right.dtype != value.dtype:
            return None
        return right, value

    def _found(self, output: Any, case: Case | None) -> Tensor | None:
        """Return the tensor among what is returned, without what the call left of its inputs."""
        changing = case and any(isinstance(value, Stateful) for value in case.inputs.values())
        if changing:
            output = output[0] if isinstance(output, tuple | list) and output else None
        found = leaves(output)
        return found[self.output] if self.output < len(found) else None

    def _out_of_bounds(self, value: Tensor) -> Iterator[str]:
        """Say what makes it no argument for the predicate, without a number of the submission's."""
        bound = f"({', '.join(map(str, self.shape))}{',' * (len(self.shape) == 1)})"
        if value.dim() != len(self.shape):
            yield f"The result may have a shape of at most {bound}: {len(self.shape)} axes."
        elif any(not 1 <= size <= most for size, most in zip(value.shape, self.shape, strict=True)):
            yield f"The result may have a shape of at most {bound}, and no axis is empty."
        elif value.is_complex() or not bool(((value >= self.least) & (value <= self.most)).all()):
            yield f"All numbers of the result must lie between {self.least} and {self.most}."

    def _failed(self, value: Tensor, case: Case) -> str | None:
        """Return None where the predicate holds; else "", or what it raised."""
        inputs = {name: in_dtype(part, torch.float64) for name, part in case.inputs.items()}
        with torch.random.fork_rng(()):
            torch.default_generator.manual_seed(GLOBAL_SEED)
            try:
                made, given = build_inputs(inputs, "cpu"), in_dtype(value, torch.float64).clone()
                return None if self.holds.build()(given, *made.values()) else ""
            except Exception as error:  # the inputs are bounded, so this is the author's mistake
                return f"Trying it raised {type(error).__name__}."
