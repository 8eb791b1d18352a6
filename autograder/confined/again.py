"""The call is repeated to see whether what it draws follows from the generator that it is given.

The call is made twice more: with the generator in the same state, and then as that call left it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from autograder.confined.ready import called, plain, ready, reseed
from autograder.exercise.case import Case
from autograder.exercise.draws import MANY
from autograder.exercise.observation import Observation
from autograder.exercise.stateful import (
    ASTRAY,
    DRAWN,
    GLOBAL_SEED,
    REPEATED,
    Generator,
    Stateful,
)
from autograder.exercise.tensors import leaves


def is_drawn(case: Case, seen: Observation) -> bool:
    """Tell whether so much was returned that it cannot be the same by chance."""
    held = [value for value in case.inputs.values() if isinstance(value, Generator)]
    many = any(leaf.numel() >= MANY for leaf in leaves(seen.output))
    return many and any(value.draws for value in held)


def drawn_again(target: Callable[..., Any], case: Case, seen: Observation) -> Observation:
    """The same observation, with what becomes of its generators when it is made again."""
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
