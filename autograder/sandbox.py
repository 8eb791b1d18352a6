"""The trusted end of the wire: start the confined worker, send a submission, read observations."""

import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder import wire
from autograder.bubblewrap import (
    SandboxUnavailable,
    bubblewrap,
    command,
    environment,
    refuse_to_show,
)
from autograder.notebook import Cell

START_SECONDS = 120.0
STEP_SECONDS = 5.0  # a cell, or the calls of one exercise, may take this long
RUN_SECONDS = 60.0  # and all of them together this long
CPU_SECONDS = 60
GRACE_SECONDS = 2.0  # between the end of the output and the end of the process
MEMORY = 2 * 2**30
TOTAL_LIMIT = 128 * 2**20


@dataclass
class Run:
    """What one submission's process reported, and how it ended.

    end: done, timeout, flood, garbled, signal, exited or infrastructure.
    ready: confinement was complete; what goes wrong after that is the submission's own doing.
    cells: by index, the Failure (as a dict) of each executed cell, or None.
    exercises: by index, the observation trees of the exercise's calls.
    slowest: seconds that the longest step took.
    """

    end: str = "done"
    detail: str = ""
    ready: bool = False
    cells: dict[int, Any] = field(default_factory=dict)
    exercises: dict[int, Any] = field(default_factory=dict)
    slowest: float = 0.0


class Sandbox:
    """A warm worker and its socket. Use as a context manager; not shared between threads."""

    def __init__(self, confined: bool = True):
        self.confined = confined
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._loaded: bytes | None = None
        self._unreaped = False

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def check(self, *private: Path) -> None:
        """Raise SandboxUnavailable, with what to do, before any submission is touched.

        `private` are folders that no submission may see.
        """
        if not self.confined:
            return
        refuse_to_show(Path.home(), *private)
        tried = subprocess.run(
            [*bubblewrap(), sys.executable, "-c", ""], capture_output=True, text=True, check=False
        )
        if tried.returncode:
            raise SandboxUnavailable(f"bubblewrap cannot confine here: {tried.stderr.strip()}")

    def run(
        self, cells: list[Cell], calls: bytes, exercises: list[str], patience: float | None = None
    ) -> Run:
        """Execute `cells`, then make the calls of `exercises`, in a fresh child.

        calls: the packed inputs of a chapter, by exercise. The worker keeps them until others come.
        patience: seconds that a step may take. Raises SandboxUnavailable if no worker starts.
        """
        request = {"cells": [cell.to_tree() for cell in cells], "exercises": exercises,
                   "memory": MEMORY, "cpu_seconds": CPU_SECONDS, "device": "cpu"}  # fmt: skip
        control = self._start()
        run, status = Run(), {"end": "infrastructure", "detail": "the worker died"}
        try:
            self._reap(control)
            self._load(control, calls)
            self._exchange(control, request, run, patience or STEP_SECONDS)
            if _said_all(run, request):
                self._unreaped = True  # while it ends, what it said can be judged
                return run
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
            self._control.close()  # which ends an idle worker
        if self._process:
            try:
                self._process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = self._control = self._loaded = None
        self._unreaped = False

    def _start(self) -> socket.socket:
        if self._control:
            return self._control
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                command(self.confined), stdin=theirs.fileno(), stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, env=environment(self.confined),
            )  # fmt: skip
        try:
            self._hear(self._control, START_SECONDS)
        except (OSError, ValueError):
            self._process.kill()
            said = self._process.communicate()[1].decode(errors="replace").strip()
            self._process = self._control = self._loaded = None
            raise SandboxUnavailable(f"The confined worker did not start: {said[-500:]}") from None
        return self._control

    def _load(self, control: socket.socket, calls: bytes) -> None:
        """Give the worker the inputs of the calls, unless these are what it has."""
        if self._loaded is calls:
            return
        their_in, our_out = os.pipe()
        socket.send_fds(control, [b"L"], [their_in])
        os.close(their_in)
        with os.fdopen(our_out, "wb") as stream:
            wire.write_frame(stream, calls)
        self._hear(control, START_SECONDS)
        self._loaded = calls

    def _exchange(
        self, control: socket.socket, request: dict[str, Any], run: Run, patience: float
    ) -> None:
        """Hand two pipes to the worker, write the request, read what comes back."""
        their_in, our_out = os.pipe()
        our_in, their_out = os.pipe()
        socket.send_fds(control, [b"R"], [their_in, their_out])
        os.close(their_in)
        os.close(their_out)
        with os.fdopen(our_out, "wb") as stream, suppress(BrokenPipeError):
            wire.write_frame(stream, wire.pack(request))
        try:
            for frame, seconds in _frames(our_in, patience):
                _take(run, wire.unpack(frame, wire.HEADER_LIMIT), request)
                run.slowest = max(run.slowest, seconds)
                if _said_all(run, request):
                    break  # whatever comes now is not asked for
        except TimeoutError:
            run.end = "timeout"
        except Exception as error:  # whatever the bytes provoke, they are what is wrong
            run.end, run.detail = "garbled", str(error)
        finally:
            os.close(our_in)
        if run.end != "done" or _said_all(run, request):
            control.send(b"K")

    def _reap(self, control: socket.socket) -> None:
        """Wait until nothing is left of the submission before."""
        if self._unreaped:
            self._unreaped = False
            self._hear(control, STEP_SECONDS)

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


def _said_all(run: Run, request: dict[str, Any]) -> bool:
    done, asked = (run.cells, run.exercises), (request["cells"], request["exercises"])
    return [*map(len, done)] == [*map(len, asked)]


def _take(run: Run, message: dict[str, Any], request: dict[str, Any]) -> None:
    """Accept each step once and in order; the child may claim anything, but not take it back."""
    if message["step"] == "ready" and not run.ready:
        run.ready = True
        return
    kind = message["step"]
    steps = {"cell": run.cells, "exercise": run.exercises}[kind]
    due = len(steps) < len(request[f"{kind}s"])
    if kind == "exercise":
        due = due and len(run.cells) == len(request["cells"])
    if type(message["index"]) is not int or message["index"] != len(steps) or not due:
        raise wire.WireError("a step was reported twice or out of order")
    steps[len(steps)] = message["content"]


def _frames(reading: int, patience: float) -> Iterator[tuple[bytes, float]]:
    """Frames, with the seconds each took, until the pipe closes.

    Raises TimeoutError if one takes longer than `patience`, or all of them RUN_SECONDS.
    """
    buffer, total = bytearray(), 0
    began = time.monotonic()
    last = began + RUN_SECONDS
    while True:
        while frame := _complete(buffer):
            now = time.monotonic()
            yield frame, now - began
            began = time.monotonic()
        remaining = min(began + patience, last) - time.monotonic()
        if remaining <= 0 or not select.select([reading], [], [], remaining)[0]:
            raise TimeoutError
        chunk = os.read(reading, 1 << 20)
        total += len(chunk)
        if not chunk:
            return
        if total > TOTAL_LIMIT:
            raise wire.WireError("too much output")
        buffer += chunk


def _complete(buffer: bytearray) -> bytes:
    """Take the first frame off the buffer; b"" until all of it has come."""
    if len(buffer) < wire.HEADER.size:
        return b""
    (length,) = wire.HEADER.unpack_from(buffer)
    if not 0 < length <= wire.FRAME_LIMIT:
        raise wire.WireError(f"a message of {length} bytes")
    end = wire.HEADER.size + length
    if len(buffer) < end:
        return b""
    frame = bytes(buffer[wire.HEADER.size : end])
    del buffer[:end]
    return frame
