"""The warm worker: imports torch once, then forks a confined child for every submission.

Its standard input is a socket to the trusted process. A pipe with the inputs of a chapter's calls
arrives over it first; every child inherits them. For each submission two pipes arrive, one to read
the notebook's cells from and one to write observations to; the worker hands them to the child
unread, so that no submission leaves a trace in the memory the next child inherits.
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from autograder.common.cell import IMPORTED
from autograder.confined import confine, syscalls
from autograder.confined.gpu import open_gpu
from autograder.confined.observe import observe
from autograder.confined.perform import Calls, perform
from autograder.exercise import wire
from autograder.exercise.case import Case
from autograder.exercise.specimen import Specimen
from autograder.exercise.stateful import Model, Optimizer

REQUEST_LIMIT = 256 * 2**20
REFUSED = 3
TIME = b"T"
COLLAPSE_AFTER = 30  # submissions after which huge pages pay off
# What the cells of notebooks import: loaded once, not for every submission.
IMPORTS = ("jaxtyping", "numpy", "autograder.learner.public_cases", "matplotlib.pyplot")
# What torch imports when an optimiser asks for it: most classes have none, and it takes seconds.
SLOW_IMPORTS = ("torch._dynamo",)


def main() -> None:
    """Serve until the socket closes.

    `--unconfined` puts no walls around a submission; `--account N FOLDER` no namespaces, but the
    rights of user N, whose folder it is; `--gpu` lets in CUDA, which does not survive a fork: it is
    first touched in a child, and so is torch's backward pass, which then looks for GPUs.
    """
    gpu = "--gpu" in sys.argv
    program = b"" if "--unconfined" in sys.argv else syscalls.compile_filter(gpu)
    walls = confine.Walls(program, namespaces=confine.WITH_GPU if gpu else confine.NAMESPACES)
    if "--account" in sys.argv:
        account, scratch = sys.argv[sys.argv.index("--account") + 1 :][:2]
        walls = confine.Walls(program, int(account), scratch)
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    torch.set_num_threads(1)
    _warm_up(gradient=not gpu)
    if program:
        confine.harden_worker()
    _tell(control, {"ready": torch.__version__})
    _listen(control, walls, gpu)
    os._exit(0)  # nothing is left to tidy up


def _listen(control: socket.socket, walls: confine.Walls, gpu: bool) -> None:
    """Load what comes in one pipe and serve what comes in two, until the socket closes."""
    calls: Calls = {}
    served = 0
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 2)
        if not message:
            return
        if len(descriptors) == 1:
            calls = _load(descriptors[0])
            _freeze()
            _tell(control, {"loaded": str(len(calls))})
        elif len(descriptors) == 2:  # else an order about a child that had already ended
            reading, writing = descriptors
            _tell(control, serve(control, reading, writing, calls, walls, gpu))
            served += 1
            if served == COLLAPSE_AFTER:
                _import(SLOW_IMPORTS)
                _freeze()
                confine.collapse_memory()


def _warm_up(gradient: bool) -> None:
    """Make one call of every kind, so that what torch loads on first use is loaded once."""
    _import(IMPORTS)
    for dtype in (torch.float32, torch.float16):
        query = torch.ones(1, 2, 2, dtype=dtype)
        inputs = {"query": query, "mask": torch.ones(2, 2, dtype=torch.bool)}
        seen = observe(
            _first_uses, Case("warm-up", inputs, gradient=gradient, traced=True, placed=True)
        )
        wire.unpack(wire.pack(seen.to_tree()))
        if seen.failure or seen.gradient_failure:
            raise RuntimeError(f"warming up failed: {seen.failure or seen.gradient_failure}")


def _freeze() -> None:
    """Let no child look for garbage among what it inherits: that writes to all of its memory."""
    gc.collect()
    gc.freeze()


def _import(names: Iterable[str]) -> None:
    for name in names:
        with suppress(Exception):  # a notebook that needs it will say so
            importlib.import_module(name)


def _first_uses(query: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    scores = (query @ query.mT).masked_fill(~mask, float("-inf"))
    weights = torch.where(mask, torch.softmax(scores, dim=-1), 0.0)
    return F.scaled_dot_product_attention(query, weights, query) + torch.einsum("bij->bij", query)


def _load(reading: int) -> Calls:
    """Return the inputs of all calls, by exercise, and what its notebooks import.

    They come from the trusted process.
    """
    with os.fdopen(reading, "rb") as stream:
        trees = wire.unpack(wire.read_frame(stream, REQUEST_LIMIT))
    _import(trees.pop(IMPORTED, ()))
    calls = {name: [Case(**tree) for tree in cases] for name, cases in trees.items()}
    all_cases = (case for cases in calls.values() for case in cases)
    for value in (value for case in all_cases for value in case.inputs.values()):
        # It is compiled here, so that no child has to.
        if isinstance(value, Specimen | Model):
            value.compile()
        elif isinstance(value, Optimizer):
            _import(SLOW_IMPORTS)
    return calls


def serve(
    control: socket.socket,
    reading: int,
    writing: int,
    calls: Calls,
    walls: confine.Walls,
    gpu: bool,
) -> dict[str, str]:
    """Fork a child for one submission, wait for it, and say how it ended."""
    ours = os.pidfd_open(os.getpid())
    try:
        pid = walls.fork()
        if pid == 0:
            _child(ours, reading, writing, calls, walls, gpu)
    except OSError as error:
        return {"end": "infrastructure", "detail": str(error), "seconds": "0"}
    finally:
        for descriptor in (ours, reading, writing):
            os.close(descriptor)
    return _end(*_wait(pid, control))


def _wait(pid: int, control: socket.socket) -> tuple[int, float]:
    """Return the child's wait status, and the seconds of processor time that it took.

    A byte TIME on the socket asks for what it has taken so far. Any other, or the socket's end,
    means: kill the child.
    """
    handle = os.pidfd_open(pid)
    while handle not in select.select([handle, control.fileno()], [], [])[0]:
        if control.recv(1) == TIME:
            seconds = time.clock_gettime(~pid << 3 | 2)
            _tell(control, {"seconds": str(seconds), "waited": str(_waited(pid))})
            continue
        os.kill(pid, signal.SIGKILL)  # the first process of a pid namespace takes all others along
        break
    os.close(handle)
    _, status, usage = os.wait4(pid, 0)
    return status, usage.ru_utime + usage.ru_stime


def _waited(pid: int) -> float:
    """Seconds for which it could have run and had no processor; 0 where the kernel does not say."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def _end(status: int, seconds: float) -> dict[str, str]:
    taken = {"seconds": str(seconds)}
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        known = number in set(signal.Signals)
        name = signal.Signals(number).name if known else str(number)
        return {"end": "signal", "detail": name, **taken}
    code = os.WEXITSTATUS(status)
    kind = {0: "done", REFUSED: "refused"}.get(code, "exited")
    return {"end": kind, "detail": f"exit status {code}", **taken}


