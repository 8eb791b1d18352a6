"""Make one call and record what it did.

The same function observes the learner's code, the oracle and every misconception, so that
whatever differs is in the code and never in the way it was looked at.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map

from autograder.common.fake_gpu import Clash, is_on_fake_gpu, on_fake_gpu
from autograder.confined.failures import describe
from autograder.confined.ready import bounded, called, has_other_keys, left, plain, ready, reseed
from autograder.confined.repeated_call import Work, drawn_again, is_drawn
from autograder.confined.trace import Trace
from autograder.exercise.case import WORK, Case
from autograder.exercise.loading import parameters
from autograder.exercise.observation import NAMES, Failure, Observation
from autograder.exercise.specimen import Specimen
from autograder.exercise.stateful import BuiltInputs, Generator, Model, Optimizer, Stateful
from autograder.exercise.tensors import is_float, leaves

GPU = "cuda"


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
    if case.placed and device == "cpu" and is_drawn(case, seen):
        seen = drawn_again(target, case, seen)
    if case.placed is True:
        seen = replace(seen, clash=_clash(target, case))
    return seen


def _call(target: Callable[..., Any], case: Case, device: str) -> Observation:
    """Make the call, without gradients and `placed`. Raises whatever it raises."""
    # before anything was computed for this case that could be remembered
    work = Work(target, case, device) if case.traced == WORK else None
    function, inputs = ready(target, case, device)
    trace = Trace() if case.traced and not work else None
    reseed(device)  # a test that draws at random gives the same verdict each time
    with trace or nullcontext():
        output = called(function, case)(*inputs.values())
        after = left(case, inputs, device, Model, Optimizer)
        devices = [leaf.device.type for leaf in leaves(output)] + _devices(after)
        returned = _plain(output)  # a lazy result is computed here
        after = {name: _plain(state) for name, state in after.items()}
    after |= left(case, inputs, device, Generator)  # and here what is no work of the call
    states = [after[name] for name in inputs if name in after]
    changed = [name for name in inputs if not _same(inputs[name], case.inputs[name])]
    output = bounded(returned)
    if states:
        output = bounded((output, *states))  # what is too much was named alone
    seen = Observation(output=output, devices=devices[:NAMES], changed=changed)
    if work:
        return replace(seen, used=work.trace.used, cost=work.cost([returned, *states]))
    return replace(seen, used=trace.used, cost=trace.cost) if trace else seen


def _plain(tree: Any) -> Any:
    if tree is None or isinstance(tree, Tensor):  # most results, and a walk takes ten times as long
        return plain(tree)
    return tree_map(plain, tree, is_leaf=has_other_keys)


def _devices(left: BuiltInputs) -> list[str]:
    """Name for each such input the devices of its tensors, each once: there may be very many."""
    found = (sorted({leaf.device.type for leaf in leaves(state)}) for state in left.values())
    return [", ".join(types) for types in found if types]


def _gradients(
    target: Callable[..., Any], case: Case, device: str
) -> tuple[dict[str, Tensor | None] | None, Failure | None]:
    try:
        function, inputs = ready(target, case, device)
        wanted = {name: value for name, value in inputs.items() if is_float(value)}
        for value in wanted.values():
            value.requires_grad_()
        wanted |= _learned(function, case) | _of_models(case, inputs)
        output = called(function, case)(*inputs.values())
        total = sum(
            (leaf.double() * _cotangent(leaf)).sum()
            for leaf in leaves(output)
            if leaf.is_floating_point()
        )
        if not isinstance(total, Tensor) or not total.requires_grad:  # nothing floats, it is 0
            return dict.fromkeys(wanted), None
        found = torch.autograd.grad(total, list(wanted.values()), allow_unused=True)
        gradients = [None if one is None else one.cpu() for one in found]
    except Exception as error:  # a learner's code may raise anything
        return None, describe(error, target)
    return dict(zip(wanted, gradients, strict=True)), None


def _learned(function: Callable[..., Any], case: Case) -> dict[str, Tensor]:
    """Return the parameters that the case gave weights to, but for one that is frozen or none."""
    if not isinstance(function, nn.Module):
        return {}
    given = case.state or {}
    return {
        name: parameter
        for name, parameter in parameters(function).items()
        if name in given and parameter.requires_grad
    }


def _of_models(case: Case, inputs: BuiltInputs) -> dict[str, Tensor]:
    return {
        f"{part} of {name}": parameter
        for name, value in case.inputs.items()
        if isinstance(value, Model)
        for part, parameter in inputs[name].named_parameters()
        if parameter.requires_grad
    }


def _clash(target: Callable[..., Any], case: Case) -> str:
    """Say what meets a tensor on the CPU where the inputs are on a GPU, "" if nothing does.

    Only that counts: what else may fail there fails of our making, and is not wrong.
    """
    if not any(isinstance(value, Tensor) for value in case.inputs.values()):
        return ""
    try:
        with on_fake_gpu():
            function, inputs = ready(target, case, GPU)
            output = called(function, case)(*inputs.values())
    except Clash as error:
        return describe(error).message
    except Exception:  # whatever it is, it has nothing to do with devices
        return ""
    stray = [leaf for leaf in leaves(output) if not is_on_fake_gpu(leaf)]
    return "the result is on the CPU, the inputs are not" if stray else ""


def _same(after: Any, before: Any) -> bool:
    """Tell whether an input is, bit by bit, what it was."""
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


def _cotangent(leaf: Tensor) -> Tensor:
    """Fixed weights that are all different, so that no error can cancel in the sum."""
    positions = torch.arange(leaf.numel(), device=leaf.device, dtype=torch.float64)
    return torch.cos(positions + 1).reshape(leaf.shape)
