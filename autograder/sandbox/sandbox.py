"""The trusted end of the wire: start the confined worker, send a submission, read observations."""

import json
import math
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO

from autograder.common.cell import Cell
from autograder.common.errors import SandboxUnavailable, WireError
from autograder.confined import gpu
from autograder.confined.syscalls import require_filter
from autograder.exercise import wire
from autograder.sandbox.bubblewrap import bubblewrap, command, environment, refuse_to_show
from autograder.sandbox.steps import Run, RunOver, Taken, frames, note_end, said_all, take

START_SECONDS = 120.0
STARTS = 5  # of a worker that is killed as it starts
STEP_SECONDS = 5.0  # of processor time, for a cell or the calls of one exercise
SUBMISSION_SECONDS = 60.0  # for all of them together, without what they wait for a processor
GRACE_SECONDS = 2.0  # between the end of the output and the end of the process
MEMORY = 2 * 2**30
Request = dict[str, Any]  # what the worker's child is asked to do


class Sandbox:
    """A warm worker and its socket. Use as a context manager; not shared between threads.

    device: where the calls are made, "cpu" or "cuda". alone: use the GPU while nobody else does.
    """

    def __init__(self, confined: bool = True, device: str = "cpu"):
        self.confined, self.device, self.alone = confined, device, False
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._loaded: bytes | None = None
        self._unreaped = False
        self._killed = False
        self._ready = False  # the worker has said that it is
        self._ended: dict[str, str] | None = None  # what the worker said of it before it was asked
        self._waited = 0.0  # seconds that the submission had to wait for a processor
        self._heard = b""  # what came with the line that was waited for

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def check(self, *private: Path) -> None:
        """Raise SandboxUnavailable, with what to do. private: what no submission may see."""
        if self._gpu:
            gpu.require()
        if not self.confined:
            return
        refuse_to_show(Path.home(), *private)
        require_filter(self._gpu)
        nothing = [*bubblewrap(self._gpu), sys.executable, "-c", ""]
        tried = subprocess.run(nothing, capture_output=True, text=True, check=False)
        if tried.returncode:
            raise SandboxUnavailable(f"bubblewrap cannot confine here: {tried.stderr.strip()}")

    def run(
        self,
        cells: list[Cell],
        calls: bytes,
        exercises: list[str],
        patience: float = STEP_SECONDS,
        longest: float = SUBMISSION_SECONDS,
    ) -> Run:
        """Execute `cells`, then make the calls of `exercises`, in a fresh child.

        calls: the packed inputs of a chapter, by exercise. The worker keeps them until others come.
        patience: seconds of processor time that a step may take. longest: seconds that all of them
        may take, without what they have to wait for a processor.
        Raises SandboxUnavailable if no worker starts.
        """
        request: Request = {"cells": [cell.to_tree() for cell in cells], "exercises": exercises}
        request |= {"memory": MEMORY, "seconds": math.ceil(longest) + 1, "device": self.device}
        with self._turn():
            return self._run(request, calls, patience, longest)

    def _turn(self) -> AbstractContextManager[None]:
        """While it lasts, a submission may use the device."""
        return gpu.place(gpu.places(), self.alone) if self._gpu else nullcontext()

    @property
    def _gpu(self) -> bool:
        return self.device == "cuda"

    def _run(self, request: Request, calls: bytes, patience: float, longest: float) -> Run:
        run = Run()
        try:
            control = self._start()
            self._reap(control)
            self._load(control, calls)
            self._exchange(control, request, run, patience, longest)
            if said_all(run, request):
                self._unreaped = True  # while it ends, what it said can be judged
                if self._gpu:
                    self._reap(control)  # others may need the memory that it has on the GPU
                return run
            status = self._ending(control)
            if status["end"] == "refused":
                status["detail"] = self._complaint() or status["detail"]
        except (OSError, ValueError) as error:  # ours, since a claim that is refused raises nothing
            status = {"end": "infrastructure", "detail": f"{type(error).__name__}: {error}"}
            status["seconds"] = "0"
        except BaseException:  # leftover output must not reach the next submission
            self.stop()
            raise
        if status["end"] == "infrastructure":
            self.stop()
        note_end(run, status, request["seconds"])
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
        self._process = self._control = self._loaded = self._ended = None
        self._unreaped = self._ready = False

    def kill(self) -> None:
        """End the worker at once and for good, from any thread: what runs in it fails."""
        self._killed = True
        if process := self._process:
            process.kill()
            process.wait()

    def begin(self) -> None:
        """Start the worker, and do not wait until it is ready: its imports take seconds."""
        if self._process is None:
            self._control, theirs = socket.socketpair()
            self._heard = b""
            with theirs:
                self._process = subprocess.Popen(
                    self._command(),
                    stdin=theirs.fileno(),
                    stderr=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    env=self._environment(),
                    cwd=self._folder(),
                )

    def _start(self) -> socket.socket:
        if self._killed:
            raise SandboxUnavailable("This sandbox was ended.")
        for _ in range(STARTS - 1):
            with suppress(SandboxUnavailable):  # killed as it started, perhaps
                return self._started()
        return self._started()

    def _started(self) -> socket.socket:
        self.begin()
        assert self._control and self._process
        if self._ready:
            return self._control
        try:
            self._hear(self._control, START_SECONDS)
        except (OSError, ValueError):
            self._process.kill()
            self._process.wait()
            said = self._complaint()
            self._process = self._control = self._loaded = None
            raise SandboxUnavailable(f"The confined worker did not start: {said}") from None
        self._ready = True
        return self._control

    def _complaint(self) -> str:
        """Read what the worker, or its child before a learner's code runs, has said on stderr."""
        assert self._process and self._process.stderr
        os.set_blocking(self._process.stderr.fileno(), False)
        return (self._process.stderr.read() or b"").decode(errors="replace").strip()[-500:]

    def _command(self) -> list[str]:
        return command(self.confined, self._gpu)

    def _environment(self) -> dict[str, str]:
        return environment(self.confined, self._gpu)

    def _folder(self) -> str | None:
        """Return the worker's folder; None where it cannot see this machine's folders."""
        return None if self.confined else tempfile.gettempdir()

    def _load(self, control: socket.socket, calls: bytes) -> None:
        """Give the worker the inputs of the calls, unless these are what it has."""
        if self._loaded is calls:
            return
        with _pipe() as (their_in, our_out):
            socket.send_fds(control, [b"L"], [their_in.fileno()])
            their_in.close()
            wire.write_frame(our_out, calls)
        self._hear(control, START_SECONDS)
        self._loaded = calls

    def _exchange(
        self, control: socket.socket, request: Request, run: Run, patience: float, longest: float
    ) -> None:
        """Hand two pipes to the worker, write the request, read what comes back."""
        with _pipe() as (their_in, our_out), _pipe() as (our_in, their_out):
            socket.send_fds(control, [b"R"], [their_in.fileno(), their_out.fileno()])
            their_in.close()
            their_out.close()
            began, self._waited = time.monotonic(), 0.0
            with suppress(BrokenPipeError), our_out:
                wire.write_frame(our_out, wire.pack(request))
            self._listen(our_in.fileno(), request, run, patience, longest)
            run.seconds = time.monotonic() - began - self._waited
        if run.end != "done" or said_all(run, request):
            control.send(b"K")

    def _listen(
        self, reading: int, request: Request, run: Run, patience: float, longest: float
    ) -> None:
        """Take what a submission says until it has said all, or something that is refused."""
        try:
            for frame, seconds in frames(reading, patience, longest, self._spent):
                if run.ready:
                    run.steps.append(seconds)
                take(run, frame, request)
                if said_all(run, request):
                    break  # whatever comes now is not asked for
        except TimeoutError:
            run.end = "timeout"
        except RunOver:
            run.end = "over"
        except WireError as error:
            run.end, run.detail = "garbled", str(error)

    def _spent(self) -> Taken:
        """Ask the worker what the submission has taken so far.

        Raises ConnectionError if the worker does not say.
        """
        if self._ended is None:
            assert self._control
            self._control.send(b"T")
            try:
                said = self._hear(self._control, START_SECONDS)
            except TimeoutError as error:  # no time of the submission's
                raise ConnectionError("the worker does not answer") from error
            if "end" not in said:
                self._waited = float(said["waited"])
                return Taken(float(said["seconds"]), self._waited)
            self._ended = said
        return Taken(float(self._ended["seconds"]), self._waited)

    def _reap(self, control: socket.socket) -> None:
        """Wait until nothing is left of the submission before."""
        if self._unreaped:
            self._unreaped = False
            self._ending(control)

    def _ending(self, control: socket.socket) -> dict[str, str]:
        """Learn how the child ended. One that has closed its pipe and goes on is killed."""
        if self._ended:
            ended, self._ended = self._ended, None
            return ended
        try:
            return self._hear(control, GRACE_SECONDS)
        except TimeoutError:
            control.send(b"K")
            return {**self._hear(control, STEP_SECONDS), "end": "timeout"}

    def _hear(self, control: socket.socket, patience: float) -> dict[str, str]:
        """Read a line of JSON from the worker itself, which runs no code of a learner's."""
        control.settimeout(patience)
        while b"\n" not in self._heard:
            part = control.recv(4096)
            if not part:
                raise ConnectionError("the worker closed its socket")
            self._heard += part
        line, _, self._heard = self._heard.partition(b"\n")
        message: dict[str, str] = json.loads(line)
        return message


@contextmanager
def _pipe() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The end to read from and the end to write to, closed however it ends."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as out, os.fdopen(writing, "wb") as into:
        yield out, into
