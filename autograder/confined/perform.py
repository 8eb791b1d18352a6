"""In the confined child: run the notebook's cells, make the calls, report what happened.

Everything here shares a process with the learner's code, so nothing it reports is believed
beyond being a value; it holds no expected output and no seed.
"""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any, BinaryIO
from warnings import catch_warnings, simplefilter

import torch
from torch import _C, inference_mode
from torch.autograd import set_detect_anomaly
from torch.nn.modules import module

from autograder.confined.failures import describe
from autograder.confined.namespace import fresh_namespace, run_cell
from autograder.confined.observe import observe
from autograder.exercise import wire
from autograder.exercise.case import Case
from autograder.exercise.observation import Observation, Unsent, absent

GLOBAL_HOOKS = [
    value
    for name, value in vars(module).items()
    if name.startswith("_global") and isinstance(value, dict)
]
RESETS = (  # taken before a submission can put something else in their places
    partial(torch.set_default_device, None),
    partial(torch.set_num_threads, 1),
    partial(torch.set_default_dtype, torch.float32),
    partial(torch.set_autocast_enabled, "cpu", False),
    # torch's own function for this imports its compiler, which would take seconds
    partial(_C._set_deterministic_algorithms, False, warn_only=False),
)
Calls = dict[str, list[Case]]


def perform(request: dict[str, Any], calls: Calls, stream: BinaryIO) -> None:
    """Run `request["cells"]`, then the calls of `request["exercises"]`; report each step."""
    namespace = fresh_namespace()
    _report(stream, "ready", 0, None)
    _silence()
    for index, cell in enumerate(request["cells"]):
        with _usual_state():
            failure = run_cell(cell["name"], cell["source"], namespace)
        _report(stream, "cell", index, failure and asdict(failure))
    for index, name in enumerate(request["exercises"]):
        with _usual_state():
            seen = [_observe(namespace, name, case, request["device"]) for case in calls[name]]
        _report(stream, "exercise", index, [observation.to_tree() for observation in seen])


def _observe(namespace: dict[str, Any], name: str, case: Case, device: str) -> Observation:
    target: Callable[..., Any] | None = namespace.get(name)
    if not callable(target):
        return Observation(failure=describe(NameError(absent(name))))
    return observe(target, case, device)


@contextlib.contextmanager
def _usual_state() -> Iterator[None]:
    """Undo what one cell or exercise set for all of torch: it must not matter to another."""
    for reset in RESETS:
        with contextlib.suppress(Exception):
            reset()
    while _C._len_torch_function_stack():
        _C._pop_torch_function_stack()
    while _C._len_torch_dispatch_stack():
        _C._pop_torch_dispatch_stack(None)
    while _C._autograd._top_saved_tensors_default_hooks(True):
        _C._autograd._pop_saved_tensors_default_hooks()
    for hooks in GLOBAL_HOOKS:
        hooks.clear()
    with inference_mode(False), set_detect_anomaly(False), catch_warnings():
        simplefilter("ignore")
        yield


def _report(stream: BinaryIO, step: str, index: int, content: Any) -> None:
    """Write one step; where all results are too much, those with more than their share stay out."""
    try:
        frame = _packed({"step": step, "index": index, "content": content}, 1)
    except Exception:
        content = [_sendable(tree, len(content)) for tree in content]
        frame = wire.pack({"step": step, "index": index, "content": content})
    wire.write_frame(stream, frame)


def _packed(value: Any, share: int) -> bytes:
    """Pack it. Raises ValueError for more than one part in `share` of what a step may send."""
    data = wire.pack(value)
    for size, most in (
        (len(data), wire.FRAME_LIMIT),
        (wire.header_length(data), wire.HEADER_LIMIT),
    ):
        if size > most // share:
            raise ValueError(f"{size:,} bytes are more than are accepted")
    return data


def _sendable(tree: dict[str, Any], calls: int) -> dict[str, Any]:
    """Return the observation, or that its result is too large for a share of what may be sent."""
    try:
        _packed(tree, 2 * calls)
    except Exception:
        return Observation(output=Unsent("more than can be sent")).to_tree()
    return tree


def _silence() -> None:
    """Discard what the learner's code prints, whichever way it prints."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    sys.stdin = io.StringIO()
