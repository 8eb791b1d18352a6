"""Grading a class of any size: memory from 100 to 10,000 submissions, and one that hangs.

    python book/experiments/grading_scale.py

The submissions are of the small chapter that the tests use, so that 10,000 of them take minutes.
"""

import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import measurements
from measurements import number, of_machine

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))
from processes import command, descendants  # noqa: E402

from autograder.chapter import load  # noqa: E402
from autograder.course import Course  # noqa: E402
from autograder.grade import ClassRun  # noqa: E402
from autograder.release import release  # noqa: E402
from autograder.session import local_executor  # noqa: E402
from autograder.simulate import make_class, write_class  # noqa: E402

CHAPTER, SEED = "01_toy", "scale"
SMALL, LARGE, BESIDE = 100, 10_000, 1_000
ROLES = "main", "server", "judge", "worker"
HANGS = "def {name}(*arguments):\n    while True:\n        pass\n"


def measure() -> tuple[dict[str, dict], list[dict]]:
    numbers: dict[str, dict] = {}
    for name, count in (("small", SMALL), ("large", LARGE)):
        with course(count) as root, peaks() as peak:
            seconds = max(graded(root).values())
        numbers[f"{name}_class"] = number(count, ",d")
        numbers[f"{name}_memory"] = of_machine(sum(peak.values()) / 2**20, ".0f", "MiB")
        numbers[f"{name}_main"] = of_machine(peak["main"] / 2**20, ".0f", "MiB")
        numbers[f"{name}_seconds"] = of_machine(seconds, ".0f", "s")
    return numbers | beside_one_that_hangs(), []


def beside_one_that_hangs() -> dict[str, dict]:
    """When the last of all others is done, without and with one that never ends."""
    numbers = {"beside": number(BESIDE, ",d")}
    for name, hangs in (("alone", False), ("beside_one", True)):
        with course(BESIDE, hangs=hangs) as root:
            done = graded(root)
        numbers[name] = of_machine(max(t for s, t in done.items() if s != "hanging"), ".1f", "s")
    numbers["with_it"] = of_machine(max(done.values()), ".1f", "s")
    return numbers


@contextmanager
def course(count: int, hangs: bool = False) -> Iterator[Path]:
    """A course with honest submissions, and one that hangs if so asked."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(shutil.copytree(REPOSITORY / "tests" / "toy_course", name, dirs_exist_ok=True))
        release(Course(root), CHAPTER)
        chapter = load(root, CHAPTER)
        students = make_class(chapter, count, seed=0, accidents=())
        if hangs:
            students[count // 2].name = "hanging"
            first = next(iter(chapter.exercises))
            students[count // 2].sources[first] = HANGS.format(name=first)
        write_class(Course(root), chapter, students, seed=0)
        yield root


def graded(root: Path) -> dict[str, float]:
    """Seconds from the first verdict of the class to each student's."""
    executors = partial(local_executor, root, CHAPTER, SEED, True)
    done: dict[str, float] = {}
    began = 0.0
    for rows in ClassRun(Course(root), CHAPTER, SEED).grade(executors):
        began = began or time.perf_counter()
        done[rows[0]["student"]] = time.perf_counter() - began
    return done


@contextmanager
def peaks() -> Iterator[dict[str, int]]:
    """The largest resident memory, in bytes, of this process and of one of each kind below it."""
    found = dict.fromkeys(ROLES, 0)
    ended = threading.Event()
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    watcher = threading.Thread(target=_watch, args=(found, ended))
    watcher.start()
    try:
        yield found
    finally:
        ended.set()
        watcher.join()


def _watch(found: dict[str, int], ended: threading.Event) -> None:
    while not ended.wait(0.5):
        for pid in (os.getpid(), *descendants(os.getpid())):
            role = _role(pid)
            if role:
                found[role] = max(found[role], _peak(pid))


def _role(pid: int) -> str:
    """The server forks the judges; each judge has a worker in its sandbox."""
    if pid == os.getpid():
        return "main"
    if "-m autograder.worker" in command(pid):
        return "worker"
    if "multiprocessing.forkserver" in command(pid):
        return "judge" if "multiprocessing.forkserver" in command(_parent(pid)) else "server"
    return ""


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _peak(pid: int) -> int:
    try:
        lines: Any = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


if __name__ == "__main__":
    numbers, claims = measure()
    print(measurements.save(__file__, numbers, claims, seeds=[0]))
    for key in numbers:
        print(f"{key:16} {measurements.text_of({'numbers': numbers}, key)}")
