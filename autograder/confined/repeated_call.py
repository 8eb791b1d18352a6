"""A call is made again: is the counted work all of it, and do draws follow their generator?

Numbers leave torch in more ways than anybody could list, and come back in as many. So the call is
made with other numbers than those of its case, and the operations that were counted are done again
with those of the case: they have to give what the call gives. A number that was computed elsewhere
is that of the other call.

For draws the call is made twice more: with the generator in the same state, and then as that call
left it.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map

from autograder.confined.ready import called, left, plain, ready, reseed
from autograder.confined.tape import Tape
from autograder.confined.trace import PRODUCTS, Operations, Trace
from autograder.exercise.case import Case
from autograder.exercise.draws import MANY
from autograder.exercise.observation import Cost, Observation
from autograder.exercise.stateful import (
    ASTRAY,
    DRAWN,
    GLOBAL_SEED,
    REPEATED,
    BuiltInputs,
    Generator,
    Model,
    Optimizer,
    Stateful,
    parts,
)
from autograder.exercise.tensors import is_float, leaves

APART = 2**-5  # of other numbers: enough to be seen, and too little to change what code decides
FOLLOWS = 4  # an entry may lag behind by this part of how far the entries moved
ROUNDING = 2.0**-18


class Work:
    """A call with other numbers than those of a case, traced."""

    def __init__(self, target: Callable[..., Any], case: Case, device: str):
        self._case, self._device, self._target = case, device, target
        self._found: list[Tensor] = []
        function, inputs = ready(target, _other(case), device)
        self._tape = Tape(_given(function, inputs))
        self.trace = Trace(self._tape)
        reseed(device)
        try:
            with self.trace:
                output = called(function, case)(*inputs.values())
                after = left(case, inputs, device, Model, Optimizer)
                self._found = leaves([*tree_map(plain, (output, after))])
        except Exception:  # the call with the right numbers tells
            self._tape.whole = False
        self._places = self._tape.places(self._found)

    def cost(self, returned: Any) -> Cost | None:
        """Return what was counted; None unless the same operations give what the call returned."""
        right = leaves(returned)
        if not self._tape.whole or len(right) != len(self._found):
            return None
        function, inputs = ready(self._target, self._case, self._device)
        operations = Operations() if self.trace.suspect else None
        reseed(self._device)
        try:
            with torch.no_grad(), operations or nullcontext():
                again = self._tape.play(_given(function, inputs), self._places)
        except Exception:  # there were no such operations with these numbers
            return None
        if operations and self._hides(operations.names):
            return None
        follows = all(map(_follows, self._found, right, again))
        return self.trace.cost if follows else None

    def _hides(self, names: list[str]) -> bool:
        """Tell whether what was counted comes down to more products than were counted."""
        return any(names.count(name) > self.trace.products[name] for name in PRODUCTS)


def _other(case: Case) -> Case:
    """Return the same call with each floating number a little apart."""
    inputs, state = tree_map(_shifted, (case.inputs, case.state))
    return replace(case, inputs=inputs, state=state)


def _shifted(value: Any) -> Any:
    if isinstance(value, Stateful):
        return replace(value, **tree_map(_shifted, parts(value)))  # type: ignore[type-var]
    if not is_float(value):
        return value
    places = torch.arange(1, value.numel() + 1, dtype=torch.float64).reshape(value.shape)
    return (value * (1 + APART * places.cos())).to(value.dtype)


def _given(function: Any, inputs: BuiltInputs) -> list[Any]:
    """Return the tensors that a call is given, and the generators."""
    found: list[Any] = []
    for value in (function, *inputs.values()):
        if isinstance(value, nn.Module):
            found += [*nn.Module.parameters(value), *nn.Module.buffers(value)]
        elif isinstance(value, torch.optim.Optimizer):
            found += leaves(list(value.state.values()))
        else:
            found += [value] if isinstance(value, torch.Generator) else leaves(value)
    return found


def _follows(before: Tensor, right: Tensor, again: Tensor) -> bool:
    """Tell whether what was done again comes from `before` to what is right."""
    if before.shape != right.shape or again.shape != right.shape:
        return False
    if not right.dtype.is_floating_point:
        return True
    before, right, again = (value.double().cpu() for value in (before, right, again))
    alike = (again == right) | (again.isnan() & right.isnan())
    gap = torch.where(alike, 0.0, (again - right).abs()).nan_to_num(torch.inf)
    moved = (right - before).abs().nan_to_num(0, 0)
    slack = _largest(moved) / FOLLOWS + ROUNDING * _largest(right.abs().nan_to_num(0, 0))
    return _largest(gap) <= slack


def _largest(values: Tensor) -> float:
    return float(values.max()) if values.numel() else 0.0


def is_drawn(case: Case, seen: Observation) -> bool:
    """Tell whether so much was returned that it cannot be the same by chance."""
    held = [value for value in case.inputs.values() if isinstance(value, Generator)]
    many = any(leaf.numel() >= MANY for leaf in leaves(seen.output))
    return many and any(value.draws for value in held)


def drawn_again(target: Callable[..., Any], case: Case, seen: Observation) -> Observation:
    """Return the same observation, with what becomes of its generators when it is made again."""
    try:
        found = _found(target, case, leaves(seen.output[0]))
    except Exception:  # any exception of the learner's
        found = ASTRAY
    changing = [value for value in case.inputs.values() if isinstance(value, Stateful)]
    after = [
        {**state, DRAWN: found}
        if isinstance(value, Generator) and state[DRAWN] is True and found
        else state
        for value, state in zip(changing, seen.output[1:], strict=True)
    ]
    return replace(seen, output=(seen.output[0], *after))


def drawn_otherwise(target: Callable[..., Any], case: Case) -> Any:
    """Return the result where each generator, torch's own too, begins in another state."""
    other = {
        name: replace(value, seed=value.seed + 1) if isinstance(value, Generator) else value
        for name, value in case.inputs.items()
    }
    case = replace(case, inputs=other)
    with torch.random.fork_rng(()), torch.enable_grad():
        function, inputs = ready(target, case, "cpu")
        torch.default_generator.manual_seed(GLOBAL_SEED + 1)
        return tree_map(plain, called(function, case)(*inputs.values()))


def _found(target: Callable[..., Any], case: Case, first: list[Tensor]) -> str:
    """Say what is wrong; "" where nothing is."""
    function, inputs = ready(target, case, "cpu")
    reseed("cpu")
    same = called(function, case)(*inputs.values())
    if not _alike(first, leaves(tree_map(plain, same))):
        return ASTRAY
    function, others = ready(target, case, "cpu")
    kept = {name: value for name, value in inputs.items() if isinstance(value, torch.Generator)}
    later = called(function, case)(*(others | kept).values())
    return REPEATED if _alike(first, leaves(tree_map(plain, later))) else ""


def _alike(first: list[Tensor], second: list[Tensor]) -> bool:
    return len(first) == len(second) and all(
        one.shape == other.shape and torch.allclose(one.double(), other.double(), equal_nan=True)
        for one, other in zip(first, second, strict=True)
    )
