"""Grading a class of any size: memory from 100 to 10,000 submissions, and some that hold others up.

    python book/experiments/grading_scale.py

The submissions are of the small chapter that the tests use, so that 10,000 of them take minutes.
"""

import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType

import measurements
from measurements import Numbers, number, of_machine
from verdicts import Claim

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))
from processes import command, descendants  # noqa: E402

from autograder.authoring.simulate import make_class, write_class  # noqa: E402
from autograder.chapters.solutions import load  # noqa: E402
from autograder.course.course import Course  # noqa: E402
from autograder.course.release import release  # noqa: E402
from autograder.grading.class_run import ClassRun  # noqa: E402
from autograder.grading.provenance import engine  # noqa: E402
from autograder.grading.session import local_executor  # noqa: E402

CHAPTER, SEED = "01_toy", "scale"
SMALL, LARGE, BESIDE = 100, 10_000, 1_000
ROLES = "main", "server", "judge", "worker"
LOOP = "def {name}(*arguments):\n    while True:\n        pass\n"
LINE, STRAYS = 300_000, 10_000  # characters of a line that is nothing but imports; further files


def measure() -> tuple[Numbers, list[Claim]]:
    numbers: Numbers = {}
    for name, count in (("small", SMALL), ("large", LARGE)):
        with course(count) as root, peaks() as peak:
            seconds = max(graded(root).values())
        numbers[f"{name}_class"] = number(count, ",d")
        numbers[f"{name}_memory"] = of_machine(sum(peak.values()) / 2**20, ".0f", "MiB")
        numbers[f"{name}_main"] = of_machine(peak["main"] / 2**20, ".0f", "MiB")
        numbers[f"{name}_seconds"] = of_machine(seconds, ".0f", "s")
        print(f"{count} submissions were graded in {seconds:.0f} s", file=sys.stderr)
    numbers[measurements.ENGINE] = number(engine())
    return numbers | beside_others(), []


def beside_others() -> Numbers:
    """When the last of all others is done, without and with submissions that once held them up."""
    done = {}
    for name, those in (("without", {}), ("beside", HOLD_UPS)):
        with course(BESIDE, those) as root:
            done[name] = graded(root)
    last = {name: max(t for s, t in found.items() if s not in HOLD_UPS)
            for name, found in done.items()}  # fmt: skip
    return {
        "class": number(BESIDE, ",d"),
        "hold_ups": number(len(HOLD_UPS), "d"),
        "line": number(LINE, ",d"),
        "strays": number(STRAYS, ",d"),
        "without": of_machine(last["without"], ".1f", "s"),
        "beside": of_machine(last["beside"], ".1f", "s"),
        "beside_to_without": of_machine(last["beside"] / last["without"], ".2f"),
        "with_them": of_machine(max(done["beside"].values()), ".1f", "s"),
    }


def _loops(exercises: list[str]) -> dict[str, str]:
    return {name: LOOP.format(name=name) for name in exercises}


def _imports(exercises: list[str]) -> dict[str, str]:
    return {exercises[0]: "import " * (LINE // 7)}


# What once held up a class, as the sources of its exercises; `strays` has files beside them.
HOLD_UPS: dict[str, Callable[[list[str]], dict[str, str]]] = {
    "a_loop": lambda exercises: _loops(exercises[:1]),
    "all_loops": _loops,
    "imports": _imports,
    "more_imports": _imports,
    "strays": lambda _: {},
}


@contextmanager
def course(
    count: int, those: Mapping[str, Callable[[list[str]], dict[str, str]]] = MappingProxyType({})
) -> Iterator[Path]:
    """A course with honest submissions, and with `those`, spread over the class."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(shutil.copytree(REPOSITORY / "tests" / "toy_course", name, dirs_exist_ok=True))
        release(Course(root), CHAPTER)
        chapter = load(root, CHAPTER)
        students = make_class(chapter, count, seed=0, accidents=())
        for student, (who, sources) in zip(students[count // 3 :: 7], those.items(), strict=False):
            student.name = who
            student.sources |= sources([*chapter.exercises])
        write_class(Course(root), chapter, students, seed=0)
        for stray in range(STRAYS if "strays" in those else 0):
            (root / "submitted" / "strays" / CHAPTER / f"{stray}.txt").touch()
        yield root


def graded(root: Path) -> dict[str, float]:
    """Seconds to each student's verdict, but for the time in which worker processes start."""
    executors = partial(local_executor, root, SEED, True)
    began = time.perf_counter()
    run = ClassRun(Course(root), CHAPTER, SEED)
    found = time.perf_counter() - began
    done: dict[str, float] = {}
    first = 0.0  # when the first verdict is there
    for rows in run.grade(executors):
        now = time.perf_counter()
        first = first or now
        done[rows[0]["student"]] = found + now - first
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
    if "-m autograder.confined.worker" in command(pid):
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
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


if __name__ == "__main__":
    numbers, claims = measure()
    print(measurements.save(__file__, numbers, claims, seeds=[0]))
    for key in numbers:
        print(f"{key:16} {measurements.text_of({'numbers': numbers}, key)}")
