"""A submission's process sends claims, which are taken here one step at a time.

Nothing here believes a length, an order or a number that the process chose.
"""

import os
import select
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from autograder.common.errors import WireError
from autograder.exercise import wire

TOTAL_LIMIT = 128 * 2**20
# A client that sends many tiny chunks is slowed down: each costs as much time as a large one.
SMALL_CHUNK_BYTES, MAX_SMALL_CHUNKS, THROTTLE_SECONDS = 4096, 64, 0.001
LOOK = 0.25  # seconds between two looks at the processor time of what is out of time
SHORT = 0.05  # seconds; of a step that took no longer by the clock no more is asked
MIN_CPU_SHARE = 0.02  # the least share of a processor that a working submission gets of that time


class RunOver(Exception):
    """The time of all steps together is over; the one that is on may have had little of it."""


class Taken(NamedTuple):
    """Seconds that a submission has had a processor so far, and that it had to wait for one."""

    processor: float
    waited: float


@dataclass
class Run:
    """One run holds what a submission's process reported, and how it ended.

    end: done, timeout, over, garbled, signal, exited or infrastructure. timeout: of the step that
    was on. over: of all steps together.
    ready: confinement was complete; what goes wrong after that is the submission's own doing.
    cells: by index, the Failure (as a dict) of each executed cell, or None.
    exercises: by index, the observation trees of the exercise's calls. digests: by index, of the
    bytes that reported them.
    steps: seconds of processor time that each took. seconds: that all of it took, without what it
    is known to have waited for a processor.
    """

    end: str = "done"
    detail: str = ""
    ready: bool = False
    cells: dict[int, Any] = field(default_factory=dict)
    exercises: dict[int, Any] = field(default_factory=dict)
    digests: dict[int, bytes] = field(default_factory=dict)
    steps: list[float] = field(default_factory=list)
    seconds: float = 0.0


def said_all(run: Run, request: dict[str, Any]) -> bool:
    """Tell whether every step of the request was reported."""
    cells, exercises = len(request["cells"]), len(request["exercises"])
    return len(run.cells) == cells and len(run.exercises) == exercises


def note_end(run: Run, status: dict[str, str], most: int) -> None:
    """Write down how the process ended by the worker's word, unless it was stopped before that.

    most: seconds of processor time after which the kernel kills it.
    """
    end, detail = status["end"], status["detail"]
    if end == "refused":  # confinement; or its own exit status is the one that says so
        end = "exited" if run.ready else "infrastructure"
    if detail == "SIGKILL" and float(status["seconds"]) > most - 1:
        end = "over"
    if run.end == "done":
        run.end, run.detail = end, detail


def take(run: Run, frame: bytes, request: dict[str, Any]) -> None:
    """Accept each step once and in order; the child may claim anything, but not take it back.

    Raises WireError for whatever else the bytes say.
    """
    message = wire.unpack(frame, wire.HEADER_LIMIT)
    if not isinstance(message, dict) or message.keys() != {"step", "index", "content"}:
        raise WireError("no report of a step")
    kind, index = message["step"], message["index"]
    if not isinstance(kind, str) or type(index) is not int:
        raise WireError("no report of a step")
    if kind == "ready" and not run.ready:
        run.ready = True
        return
    steps = {"cell": run.cells, "exercise": run.exercises}.get(kind)
    if steps is None or index != len(steps) or not _due(run, kind, request):
        raise WireError("a step was reported twice or out of order")
    steps[index] = message["content"]
    if kind == "exercise":
        run.digests[index] = sha256(frame).digest()


def _due(run: Run, kind: str, request: dict[str, Any]) -> bool:
    """Tell whether a further step of this kind was asked for and is next."""
    cells_left = len(request["cells"]) - len(run.cells)
    if kind == "cell":
        return cells_left > 0
    return not cells_left and len(run.exercises) < len(request["exercises"])


def frames(
    reading: int, patience: float, longest: float, spent: Callable[[], Taken]
) -> Iterator[tuple[bytes, float]]:
    """Frames, with the seconds of processor time each took, until the pipe closes.

    The first says that confinement is complete: what it waits for is not the submission's doing.
    spent: what the submission has taken so far.
    Raises TimeoutError if one takes more than `patience` seconds of processor time, or sleeps so
    long, and RunOver if all of them take longer than `longest`, without what they had to wait.
    """
    buffer, total, drops = bytearray(), 0, 0
    began = time.monotonic()
    last = began + longest
    step = Step(longest, 0.0)
    while True:
        while frame := _complete(buffer):
            took = step.taken(spent)
            step = Step(patience, step.before + took)
            yield frame, took
        while (chunk := _chunk(reading, min(step.until, last))) is None:
            taken = spent()
            if time.monotonic() < last and not step.goes_on(taken.processor):
                raise TimeoutError
            last = began + longest + taken.waited
            if time.monotonic() >= last:
                raise RunOver
        total += len(chunk)
        drops = drops + 1 if len(chunk) < SMALL_CHUNK_BYTES else 0
        if drops > MAX_SMALL_CHUNKS:
            time.sleep(THROTTLE_SECONDS)
        if not chunk:
            return
        if total > TOTAL_LIMIT:
            raise WireError("too much output")
        buffer += chunk


class Step:
    """The time that one step of a submission may take, measured as it goes on.

    A machine that does much else lets it wait; that is not its doing. What waits by itself takes
    next to no processor time, and gets no more.
    """

    def __init__(self, patience: float, before: float):
        """before: seconds of processor time that the earlier steps took."""
        self.patience, self.before = patience, before
        self.seen: float | None = None
        self.began = time.monotonic()
        self.until = self.began + patience

    def taken(self, spent: Callable[[], Taken]) -> float:
        """Seconds of processor time that it took, now that it is done."""
        seconds = time.monotonic() - self.began
        return seconds if seconds <= SHORT else max(0.0, spent().processor - self.before)

    def goes_on(self, spent: float) -> bool:
        """Tell whether it has time left, by the processor time that all steps have taken."""
        mine = spent - self.before
        asleep = self.seen is not None and spent - self.seen < MIN_CPU_SHARE * LOOK
        if mine >= self.patience or asleep:
            return False
        self.seen, self.until = spent, time.monotonic() + LOOK
        return True


def _chunk(reading: int, until: float) -> bytes | None:
    """Read what comes next, b"" once the pipe is closed, None if nothing comes until then."""
    remaining = until - time.monotonic()
    if remaining <= 0 or not select.select([reading], [], [], remaining)[0]:
        return None
    return os.read(reading, 1 << 20)


def _complete(buffer: bytearray) -> bytes:
    """Take the first frame off the buffer; b"" until all of it has come."""
    if len(buffer) < wire.HEADER.size:
        return b""
    (length,) = wire.HEADER.unpack_from(buffer)
    if not 0 < length <= wire.FRAME_LIMIT:
        raise WireError(f"a message of {length} bytes")
    end = wire.HEADER.size + length
    if len(buffer) < end:
        return b""
    frame = bytes(buffer[wire.HEADER.size : end])
    del buffer[:end]
    return frame
