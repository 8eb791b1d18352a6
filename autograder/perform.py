"""In the confined child: run the notebook's cells, make the calls, report what happened.

Everything here shares a process with the learner's code, so nothing it reports is believed
beyond being a value; it holds no expected output and no seed.
"""

import contextlib
import io
import linecache
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import asdict
from types import CodeType
from typing import Any, BinaryIO

import torch
from torch import _C
from torch.nn.modules import module

from autograder import wire
from autograder.failures import CELL, describe
from autograder.magics import without_magics
from autograder.observation import Observation
from autograder.observe import observe
from autograder.spec import Case

GLOBAL_HOOKS = [value for name, value in vars(module).items()
                if name.startswith("_global") and isinstance(value, dict)]  # fmt: skip
Calls = dict[str, list[Case]]


def perform(request: dict[str, Any], calls: Calls, stream: BinaryIO) -> None:
    """Run `request["cells"]`, then the calls of `request["exercises"]`; report each step."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    _report(stream, "ready", 0, None)
    _silence()
    for index, cell in enumerate(request["cells"]):
        failure = run_cell(cell["name"], cell["source"], namespace)
        _report(stream, "cell", index, failure and asdict(failure))
    for index, name in enumerate(request["exercises"]):
        with _usual_state():
            seen = [_observe(namespace, name, case, request["device"]) for case in calls[name]]
        _report(stream, "exercise", index, [item.to_tree() for item in seen])


def run_cell(name: str, source: str, namespace: dict[str, Any]) -> Any:
    """Execute a cell as a notebook would; returns the Failure it ended with, or None."""
    filename = f"{CELL}{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        exec(_compiled(source, filename), namespace)
    except BaseException as error:  # SystemExit too: a cell must not end the run
        return describe(error)
    return None


def _compiled(source: str, filename: str) -> CodeType:
    """A cell that is Python as it stands stays so; else without the lines for IPython alone."""
    try:
        return compile(source, filename, "exec")
    except Exception:
        return compile(without_magics(source), filename, "exec")


def _observe(namespace: dict[str, Any], name: str, case: Case, device: str) -> Observation:
    target: Callable[..., Any] | None = namespace.get(name)
    if not callable(target):
        return Observation(failure=describe(NameError(f"name {name!r} is not defined")))
    return observe(target, case, device)


@contextlib.contextmanager
def _usual_state() -> Any:
    """What one exercise set for all of torch must not matter to another."""
    with contextlib.suppress(Exception):
        torch.set_default_device(None)
    while _C._len_torch_function_stack():
        _C._pop_torch_function_stack()
    while _C._len_torch_dispatch_stack():
        _C._pop_torch_dispatch_stack(None)
    while _C._autograd._top_saved_tensors_default_hooks(True):
        _C._autograd._pop_saved_tensors_default_hooks()
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float32)
    torch.set_autocast_enabled("cpu", False)
    torch.use_deterministic_algorithms(False)
    for hooks in GLOBAL_HOOKS:
        hooks.clear()
    with (
        torch.inference_mode(False),
        torch.autograd.set_detect_anomaly(False),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def _report(stream: BinaryIO, step: str, index: int, content: Any) -> None:
    """Write one step; what cannot be sent becomes a failure of the call that returned it."""
    try:
        frame = wire.pack({"step": step, "index": index, "content": content})
        if len(frame) > wire.FRAME_LIMIT or wire.header_length(frame) > wire.HEADER_LIMIT:
            raise ValueError
    except Exception:
        content = [_sendable(tree, len(content)) for tree in content]
        frame = wire.pack({"step": step, "index": index, "content": content})
    wire.write_frame(stream, frame)


def _sendable(tree: dict[str, Any], calls: int) -> dict[str, Any]:
    """The observation, or that its result is too large for a share of what may be sent."""
    try:
        data = wire.pack(tree)
        for size, most in ((len(data), wire.FRAME_LIMIT),
                           (wire.header_length(data), wire.HEADER_LIMIT)):  # fmt: skip
            if size > most // (2 * calls):
                raise ValueError(f"the result takes {size:,} bytes, more than are accepted")
    except Exception as error:
        return Observation(failure=describe(error)).to_tree()
    return tree


def _silence() -> None:
    """Discard what the learner's code prints, whichever way it prints."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    sys.stdin = io.StringIO()
