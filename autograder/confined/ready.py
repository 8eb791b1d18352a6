"""One call made ready: what is called, with its weights, and what it is given."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

from autograder.confined.failures import text, type_name
from autograder.exercise.case import Case
from autograder.exercise.loading import load
from autograder.exercise.observation import AXES, DTYPES, NAME, PARTS, Unsent
from autograder.exercise.stateful import GLOBAL_SEED, BuiltInputs, Stateful, build_inputs
from autograder.exercise.tensors import leaves, parts
from autograder.exercise.wire import header_length, pack


def ready(
    target: Callable[..., Any], case: Case, device: str
) -> tuple[Callable[..., Any], BuiltInputs]:
    """Return the function that is called with the inputs, in their order, and the inputs.

    Raises what the target raises.
    """
    inputs = build_inputs(case.inputs, device, bool(case.state))
    return instance(target, case, device), inputs


def instance(target: Callable[..., Any], case: Case, device: str) -> Callable[..., Any]:
    """Return the function itself, or an instance of the class with the case's weights loaded."""
    if case.construct is None:
        return target
    made = target(**case.construct)
    if isinstance(made, nn.Module):
        return load(made, case.state or {}, device, case.training)
    return made


def called(function: Callable[..., Any], case: Case) -> Callable[..., Any]:
    """Return the function that takes the inputs."""
    return partial(case.through.build(), function) if case.through else function


def reseed(device: str) -> None:
    """Like `torch.manual_seed`, which without CUDA spends a millisecond on a traceback."""
    torch.default_generator.manual_seed(GLOBAL_SEED)
    if device == "cuda":
        torch.cuda.manual_seed_all(GLOBAL_SEED)


def left(case: Case, inputs: BuiltInputs, device: str, *kinds: type[Stateful]) -> BuiltInputs:
    """Observe what the call left of each input of these kinds, which it may change."""
    return {
        name: value.after(inputs[name], inputs, device)
        for name, value in case.inputs.items()
        if isinstance(value, kinds)
    }


# Of what one call returns; grading has room for 64 of the one and 85 of the other in one step.
MAX_TENSOR_BYTES, MAX_TEXT_BYTES = 2**20, 24 * 2**10
INTEGER_BITS = 8192  # of a number that is sent; Python itself writes no more than 4,300 digits

# A number or a text as such, where it is of a class that a library or a learner derived from one.
EXACT: dict[type, Callable[[Any], Any]] = {
    str: lambda value: str.__getitem__(value, slice(None)),
    float: float.__pos__,
    int: int.__pos__,
}


def plain(value: Any) -> Any:
    """Turn a value into what the wire accepts: dense CPU tensors, Python's own numbers, texts."""
    if isinstance(value, Tensor):
        return _dense(value)
    if value is None or isinstance(value, bool):
        return value
    if issubclass(type(value), int) and int.bit_length(value) > INTEGER_BITS:
        return Unsent(f"an integer of {int.bit_length(value):,} bits")
    for kind, exact in EXACT.items():
        if issubclass(type(value), kind):
            return exact(value)
    module = text(getattr(type(value), "__module__", ""), NAME).partition(".")[0]
    prefix = "" if module in ("", "builtins") else f"{module}."
    return Unsent(f"a {prefix}{type_name(type(value))}"[:NAME])


def has_other_keys(value: Any) -> bool:
    """Tell whether it is a dict with a key that is not a string. Such a dict cannot be sent."""
    return isinstance(value, dict) and not all(isinstance(key, str) for key in value)


def bounded(tree: Any) -> Any:
    """Return what was returned, unless it is too much to be sent and compared.

    A learner's own check asks this as grading does, so that both say the same of it.
    """
    if any(islice(parts(tree), PARTS, None)):
        return Unsent(f"a {type_name(type(tree))} of more than {PARTS:,} values")
    if sum(leaf.nbytes for leaf in leaves(tree)) > MAX_TENSOR_BYTES:
        return Unsent(f"{_with_shape(tree)}, which is too large to compare")
    if header_length(pack(tree)) > MAX_TEXT_BYTES:
        return Unsent(f"a {type_name(type(tree))} that is too long to compare")
    return tree


def _with_shape(tree: Any) -> str:
    if isinstance(tree, Tensor):
        return f"a tensor of shape {tuple(tree.shape)}"
    return f"a {type_name(type(tree))} of tensors"


def _dense(value: Tensor) -> Any:
    if value.is_quantized or value.is_meta:
        return Unsent("a quantised tensor" if value.is_quantized else "a tensor without data")
    if value.dtype not in DTYPES:
        return Unsent(f"a tensor of {value.dtype}")
    if value.ndim > AXES:  # not dim(): the trace would record a call
        return Unsent(f"a tensor of {value.ndim} axes")
    return value.detach().to_dense().cpu()
