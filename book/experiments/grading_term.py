"""Grading a class of 30,000 on this machine, and what a cluster would take for it.

    python book/experiments/grading_term.py [STUDENTS]

Stopped or killed, it goes on where it was with the same command: the class lies in
build/term/STUDENTS, with what was measured of it so far, until the record is written.

The cluster follows from measured parts: processor time and bytes of a submission. The time is that
of this script's own processes, from /proc, so that others on the machine do not count.
"""

import json
import multiprocessing
import os
import shutil
import sys
import time
from functools import partial
from pathlib import Path

import measurements
from grading_scale import peaks
from measurements import Numbers, number, of_machine
from processes import descendants

from autograder.authoring.simulate import make_class, write_class
from autograder.chapters.course_root import link_class
from autograder.chapters.solutions import load
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.grading.class_run import ClassRun
from autograder.grading.provenance import engine
from autograder.grading.session import local_executor

CHAPTER, SEED = "04_masks", "scale"
STUDENTS = 30_000
EVERY = 50  # submissions between two lines of what was measured so far
Found = dict[str, float]


def measure(students: int, folder: Path) -> Numbers:
    """All numbers of a class, which is kept in `folder`."""
    root = made(folder, students)
    found = graded(root, folder / "measured.jsonl")
    local = here(students, found) | sizes(root)
    return local | projected(found, local) | {measurements.ENGINE: number(engine())}


def made(folder: Path, students: int) -> Path:
    """The folder of the class, which is made once, in a process whose memory ends with it."""
    root, whole = folder / "class", folder / "made"
    if not whole.exists():
        root.mkdir(parents=True, exist_ok=True)
        maker = multiprocessing.get_context("spawn").Process(target=make, args=(root, students))
        maker.start()
        maker.join()
        if maker.exitcode:
            raise RuntimeError(f"{root} could not be made.")
        whole.touch()
    return root


def make(root: Path, students: int) -> None:
    """Solutions, correct variants and slips; no accidents, which take as long as they are let."""
    chapter = load(REPOSITORY, CHAPTER)
    link_class(REPOSITORY, root)
    write_class(Course(root), chapter, make_class(chapter, students, 0, accidents=()), seed=0)


def graded(root: Path, log: Path) -> Found:
    """Grade what is left of the class; what was spent in all, and the largest memory.

    The clock starts with the first verdict of each run, so that no start-up is in it.
    """
    run = ClassRun(Course(root), CHAPTER, SEED)
    known = sum(student in run.journal for student in run.submissions)
    before: Found = {}
    with peaks() as peak, log.open("a+") as file:
        for done, _ in enumerate(run.grade(partial(local_executor, root, SEED, True)), 1):
            due = not before or done % EVERY == 0 or done == len(run.submissions)
            if done > known and due:
                now = {"submissions": done, "seconds": time.perf_counter(), **processors()}
                if before:
                    spent = {key: value - before[key] for key, value in now.items()}
                    file.write(json.dumps(spent | peak) + "\n")
                    file.flush()
                before = now
        file.seek(0)
        lines = [json.loads(line) for line in file]
    if not lines:
        raise RuntimeError(
            f"{log} tells nothing of this class. Delete {log.parent}, and run this again."
        )
    columns = {key: [line[key] for line in lines] for key in lines[0]}
    return {key: max(found) if key in peak else sum(found) for key, found in columns.items()}


def processors() -> Found:
    """Processor seconds so far of this process, which writes, and of all processes below it."""
    return {"writer": time.process_time(), "workers": sum(map(_of, descendants(os.getpid())))}


def _of(pid: int) -> float:
    """Its own seconds, and those of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def here(students: int, found: Found) -> Numbers:
    """The class on this machine."""
    rate, cores = found["submissions"] / found["seconds"], len(os.sched_getaffinity(0))
    filled = (found["writer"] + found["workers"]) / cores
    # Of judges and workers the largest is known, and there is one of each for each core.
    peak = found["main"] + found["server"] + cores * (found["judge"] + found["worker"])
    return {
        "students": number(students, ",d"),
        "minutes": of_machine(students / rate / 60, ".1f", "minutes"),
        "rate": of_machine(rate, ".1f"),
        "share": of_machine(
            100 * filled / found["seconds"], ".0f", "%"
        ),  # others may have the rest
        "filled": of_machine(filled / 60, ".1f", "minutes"),
        "peak": of_machine(peak / 2**20, ".0f", "MiB"),
    }


def sizes(root: Path) -> Numbers:
    """What the class takes on disk, and a submission and its verdict on a network."""
    journal = (root / ".attn" / f"{CHAPTER}.jsonl").stat().st_size
    sent, returned = ([path.stat().st_size for path in root.glob(f"{step}/*/*/*.ipynb")]
                      for step in ("submitted", "autograded"))  # fmt: skip
    return {
        "journal": number(journal / 1e6, ".1f", "MB"),
        "gradebook": number((root / "gradebook.db").stat().st_size / 1e6, ".1f", "MB"),
        "submission": number(sum(sent) / len(sent) / 1e3, ".0f", "kB"),
        "verdict": number((sum(returned) + journal) / len(returned) / 1e3, ".0f", "kB"),
    }


def projected(found: Found, local: Numbers) -> Numbers:
    """STUDENTS on a cluster, where all that travels passes through the scheduler."""
    worker, writer = (found[kind] / found["submissions"] for kind in ("workers", "writer"))
    kilobytes = local["submission"]["value"] + local["verdict"]["value"]
    return {
        "term": number(STUDENTS, ",d"),
        "worker_processor": of_machine(worker, ".3f", "s"),
        "writer_processor": of_machine(writer * 1e3, ".1f", "ms"),
        "core_hours": of_machine(worker * STUDENTS / 3600, ".1f", "core-hours"),
        "writer_minutes": of_machine(writer * STUDENTS / 60, ".1f", "minutes"),
        "enough_cores": of_machine(worker / writer, ".0f"),
        "traffic": number(2 * kilobytes * STUDENTS / 1e6, ".1f", "GB"),
    }


if __name__ == "__main__":
    students = int(sys.argv[1]) if sys.argv[1:] else STUDENTS
    folder = REPOSITORY / "build" / "term" / str(students)
    numbers = measure(students, folder)
    print(measurements.save(__file__, numbers, [], seeds=[0]))
    shutil.rmtree(folder)
    for key in numbers:
        print(f"{key:16} {measurements.text_of({'numbers': numbers}, key)}")
