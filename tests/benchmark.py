"""What grading costs beside the alternatives, as ratios from one run on one machine.

    python tests/benchmark.py

Writes `book/measured/grading.json`, which the page on grading quotes. Every number is of one
submission more: a class of one size is timed, then a larger one, and the difference is shared
among the submissions between, so that no start-up is in it.
"""

import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from autograder import simulate
from autograder.chapter import REPOSITORY, Chapter, load
from autograder.course import Course
from autograder.grade import ClassRun
from autograder.grader import Grader
from autograder.notebook import cells_to_run, read, splice
from autograder.sandbox import Sandbox
from autograder.session import local_executor

CHAPTER, SEED = "04_masks", "benchmark"
REPEATS = 3
FEW, MANY = 80, 240  # submissions of a class that `attn grade` grades
STOCK = 4  # submissions that nbgrader grades: a kernel each
STOCK_CONFIG = """
c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
c.CourseDirectory.ignore = ["__pycache__", "*.py*", "*.md"]
c.Execute.allow_errors = True
"""
Cost = dict[str, float]  # seconds of "wall" clock and of "processor", of one submission


def main() -> None:
    chapter = load(REPOSITORY, CHAPTER)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_class(folder / "class", chapter, MANY)
        ways: dict[str, Callable[[], Cost]] = {
            "attn grade, two workers": partial(ours, folder / "class", 2),
            "attn grade, one worker": partial(ours, folder / "class", 1),
            "the floor: fork and call": partial(floor, folder, chapter),
            "nbgrader autograde, our plugin": partial(nbgrader, folder / "plugin", chapter, ""),
            "nbgrader autograde, stock": partial(nbgrader, folder / "stock", chapter, STOCK_CONFIG),
        }
        found = {way: [measure() for _ in range(REPEATS)] for way, measure in ways.items()}
    report = summary(found)
    target = REPOSITORY / "book" / "measured" / "grading.json"
    target.write_text(json.dumps(report, indent=1) + "\n")
    show(report)


def make_class(root: Path, chapter: Chapter, count: int) -> None:
    """Honest submissions: solutions, variants, and slips; nothing that hangs."""
    root.mkdir(parents=True)
    students = simulate.make_class(chapter, count, seed=0, accidents=())
    simulate.write_class(Course(root), chapter, students, seed=0)


def ours(root: Path, workers: int) -> Cost:
    """`attn grade` of few and of many, with all that it writes."""
    few, many = (_graded(root, count, workers) for count in (FEW, MANY))
    return {kind: (many[kind] - few[kind]) / (MANY - FEW) for kind in few}


def _graded(root: Path, count: int, workers: int) -> Cost:
    with tempfile.TemporaryDirectory() as name:
        chosen = sorted((root / "submitted").iterdir())[:count]
        for student in chosen:
            shutil.copytree(student, Path(name, "submitted", student.name))
        command = [sys.executable, __file__, "grade", name, str(workers)]
        return _timed(command, Path(name))


def grade(root: Path, workers: int) -> None:
    """In a process of its own, so that its children's processor time can be told."""
    executors = partial(local_executor, root, CHAPTER, SEED, True, workers)
    verdicts = list(ClassRun(Course(root), CHAPTER, SEED).grade(executors))
    assert all(row["points"] is not None for rows in verdicts for row in rows)


def floor(folder: Path, chapter: Chapter) -> Cost:
    """The same cells and calls in bare forks, one after the other."""
    calls, cells = folder / "calls", folder / "cells.json"
    with Sandbox() as sandbox:
        calls.write_bytes(Grader(chapter, SEED, sandbox).calls)
    released = Course(REPOSITORY).released(CHAPTER)
    paths = [*Course(folder / "class").submissions(CHAPTER).values()]
    notebooks = [cells_to_run(splice(released, read(path))) for path in paths]
    cells.write_text(json.dumps([[[c.name, c.source] for c in cells] for cells in notebooks]))
    command = [sys.executable, str(Path(__file__).with_name("floor.py")), calls, cells, str(MANY)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {kind: seconds / MANY for kind, seconds in json.loads(output).items()}


def nbgrader(root: Path, chapter: Chapter, config: str) -> Cost:
    """nbgrader's own command on one submission, and on some more."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(REPOSITORY / "solutions", root / "solutions")
    (root / "nbgrader_config.py").write_text(
        config or (REPOSITORY / "nbgrader_config.py").read_text()
    )
    command = [sys.executable, "-m", "nbgrader"]
    _timed([*command, "generate_assignment", CHAPTER], root)
    one, more = (_autograded(root, count, command) for count in (1, 1 + STOCK))
    return {kind: (more[kind] - one[kind]) / STOCK for kind in one}


def _autograded(root: Path, count: int, command: list[str]) -> Cost:
    for made in ("submitted", "autograded", "gradebook.db"):
        shutil.rmtree(root / made, ignore_errors=True)
        (root / made).unlink(missing_ok=True)
    for student in sorted((root.parent / "class" / "submitted").iterdir())[:count]:
        shutil.copytree(student, root / "submitted" / student.name)
    return _timed([*command, "autograde", CHAPTER], root)


def _timed(command: list[str], folder: Path) -> Cost:
    before, began = _children(), time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return {"wall": time.perf_counter() - began, "processor": _children() - before}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def summary(found: dict[str, list[Cost]]) -> dict[str, Any]:
    """Medians with their range, and how often attn grade with two workers fits into each."""
    report: dict[str, Any] = {"machine": f"{os.cpu_count()} cores, {platform.machine()}"}
    ours, *_ = found.values()
    for way, costs in found.items():
        row: dict[str, Any] = {}
        for kind in ("wall", "processor"):
            values = [cost[kind] for cost in costs]
            ratios = [cost[kind] / own[kind] for cost, own in zip(costs, ours, strict=True)]
            row[kind] = {"median": statistics.median(values), "values": values, "ratios": ratios}
        report[way] = row
    return report


def show(report: dict[str, Any]) -> None:
    table = Table(title=f"One submission of {CHAPTER} ({report.pop('machine')})")
    for column in ("", "a second", "times", "processor seconds", "times"):
        table.add_column(column, justify="left" if not column else "right")
    for way, row in report.items():
        wall, processor = row["wall"], row["processor"]
        table.add_row(way, f"{1 / wall['median']:.2f}", _range(wall["ratios"]),
                      f"{processor['median']:.3f}", _range(processor["ratios"]))  # fmt: skip
    Console().print(table)


def _range(values: list[float]) -> str:
    return f"{min(values):.3g} to {max(values):.3g}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["grade"]:
        grade(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
