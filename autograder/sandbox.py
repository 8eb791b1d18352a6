"""The trusted end of the wire: start the confined worker, send a submission, read observations."""

import json
import os
import select
import shutil
import site
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder import confine, wire

START_SECONDS = 120.0
STEP_SECONDS = 10.0  # a cell or a call may take this long
RUN_SECONDS = 120.0  # and all of them together this long
CPU_SECONDS = 60
GRACE_SECONDS = 2.0  # between the end of the output and the end of the process
MEMORY = 2 * 2**30
FRAME_LIMIT = 64 * 2**20
TOTAL_LIMIT = 256 * 2**20
SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")
ENGINE = "/engine"
INSTALL = (
    "Grading needs bubblewrap to confine the code it runs, and `bwrap` was not found. "
    "Install it (Debian and Ubuntu: apt install bubblewrap), or pass --no-sandbox to run "
    "submissions unconfined as yourself, which is safe only for code that you trust."
)


class SandboxUnavailable(RuntimeError):
    """Confinement cannot be had here; nothing was run."""


@dataclass
class Run:
    """What one submission's process reported, and how it ended.

    end: done, timeout, flood, garbled, signal, exited or infrastructure.
    ready: confinement was complete; what goes wrong after that is the submission's own doing.
    cells: by index, the Failure (as a dict) of each executed cell, or None.
    cases: by index, the observation tree of each call.
    """

    end: str = "done"
    detail: str = ""
    ready: bool = False
    cells: dict[int, Any] = field(default_factory=dict)
    cases: dict[int, dict[str, Any]] = field(default_factory=dict)


class Sandbox:
    """A warm worker and its socket. Use as a context manager; not shared between threads."""

    def __init__(self, confined: bool = True):
        self.confined = confined
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def check(self) -> None:
        """Raise SandboxUnavailable, with what to do, before any submission is touched."""
        if not self.confined:
            return
        tried = subprocess.run(
            [*_bubblewrap(), sys.executable, "-c", ""], capture_output=True, text=True, check=False
        )
        if tried.returncode:
            raise SandboxUnavailable(f"bubblewrap cannot confine here: {tried.stderr.strip()}")

    def run(self, request: dict[str, Any]) -> Run:
        """Run one request in a fresh child. Raises SandboxUnavailable if no worker starts."""
        control = self._start()
        request = {"memory": MEMORY, "cpu_seconds": CPU_SECONDS, "device": "cpu", **request}
        run, status = Run(), {"end": "infrastructure", "detail": "the worker died"}
        try:
            self._exchange(control, wire.pack(request), run)
            status = self._ending(control)
        except (OSError, ValueError) as error:
            run.detail = str(error)
        if status["end"] == "infrastructure":
            self.stop()
        elif status["end"] == "refused":
            status["end"] = "exited" if run.ready else "infrastructure"
        if run.end == "done":
            run.end, run.detail = status["end"], status["detail"]
        return run

    def stop(self) -> None:
        """End the worker and every child."""
        if self._control:
            self._control.close()
        if self._process:
            self._process.kill()
            self._process.wait()
        self._process = self._control = None

    def _start(self) -> socket.socket:
        if self._control:
            return self._control
        self._control, theirs = socket.socketpair()
        command = _command(self.confined)
        with theirs:
            self._process = subprocess.Popen(
                command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, env=_environment(self.confined),
            )  # fmt: skip
        try:
            self._hear(self._control, START_SECONDS)
        except (OSError, ValueError):
            self._process.kill()
            said = self._process.communicate()[1].decode(errors="replace").strip()
            self._process = self._control = None
            raise SandboxUnavailable(f"The confined worker did not start: {said[-500:]}") from None
        return self._control

    def _exchange(self, control: socket.socket, request: bytes, run: Run) -> None:
        """Hand two pipes to the worker, write the request, read what comes back."""
        their_in, our_out = os.pipe()
        our_in, their_out = os.pipe()
        socket.send_fds(control, [b"R"], [their_in, their_out])
        os.close(their_in)
        os.close(their_out)
        with os.fdopen(our_out, "wb") as stream, suppress(BrokenPipeError):
            wire.write_frame(stream, request)
        try:
            for frame in _frames(our_in):
                _take(run, wire.unpack(frame))
        except TimeoutError:
            run.end = "timeout"
        except Exception as error:  # whatever the bytes provoke, they are what is wrong
            run.end, run.detail = "garbled", str(error)
        finally:
            os.close(our_in)
        if run.end != "done":
            control.send(b"K")

    def _ending(self, control: socket.socket) -> dict[str, str]:
        """How the child ended. One that has closed its pipe and goes on is killed."""
        try:
            return self._hear(control, GRACE_SECONDS)
        except TimeoutError:
            control.send(b"K")
            return {**self._hear(control, STEP_SECONDS), "end": "timeout"}

    def _hear(self, control: socket.socket, patience: float) -> dict[str, str]:
        """One line of JSON from the worker itself, which runs no code of a learner's."""
        control.settimeout(patience)
        line = b""
        while not line.endswith(b"\n"):
            part = control.recv(4096)
            if not part:
                raise ConnectionError("the worker closed its socket")
            line += part
        message: dict[str, str] = json.loads(line)
        return message


