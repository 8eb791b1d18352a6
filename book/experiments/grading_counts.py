"""What grading a submission is made of, counted: nothing here is a time on a clock.

Used by grading_cost.py. One process judges a class, as a worker of `attn grade` does; its sandbox
is watched from outside.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from measurements import Numbers, number, of_machine

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))
from processes import command, descendants  # noqa: E402

from autograder.course.course import Course  # noqa: E402
from autograder.exercise import wire  # noqa: E402
from autograder.grading.session import Session  # noqa: E402
from autograder.notebooks.hand_in import HandIn  # noqa: E402
from autograder.sandbox import sandbox, steps  # noqa: E402

UNTIMED = 40  # submissions before it counts: after 30 a worker moves its memory together
TICK = os.sysconf("SC_CLK_TCK")


class Work(NamedTuple):
    """Of the worker and of the submissions that it has forked: page faults, processor seconds."""

    faults: float
    faults_below: float
    seconds: float
    seconds_below: float


def counted(root: Path, chapter: str, seed: str) -> Numbers:
    """Counts of one submission of the class in `root`, on average."""
    students = Course(root).discovered(chapter).found
    session, counts = Session(root, seed, True), Counter[str]()
    try:
        with _watched(counts):
            for done, (student, found) in enumerate(sorted(students.items())):
                if done == UNTIMED:
                    counts.clear()
                    began, before = time.process_time(), _work(_worker())
                session.grade(chapter, student, HandIn.at(found.path, *found.notes))
            judge, after = time.process_time() - began, _work(_worker())
    finally:
        session.stop()
    worker = Work(*(now - then for now, then in zip(after, before, strict=True)))
    return _told(counts, worker, judge, len(students) - UNTIMED)


def _told(counts: Counter[str], worker: Work, judge: float, size: int) -> Numbers:
    each = {name: counts[name] / size for name in ("forks", "cells", "exercises", "calls")}
    return {
        **{f"count_{name}": number(value, ".2f") for name, value in each.items()},
        "count_sent": number(counts["sent"] / size / 1024, ".0f", "KiB"),
        "count_received": number(counts["received"] / size / 1024, ".0f", "KiB"),
        "count_faults": of_machine(worker.faults_below / size, ".0f"),
        "count_faults_of_worker": of_machine(worker.faults / size, ".0f"),
        "part_submission": of_machine(worker.seconds_below / size, ".3f", "s"),
        "part_worker": of_machine(worker.seconds / size, ".4f", "s"),
        "part_judge": of_machine(judge / size, ".3f", "s"),
    }


@contextmanager
def _watched(counts: Counter[str]) -> Iterator[None]:
    """Count what crosses between judge and sandbox, without a change to either."""
    exchange, take = sandbox.Sandbox._exchange, steps.take
    cases: dict[str, Any] = {}

    def exchanged(self: Any, control: Any, request: Any, *rest: Any) -> None:
        if not cases:
            cases.update(wire.unpack(self._loaded))
        counts["forks"] += 1
        counts["cells"] += len(request["cells"])
        counts["exercises"] += len(request["exercises"])
        counts["calls"] += sum(len(cases[name]) for name in request["exercises"])
        counts["sent"] += len(wire.pack(request))
        exchange(self, control, request, *rest)

    def taken(run: Any, frame: bytes, request: Any) -> None:
        counts["received"] += len(frame)
        take(run, frame, request)

    with (
        patch.object(sandbox.Sandbox, "_exchange", exchanged),
        patch.object(sandbox, "take", taken),
    ):
        yield


def _worker() -> int:
    below = descendants(os.getpid())
    return next(pid for pid in below[::-1] if "-m autograder.confined.worker" in command(pid))


def _work(pid: int) -> Work:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    faults, faults_below = int(fields[7]), int(fields[8])
    user, system, user_below, system_below = map(int, fields[11:15])
    return Work(faults, faults_below, (user + system) / TICK, (user_below + system_below) / TICK)
