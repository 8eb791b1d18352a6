"""Grading a class of any size: memory from 100 to 30,000 submissions, and one that hangs.

    python book/experiments/grading_scale.py

Stopped or killed, it goes on where it was with the same command: the large class lies in
build/scale, with what was measured of it so far. Delete that folder to measure anew.

What a cluster would take follows from measured parts: the processor time and the bytes of a
submission. The time of processes is taken from /proc, so that others on the machine do not count.
"""

import json
import multiprocessing
import os
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
from measurements import number

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))
from processes import command, descendants  # noqa: E402

from autograder.chapter import load  # noqa: E402
from autograder.course import Course  # noqa: E402
from autograder.grade import ClassRun  # noqa: E402
from autograder.session import local_executor  # noqa: E402
from autograder.simulate import make_class, write_class  # noqa: E402

FOLDER = REPOSITORY / "build" / "scale"
CHAPTER, SEED = "01_bottleneck", "scale"
SMALL, LARGE, BESIDE = 100, 30_000, 1_000
CORES = 100  # of the cluster that is projected
EVERY = 50  # submissions between two lines of what was measured so far
ROLES = {"session": "spawn_main", "worker": "-m autograder.worker"}
HANGS = "def {name}(*arguments):\n    while True:\n        pass\n"


def measure() -> tuple[dict[str, dict], list[dict]]:
    with course(SMALL) as root:
        small = figures("small", SMALL, grade(root, root))
    found = grade(large_class(), FOLDER)
    large = figures("large", LARGE, found) | sizes(FOLDER / "class")
    return small | large | projected(found, large) | beside_one_that_hangs(), []


def figures(name: str, count: int, found: dict[str, float]) -> dict[str, dict]:
    """Time and memory of a class of `count`."""
    rate = found["submissions"] / found["seconds"]
    memory = sum(found[role] for role in ("main", *ROLES))
    return {
        f"{name}_class": number(count, ",d"),
        f"{name}_memory": number(memory / 2**20, ".0f", "MiB"),
        f"{name}_main": number(found["main"] / 2**20, ".0f", "MiB"),
        f"{name}_seconds": number(count / rate, ",.0f", "s"),
        f"{name}_minutes": number(count / rate / 60, ".1f", "minutes"),
        f"{name}_rate": number(rate, ".1f"),
    }


def sizes(root: Path) -> dict[str, dict]:
    """What a class takes on disk, and a submission and its verdict on the network."""
    journal = (root / ".attn" / f"{CHAPTER}.jsonl").stat().st_size
    sent, returned = ([path.stat().st_size for path in root.glob(f"{step}/*/*/*.ipynb")]
                      for step in ("submitted", "autograded"))  # fmt: skip
    verdict = (sum(returned) + journal) / len(returned)
    return {
        "journal": number(journal / 1e6, ".0f", "MB"),
        "gradebook": number((root / "gradebook.db").stat().st_size / 1e6, ".0f", "MB"),
        "submission": number(sum(sent) / len(sent) / 1e3, ".0f", "kB"),
        "verdict": number(verdict / 1e3, ".0f", "kB"),
    }


def projected(found: dict[str, float], large: dict[str, dict]) -> dict[str, dict]:
    """A class of LARGE on a cluster: each submission and verdict passes through the scheduler."""
    writer = found["writer"] / found["submissions"]
    worker = found["processor"] / found["submissions"] - writer
    kilobytes = large["submission"]["value"] + large["verdict"]["value"]
    return {
        "worker_processor": number(worker, ".3f", "s"),
        "writer_processor": number(writer * 1e3, ".1f", "ms"),
        "cores": number(CORES, "d"),
        "core_hours": number(worker * LARGE / 3600, ".1f", "core-hours"),
        "cluster_minutes": number(worker * LARGE / CORES / 60, ".1f", "minutes"),
        "writer_minutes": number(writer * LARGE / 60, ".1f", "minutes"),
        "enough_cores": number(worker / writer, ".0f"),
        "traffic": number(2 * kilobytes * LARGE / 1e6, ".1f", "GB"),
    }


