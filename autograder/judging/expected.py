"""The right result, as exactly as a dtype can say it: the oracle in float64, rounded to it."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from autograder.common import source_location
from autograder.common.errors import CourseError
from autograder.confined.observe import observe
from autograder.confined.repeated_call import drawn_otherwise
from autograder.exercise import draws
from autograder.exercise.case import WORK, Case
from autograder.exercise.observation import Observation, Unsent
from autograder.exercise.properties import Drawn
from autograder.exercise.stateful import DRAWN, Generator, Stateful, in_dtype
from autograder.exercise.tensors import is_float


def exact(oracle: Any, case: Case) -> Observation:
    """Return the oracle in float64, rounded to the dtype of the case's own inputs.

    Raises CourseError where the oracle raises.
    """
    given = [*case.tensors, *(case.state or {}).values()]
    dtype = next((value.dtype for value in given if is_float(value)), None)
    seen = observe(oracle, _as(case, torch.float64))
    if seen.failure:
        at, said = (
            source_location.of_definition(oracle),
            f"{seen.failure.type}: {seen.failure.message}",
        )
        raise CourseError(
            f"{at}: the oracle {oracle.__name__} fails on case {case.name!r}: {said.rstrip(': ')}."
        )
    _refuse_unsent(oracle, case, seen)
    _refuse_without_gradient(oracle, case, seen)
    _refuse_undrawn(oracle, case, seen)
    seen = replace(seen, clash="", changed=[])
    if dtype is None:
        return seen
    if case.traced == WORK:  # float64 takes more memory than the case's own dtype
        seen = replace(seen, cost=observe(oracle, case).cost)
    gradients = seen.gradients and {k: in_dtype(v, dtype) for k, v in seen.gradients.items()}
    output = tree_map(lambda leaf: in_dtype(leaf, dtype), seen.output)
    return replace(seen, output=output, gradients=gradients)


def _refuse_unsent(oracle: Any, case: Case, seen: Observation) -> None:
    """Nothing can be compared with a result that is too large to be sent, or of another kind."""
    if isinstance(seen.output, Unsent):
        raise CourseError(
            f"{source_location.of_definition(oracle)}: the oracle {oracle.__name__} returns "
            f"{seen.output.kind}, on case {case.name!r}. No answer can be compared with that. "
            "Make the case smaller, or return tensors, numbers and texts."
        )


def refuse_uncounted(oracle: Any, case: Case, right: Observation, relation: Drawn) -> None:
    """Raise CourseError for draws that cannot be counted: no two right answers would agree."""
    drawn = relation.drawn(right)
    if drawn is not None and draws.are_counted(drawn):
        _refuse_rare(oracle, case, drawn)
    if drawn is None or draws.are_counted(drawn):
        return
    other = relation.drawn(Observation(output=drawn_otherwise(oracle, _as(case, torch.float64))))
    if other is None or not torch.equal(drawn, in_dtype(other, drawn.dtype)):
        at = source_location.of_text(source_location.file_of(oracle), case.name)
        values = len(draws.distinct(drawn))
        raise CourseError(
            f"{at}: {drawn.numel():,} entries with {values:,} different values are drawn on case "
            f"{case.name!r}. Drawn counts how often each occurs: let it be {draws.MANY:,} entries "
            f"at least, and {draws.FEW} different values at most."
        )


def _refuse_rare(oracle: Any, case: Case, drawn: Tensor) -> None:
    """Refuse draws of which some are rare: a right answer may draw others."""
    if drawn.is_floating_point() and (times := draws.rarest(drawn)) < draws.OFTEN:
        at = source_location.of_text(source_location.file_of(oracle), case.name)
        raise CourseError(
            f"{at}: of {drawn.numel():,} entries that are drawn on case {case.name!r}, one value "
            f"has {times} only, so that a right answer may draw others. Draw from fewer values or "
            f"more entries: each value needs {draws.OFTEN} at least."
        )


def _refuse_without_gradient(oracle: Any, case: Case, seen: Observation) -> None:
    """Gradients can be compared only if what is right has some."""
    if failure := seen.gradient_failure:
        raise CourseError(
            f"{source_location.of_definition(oracle)}: the oracle {oracle.__name__} has no "
            f"gradient on case {case.name!r}, which asks for it with gradient=True: "
            f"{failure.type}: {failure.message.rstrip('.')}. Write it in torch alone, or leave "
            "gradient=True out."
        )


def _refuse_undrawn(oracle: Any, case: Case, seen: Observation) -> None:
    """A generator that a right answer need not draw from has to be said to be one."""
    changing = [one for one in case.inputs.items() if isinstance(one[1], Stateful)]
    for (name, value), state in zip(changing, seen.output[1:] if changing else (), strict=True):
        if isinstance(value, Generator) and not state[DRAWN]:
            raise CourseError(
                f"{source_location.of_definition(oracle)}: the oracle {oracle.__name__} draws "
                f"nothing from {name} on case {case.name!r}. Give it "
                f"Generator({value.seed}, draws=False)."
            )


def _as(case: Case, dtype: torch.dtype) -> Case:
    inputs = {name: in_dtype(value, dtype) for name, value in case.inputs.items()}
    state = case.state and {name: in_dtype(value, dtype) for name, value in case.state.items()}
    return replace(case, inputs=inputs, state=state)