def _take(run: Run, message: dict[str, Any]) -> None:
    """Accept each step once and in order; the child may claim anything, but not take it back."""
    if message["step"] == "ready" and not run.ready:
        run.ready = True
        return
    steps = {"cell": run.cells, "case": run.cases}[message["step"]]
    index = message["index"]
    if type(index) is not int or index != len(steps):
        raise wire.WireError("a step was reported twice or out of order")
    steps[index] = message["content"]


def _frames(reading: int) -> Iterator[bytes]:
    """Frames until the pipe closes. Raises TimeoutError if one, or all of them, take too long."""
    buffer, total = bytearray(), 0
    last = time.monotonic() + RUN_SECONDS
    due = time.monotonic() + STEP_SECONDS
    while True:
        while len(buffer) >= wire.HEADER.size:
            (length,) = wire.HEADER.unpack_from(buffer)
            if length > FRAME_LIMIT:
                raise wire.WireError(f"a message of {length} bytes")
            if len(buffer) < wire.HEADER.size + length:
                break
            yield bytes(buffer[wire.HEADER.size : wire.HEADER.size + length])
            del buffer[: wire.HEADER.size + length]
            due = time.monotonic() + STEP_SECONDS
        patience = min(due, last) - time.monotonic()
        if patience <= 0 or not select.select([reading], [], [], patience)[0]:
            raise TimeoutError
        chunk = os.read(reading, 1 << 20)
        total += len(chunk)
        if not chunk:
            return
        if total > TOTAL_LIMIT:
            raise wire.WireError("too much output")
        buffer += chunk


def _command(confined: bool) -> list[str]:
    worker = [sys.executable, "-P", "-m", "autograder.worker"]
    if not confined:
        return [*worker, "--unconfined"]
    return [*_bubblewrap(), *worker]


def _bubblewrap() -> list[str]:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable(INSTALL)
    return [bwrap, *_mounts(), "--"]


def _mounts() -> list[str]:
    """Read-only, only what Python and torch need; never a course folder, a home or `solutions/`."""
    package = Path(__file__).parent
    python = [Path(sys.prefix), Path(sys.base_prefix), *map(Path, site.getsitepackages())]
    shown = [str(p) for p in dict.fromkeys([*map(Path, SYSTEM), *python]) if p.exists()]
    binds = [part for path in shown for part in ("--ro-bind", path, path)]
    return [
        "--unshare-all", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
        "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        *binds, "--ro-bind", str(package), f"{ENGINE}/{package.name}",
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", confine.SCRATCH, "--chdir", confine.SCRATCH,
        "--remount-ro", "/dev", "--remount-ro", "/",
    ]  # fmt: skip


def _environment(confined: bool) -> dict[str, str]:
    """Nothing of the instructor's environment reaches a submission."""
    scratch = confine.SCRATCH if confined else tempfile.gettempdir()
    return {
        "PATH": "/usr/bin:/bin", "HOME": scratch, "TMPDIR": scratch, "LANG": "C.UTF-8",
        "PYTHONPATH": ENGINE if confined else str(Path(__file__).parent.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
    }  # fmt: skip