def beside_one_that_hangs() -> dict[str, dict]:
    """When the last of all others is done, without and with one that never ends."""
    numbers = {"beside": number(BESIDE, ",d")}
    for name, hangs in (("alone", False), ("beside_one", True)):
        with course(BESIDE, hangs=hangs) as root:
            done = verdicts(root)
        numbers[name] = number(max(t for s, t in done.items() if s != "hanging"), ".1f", "s")
    numbers["with_it"] = number(max(done.values()), ".1f", "s")
    return numbers


def large_class() -> Path:
    """The folder of the large class, which is made once, in a process whose memory ends with it."""
    root, whole = FOLDER / "class", FOLDER / "made"
    if not whole.exists():
        maker = multiprocessing.get_context("spawn").Process(target=make, args=(root, LARGE))
        maker.start()
        maker.join()
        if maker.exitcode:
            raise RuntimeError(f"{root} could not be made.")
        whole.touch()
    return root


@contextmanager
def course(count: int, hangs: bool = False) -> Iterator[Path]:
    """A course with honest submissions, and one that hangs if so asked."""
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), count, hangs)
        yield Path(name)


def make(root: Path, count: int, hangs: bool = False) -> None:
    """Write the submissions of a class into `root`."""
    chapter = load(REPOSITORY, CHAPTER)
    students = make_class(chapter, count, seed=0, accidents=())
    if hangs:
        students[count // 2].name = "hanging"
        first = next(iter(chapter.exercises))
        students[count // 2].sources[first] = HANGS.format(name=first)
    root.mkdir(parents=True, exist_ok=True)
    write_class(Course(root), chapter, students, seed=0)


def verdicts(root: Path) -> dict[str, float]:
    """Seconds from the first verdict of the class to each student's."""
    done: dict[str, float] = {}
    began = 0.0
    for rows in ClassRun(Course(root), CHAPTER, SEED).grade(executors(root)):
        began = began or time.perf_counter()
        done[rows[0]["student"]] = time.perf_counter() - began
    return done


def grade(root: Path, folder: Path) -> dict[str, float]:
    """Grade what is left of a class, and add up what was measured of it, now and before."""
    run = ClassRun(Course(root), CHAPTER, SEED)
    known = sum(student in run.journal for student in run.submissions)
    before: dict[str, float] = {}
    with peaks() as peak, (folder / "measured.jsonl").open("a+") as file:
        for done, _ in enumerate(run.grade(executors(root)), 1):
            if done > known and (not before or done % EVERY == 0 or done == len(run.submissions)):
                now = {"submissions": done, "seconds": time.perf_counter(), **processors()}
                if before:
                    spent = {key: value - before[key] for key, value in now.items()}
                    file.write(json.dumps(spent | peak) + "\n")
                    file.flush()
                before = now
        file.seek(0)
        lines = [json.loads(line) for line in file]
    return {key: (max if key in peak else sum)(line[key] for line in lines) for key in lines[0]}


def executors(root: Path) -> Any:
    return partial(local_executor, root, CHAPTER, SEED, True)


def processors() -> dict[str, float]:
    """Processor seconds so far, of this process, which writes, and of it and all below it."""
    writer = time.process_time()
    below = sum(map(_processor, descendants(os.getpid())))
    return {"writer": writer, "processor": writer + below}


def _processor(pid: int) -> float:
    """Its own seconds and those of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def peaks() -> Iterator[dict[str, int]]:
    """The largest resident memory, in bytes, of this process and of one of each kind below it."""
    found: dict[str, int] = {"main": 0, **dict.fromkeys(ROLES, 0)}
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
        found["main"] = max(found["main"], _peak(os.getpid()))
        for pid in descendants(os.getpid()):
            for role, sign in ROLES.items():
                if sign in command(pid):
                    found[role] = max(found[role], _peak(pid))


def _peak(pid: int) -> int:
    try:
        lines: Any = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    numbers, claims = measure()
    print(measurements.save(__file__, numbers, claims, seeds=[0]))
    for key in numbers:
        print(f"{key:16} {measurements.text_of({'numbers': numbers}, key)}")
