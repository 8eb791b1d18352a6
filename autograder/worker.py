"""The warm worker: imports torch once, then forks a confined child for every submission.

Its standard input is a socket to the trusted process. For each submission two pipes arrive over
it, one to read the request from and one to write observations to; the worker hands them to the
child unread, so that no submission leaves a trace in the memory the next child inherits.
"""

import gc
import json
import os
import select
import signal
import socket
import sys

import torch
import torch.nn.functional as F

from autograder import confine, wire
from autograder.observe import observe
from autograder.perform import perform
from autograder.spec import Case

REQUEST_LIMIT = 256 * 2**20
REFUSED = 3


def main() -> None:
    """Serve until the socket closes. `--unconfined` forks without namespaces."""
    unconfined = sys.argv[1:] == ["--unconfined"]
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    torch.set_num_threads(1)
    _warm_up()
    if not unconfined:
        confine.harden_worker()
    gc.collect()
    gc.freeze()
    _tell(control, {"ready": torch.__version__})
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 2)
        if not message:
            return
        if len(descriptors) != 2:
            continue  # an order to kill a child that had already ended
        reading, writing = descriptors
        _tell(control, serve(control, reading, writing, unconfined))


def _warm_up() -> None:
    """Make one call of every kind, so that what torch loads on first use is loaded once."""
    for dtype in (torch.float32, torch.float16):
        query = torch.ones(1, 2, 2, dtype=dtype)
        inputs = {"query": query, "mask": torch.ones(2, 2, dtype=torch.bool)}
        seen = observe(_first_uses, Case("warm-up", inputs, gradient=True, traced=True))
        if seen.failure or seen.gradient_failure:
            raise RuntimeError(f"warming up failed: {seen.failure or seen.gradient_failure}")


def _first_uses(query: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    scores = (query @ query.mT).masked_fill(~mask, float("-inf"))
    weights = torch.where(mask, torch.softmax(scores, dim=-1), 0.0)
    return F.scaled_dot_product_attention(query, weights, query) + torch.einsum("bij->bij", query)


def serve(control: socket.socket, reading: int, writing: int, unconfined: bool) -> dict[str, str]:
    """Fork a child for one submission, wait for it, and say how it ended."""
    try:
        pid = os.fork() if unconfined else confine.fork_into_namespaces()
    except OSError as error:
        return {"end": "infrastructure", "detail": str(error)}
    if pid == 0:
        _child(reading, writing, unconfined)
    os.close(reading)
    os.close(writing)
    return _end(_wait(pid, control))


def _wait(pid: int, control: socket.socket) -> int:
    """The child's wait status. Any byte on the socket, or its end, means: kill the child."""
    handle = os.pidfd_open(pid)
    ready, _, _ = select.select([handle, control.fileno()], [], [])
    if handle not in ready:
        control.recv(1)
        os.kill(pid, signal.SIGKILL)  # the first process of a pid namespace takes all others along
    os.close(handle)
    return os.waitpid(pid, 0)[1]


def _end(status: int) -> dict[str, str]:
    if os.WIFSIGNALED(status):
        return {"end": "signal", "detail": signal.Signals(os.WTERMSIG(status)).name}
    code = os.WEXITSTATUS(status)
    kind = {0: "done", REFUSED: "refused"}.get(code, "exited")
    return {"end": kind, "detail": f"exit status {code}"}


def _child(reading: int, writing: int, unconfined: bool) -> None:
    """Never returns: whatever happens here must not reach the worker's loop."""
    try:
        _keep_only(reading, writing)
        with os.fdopen(reading, "rb") as stream:
            request = wire.unpack(wire.read_frame(stream, REQUEST_LIMIT))
        confine.limit(request["memory"], request["cpu_seconds"])
        if not unconfined:
            confine.enter(os.getuid(), os.getgid())
    except BaseException as error:
        os.write(2, f"confinement failed: {error}\n".encode())
        os._exit(REFUSED)
    try:
        with os.fdopen(writing, "wb") as stream:
            perform(request, stream)
    except BaseException:
        os._exit(1)
    os._exit(0)


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