def _child(
    parent: int, reading: int, writing: int, calls: Calls, walls: confine.Walls, gpu: bool
) -> None:
    """Never returns: whatever happens here must not reach the worker's loop."""
    try:
        confine.die_with_parent(parent)
        os.setsid()  # or its kill(0, ...) would reach this worker
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _keep_only(reading, writing)
        with os.fdopen(reading, "rb") as stream:
            request = wire.unpack(wire.read_frame(stream, REQUEST_LIMIT))
        _confine(request, walls, gpu)
    except BaseException as error:
        os.write(2, f"confinement failed: {error}\n".encode())
        os._exit(REFUSED)
    try:
        with os.fdopen(writing, "wb") as stream:
            perform(request, calls, stream)
    except BaseException:
        os._exit(1)
    os._exit(0)


def _confine(request: dict[str, Any], walls: confine.Walls, gpu: bool) -> None:
    """Complete before the first line of a learner's code is run."""
    confine.limit(request["memory"], request["seconds"], gpu)
    if request["device"] == "cuda":
        open_gpu()  # the driver needs more to start than a submission may have
    walls.close()


def _keep_only(*kept: int) -> None:
    """Close everything else, above all the socket to the trusted process."""
    last = 2
    for descriptor in sorted(kept):
        os.closerange(last + 1, descriptor)
        last = descriptor
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))


def _tell(control: socket.socket, message: dict[str, str]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    main()
