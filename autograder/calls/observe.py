"""Make one call and record what it did.

The same function observes the learner's code, the oracle and every misconception, so that
whatever differs is in the code and never in the way it was looked at.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map

from autograder.calls.failures import describe, text, type_name
from autograder.calls.gpu_like import Clash, is_placed, placed
from autograder.calls.inputs import given
from autograder.calls.loading import load, parameters
from autograder.calls.observation import AXES, DTYPES, NAME, PARTS, Failure, Observation, Unsent
from autograder.calls.spec import Case
from autograder.calls.specimen import Specimen
from autograder.calls.stateful import GLOBAL_SEED, Generator, Made, Model, Optimizer, Stateful
from autograder.calls.tensors import is_float, leaves, parts
from autograder.calls.trace import Trace

GPU = "cuda"
INTEGER_BITS = 8192  # of a number that is sent; Python itself writes no more than 4,300 digits

# A number or a text as such, where it is of a class that a library or a learner made of one.
EXACT: dict[type, Callable[[Any], Any]] = {
    str: lambda value: str.__getitem__(value, slice(None)),
    float: float.__pos__,
    int: int.__pos__,
}


def observe(target: Callable[..., Any], case: Case, device: str = "cpu") -> Observation:
    """Call `target` with the inputs of `case` on `device` and record what happened.

    The caller's random state and gradient mode stay as they are, and do not matter.
    """
    gpus = range(torch.cuda.device_count()) if device == "cuda" else ()
    with torch.random.fork_rng(gpus), torch.enable_grad():
        return _observe(target, case, device)


def _observe(target: Callable[..., Any], case: Case, device: str) -> Observation:
    try:
        seen = _call(target, case, device)
    except Exception as error:  # any exception of the learner's is an observation
        return Observation(failure=describe(error, target))
    if case.gradient:
        gradients, failure = _gradients(target, case, device)
        seen = replace(seen, gradients=gradients, gradient_failure=failure)
    if case.placed:
        seen = replace(seen, clash=_clash(target, case))
    return seen


def _call(target: Callable[..., Any], case: Case, device: str) -> Observation:
    """The call itself, without gradients and `placed`. Raises whatever it raises."""
    inputs = given(case.inputs, device, bool(case.state))
    function = _instance(target, case, device)
    trace = Trace() if case.traced else None
    _seed(device)  # a test that draws at random gives the same verdict each time
    with trace or nullcontext():
        output = _called(function, case)(*inputs.values())
        left = _left(case, inputs, device, Model, Optimizer)
        devices = [leaf.device.type for leaf in leaves(output)] + _devices(left)
        plain, left = tree_map(_plain, (output, left))  # a lazy result is computed here
    left |= _left(case, inputs, device, Generator)  # and here what is no work of the call
    whole = (plain, *(left[name] for name in inputs if name in left)) if left else plain
    changed = [name for name in inputs if not _same(inputs[name], case.inputs[name])]
    seen = Observation(output=_bounded(whole), devices=devices, changed=changed)
    return replace(seen, used=trace.used, cost=trace.cost) if trace else seen


def _seed(device: str) -> None:
    """Like `torch.manual_seed`, which without CUDA spends a millisecond on a traceback."""
    torch.default_generator.manual_seed(GLOBAL_SEED)
    if device == "cuda":
        torch.cuda.manual_seed_all(GLOBAL_SEED)


def _left(case: Case, inputs: Made, device: str, *kinds: type[Stateful]) -> Made:
    """What the call left of each input of these kinds, which it may change."""
    return {name: value.after(inputs[name], inputs, device) for name, value in case.inputs.items()
            if isinstance(value, kinds)}  # fmt: skip


def _devices(left: Made) -> list[str]:
    """Of each such input that holds tensors all devices together: there may be very many."""
    found = (sorted({leaf.device.type for leaf in leaves(state)}) for state in left.values())
    return [", ".join(types) for types in found if types]


def _gradients(
    target: Callable[..., Any], case: Case, device: str
) -> tuple[dict[str, Tensor | None] | None, Failure | None]:
    try:
        inputs = given(case.inputs, device, bool(case.state))
        wanted = {name: value for name, value in inputs.items() if is_float(value)}
        for value in wanted.values():
            value.requires_grad_()
        function = _instance(target, case, device)
        wanted |= _learned(function, case) | _of_models(case, inputs)
        output = _called(function, case)(*inputs.values())
        total = sum((leaf.double() * _cotangent(leaf)).sum() for leaf in leaves(output)
                    if leaf.is_floating_point())  # fmt: skip
        if not isinstance(total, Tensor) or not total.requires_grad:  # nothing floats, it is 0
            return dict.fromkeys(wanted), None
        gradients = torch.autograd.grad(total, list(wanted.values()), allow_unused=True)
    except Exception as error:  # as above
        return None, describe(error, target)
    return dict(zip(wanted, gradients, strict=True)), None


def _learned(function: Callable[..., Any], case: Case) -> dict[str, Tensor]:
    """The parameters that the case gave weights to; one that is none, or is frozen, is missing."""
    if not isinstance(function, nn.Module):
        return {}
    given = case.state or {}
    return {
        name: parameter for name, parameter in parameters(function).items()
        if name in given and parameter.requires_grad
    }  # fmt: skip


def _of_models(case: Case, inputs: Made) -> dict[str, Tensor]:
    """The parameters of each model among the inputs."""
    return {
        f"{part} of {name}": parameter
        for name, value in case.inputs.items() if isinstance(value, Model)
        for part, parameter in inputs[name].named_parameters() if parameter.requires_grad
    }  # fmt: skip


def _clash(target: Callable[..., Any], case: Case) -> str:
    """What meets a tensor on the CPU where the inputs are on a GPU, "" if nothing does.

    Only that counts: what else may fail there fails of our making, and is not wrong.
    """
    if not any(isinstance(value, Tensor) for value in case.inputs.values()):
        return ""
    try:
        with placed():
            inputs = given(case.inputs, GPU, bool(case.state))
            output = _called(_instance(target, case, GPU), case)(*inputs.values())
    except Clash as error:
        return describe(error).message
    except Exception:  # as above
        return ""
    stray = [leaf for leaf in leaves(output) if not is_placed(leaf)]
    return "the result is on the CPU, the inputs are not" if stray else ""


def _instance(target: Callable[..., Any], case: Case, device: str) -> Callable[..., Any]:
    """The function itself, or an instance of the class with the weights of the case loaded."""
    if case.construct is None:
        return target
    instance = target(**case.construct)
    if isinstance(instance, nn.Module):
        return load(instance, case.state or {}, device, case.training)
    return instance


def _called(function: Callable[..., Any], case: Case) -> Callable[..., Any]:
    return partial(case.through.build(), function) if case.through else function


def _same(after: Any, before: Any) -> bool:
    """Whether an input is, bit by bit, what it was."""
    if isinstance(before, list | tuple):
        return len(after) == len(before) and all(map(_same, after, before))
    if isinstance(before, Specimen | Stateful):
        return True
    if type(after) is not type(before):
        return False
    if not isinstance(before, Tensor):
        return bool(after == before or after is before)  # NaN does not equal itself
    if (after.shape, after.dtype, after.layout) != (before.shape, before.dtype, before.layout):
        return False
    return torch.equal(_bits(after), _bits(before))


def _bits(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)


def _plain(value: Any) -> Any:
    """What the wire accepts: plain dense CPU tensors and Python's own numbers and texts."""
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


def _bounded(tree: Any) -> Any:
    """What was returned, unless it has too many parts to be compared."""
    if not any(islice(parts(tree), PARTS, None)):
        return tree
    return Unsent(f"a {type_name(type(tree))} of more than {PARTS:,} values")


def _dense(value: Tensor) -> Any:
    if value.is_quantized or value.is_meta:
        return Unsent("a quantised tensor" if value.is_quantized else "a tensor without data")
    if value.dtype not in DTYPES:
        return Unsent(f"a tensor of {value.dtype}")
    if value.ndim > AXES:  # not dim(): the trace would record a call
        return Unsent(f"a tensor of {value.ndim} axes")
    return value.detach().to_dense().cpu()


def _cotangent(leaf: Tensor) -> Tensor:
    """Fixed weights that are all different, so that no error can cancel in the sum."""
    positions = torch.arange(leaf.numel(), device=leaf.device, dtype=torch.float64)
    return torch.cos(positions + 1).reshape(leaf.shape)
