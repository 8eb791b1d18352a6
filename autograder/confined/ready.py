"""One call made ready: what is called, with its weights, and what it is given."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from autograder.exercise.inputs import given
from autograder.exercise.loading import load
from autograder.exercise.spec import Case
from autograder.exercise.stateful import GLOBAL_SEED, Made, Stateful


def ready(target: Callable[..., Any], case: Case, device: str) -> tuple[Callable[..., Any], Made]:
    """What is called with the inputs, in their order, and these. Raises what the target raises."""
    inputs = given(case.inputs, device, bool(case.state))
    return instance(target, case, device), inputs


def instance(target: Callable[..., Any], case: Case, device: str) -> Callable[..., Any]:
    """The function itself, or an instance of the class with the weights of the case loaded."""
    if case.construct is None:
        return target
    made = target(**case.construct)
    if isinstance(made, nn.Module):
        return load(made, case.state or {}, device, case.training)
    return made


def called(function: Callable[..., Any], case: Case) -> Callable[..., Any]:
    """What takes the inputs."""
    return partial(case.through.build(), function) if case.through else function


def reseed(device: str) -> None:
    """Like `torch.manual_seed`, which without CUDA spends a millisecond on a traceback."""
    torch.default_generator.manual_seed(GLOBAL_SEED)
    if device == "cuda":
        torch.cuda.manual_seed_all(GLOBAL_SEED)


def left(case: Case, inputs: Made, device: str, *kinds: type[Stateful]) -> Made:
    """What the call left of each input of these kinds, which it may change."""
    return {name: value.after(inputs[name], inputs, device) for name, value in case.inputs.items()
            if isinstance(value, kinds)}  # fmt: skip
