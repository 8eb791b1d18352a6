"""What grading a submission costs beside the alternatives, in one run on one machine.

    python book/experiments/grading_cost.py

No start-up is in any time: `attn grade` and the floor are timed from one submission of a class to
its last, nbgrader by the difference between one submission and some more. Stock nbgrader runs the
same notebooks in kernels, with the checks that learners have. What a submission is made of is
counted in grading_counts.py.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import grading_table
import measurements
from grading_counts import counted
from machine import processor
from measurements import Numbers, number, of_machine
from verdicts import Claim

from autograder.authoring.simulate import make_class, write_class
from autograder.chapters.course_root import link_class
from autograder.chapters.solutions import load
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.grading.class_run import ClassRun
from autograder.grading.provenance import engine
from autograder.grading.session import local_executor
from autograder.judging.checks import build
from autograder.judging.grader import Grader
from autograder.notebooks.chapter import Chapter
from autograder.notebooks.splice import cells_to_run, splice
from autograder.notebooks.submission import read
from autograder.sandbox.sandbox import Sandbox

CHAPTER, SEED = "04_masks", "benchmark"
REPEATS = 2
CLASS, UNTIMED = 200, 70  # submissions, and how many of them at most go by before the clock starts
MORE = {"plugin": 10, "stock": 3}  # submissions that nbgrader grades after its first
COMPARED = 10  # submissions whose marks are compared
STOCK_CONFIG = """
c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
c.CourseDirectory.ignore = ["__pycache__", "*.py*", "*.md"]
c.Execute.allow_errors = True
"""
MARKS = """
    select student_id, cell.name, auto_score from grade
    join base_cell cell on cell.id = cell_id
    join submitted_notebook book on book.id = grade.notebook_id
    join submitted_assignment whole on whole.id = book.assignment_id
    where cell.name like 'check_%'
"""
Cost = dict[str, float]  # seconds of "wall" clock and of "processor", of one submission


def measure(
    chapter: Chapter, size: int = CLASS, repeats: int = REPEATS, compare: int = COMPARED
) -> tuple[Numbers, list[Claim]]:
    """size: of the class. compare: how many of its submissions are compared mark by mark."""
    name = chapter.name
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        root = link_class(REPOSITORY, folder / "class")
        write_class(Course(root), chapter, make_class(chapter, size, 0, accidents=()), seed=0)
        say(f"counting what {size} submissions of {name} are made of")
        counts = counted(root, name, SEED)
        measures = {
            "two": partial(ours, root, name, 2),
            "one": partial(ours, root, name, 1),
            "floor": partial(floor, folder, chapter, size),
            "plugin": partial(nbgrader, folder, name, "plugin"),
            "stock": partial(nbgrader, folder, name, "stock"),
        }
        found = in_turns(measures, repeats)
        facts = {
            "calls": number(_calls(chapter), "d"),
            "repeats": number(repeats, "d"),
            measurements.ENGINE: number(engine()),
        }
        say("comparing marks with those of stock nbgrader")
        return facts | counts | numbers(found) | compared(folder, chapter, compare), []


def in_turns(measures: Mapping[str, Callable[[], Cost]], repeats: int) -> dict[str, list[Cost]]:
    """The costs of each way, measured in turns: a slow minute of the machine slows them all."""
    found: dict[str, list[Cost]] = {way: [] for way in measures}
    for turn in range(1, repeats + 1):
        for way, once in measures.items():
            cost = once()
            found[way].append(cost)
            say(f"round {turn} of {repeats}, {grading_table.WAYS[way]}: {cost['wall']:.3f} s, "
                f"{cost['processor']:.3f} s of processor time")  # fmt: skip
    return found


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def numbers(found: dict[str, list[Cost]]) -> Numbers:
    """Rates and processor seconds, and each as a multiple in the same round."""
    result = {}
    for way, costs in found.items():
        result[f"{way}_rate"] = of_machine([1 / cost["wall"] for cost in costs], ".2f")
        result[f"{way}_processor"] = of_machine([cost["processor"] for cost in costs], ".3f", "s")
        for base in ("stock", "floor", "one"):
            pairs = list(zip(found[base], costs, strict=True))
            faster = [other["wall"] / cost["wall"] for other, cost in pairs]
            lighter = [other["processor"] / cost["processor"] for other, cost in pairs]
            result[f"{way}_faster_than_{base}"] = of_machine(faster, ".3g")
            result[f"{way}_lighter_than_{base}"] = of_machine(lighter, ".3g")
            result[f"{way}_heavier_than_{base}"] = of_machine([1 / x for x in lighter], ".3g")
    return result


def _calls(chapter: Chapter) -> int:
    return sum(len(build(exercise, SEED).cases) for exercise in chapter.exercises.values())


def ours(root: Path, name: str, workers: int) -> Cost:
    """`attn grade` of a class, with all that it writes."""
    with tempfile.TemporaryDirectory() as folder:
        again = link_class(REPOSITORY, Path(folder))
        shutil.copytree(root / "submitted", again / "submitted")
        return grade(again, name, workers)


def grade(root: Path, name: str, workers: int) -> Cost:
    """Grade the class in `root`; the cost of each submission once all is warm."""
    executors = partial(local_executor, root, SEED, True, workers=workers)
    run = ClassRun(Course(root), name, SEED)
    marks = [(time.perf_counter(), processor()) for _ in run.grade(executors)]
    assert len(marks) == len(run.submissions) and not run.unjudged
    return _between(marks)


def _between(marks: list[tuple[float, float]]) -> Cost:
    (began, before), (ended, after) = marks[min(UNTIMED, len(marks) // 2)], marks[-1]
    count = len(marks) - 1 - min(UNTIMED, len(marks) // 2)
    return {"wall": (ended - began) / count, "processor": (after - before) / count}


def floor(folder: Path, chapter: Chapter, size: int) -> Cost:
    """The same cells and calls in bare forks, one after the other."""
    calls, cells = folder / "calls", folder / "cells.json"
    with Sandbox() as sandbox:
        calls.write_bytes(Grader(chapter, SEED, sandbox).calls)
    released = Course(REPOSITORY).released(chapter.name)
    paths = Course(folder / "class").submissions(chapter.name).values()
    notebooks = [cells_to_run(splice(released, read(path))) for path in paths]
    cells.write_text(json.dumps([[[c.name, c.source] for c in cells] for cells in notebooks]))
    script = Path(__file__).with_name("grading_floor.py")
    command = [sys.executable, str(script), str(calls), str(cells), str(size)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return _between(json.loads(output))


def nbgrader(folder: Path, name: str, way: str) -> Cost:
    """nbgrader's own command on one submission, and on some more."""
    one, more = (_autograded(folder / way, name, way, count) for count in (1, 1 + MORE[way]))
    return {kind: (more[kind] - one[kind]) / MORE[way] for kind in one}


def _autograded(root: Path, name: str, way: str, count: int) -> Cost:
    """A fresh course with `count` submissions of the class; the time of autograde alone."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(REPOSITORY / "solutions", root / "solutions")
    ours = (REPOSITORY / "nbgrader_config.py").read_text()
    (root / "nbgrader_config.py").write_text(STOCK_CONFIG if way == "stock" else ours)
    command = [sys.executable, "-m", "nbgrader"]
    _timed([*command, "generate_assignment", name], root)
    for student in sorted((root.parent / "class" / "submitted").iterdir())[:count]:
        shutil.copytree(student, root / "submitted" / student.name)
    return _timed([*command, "autograde", name], root)


def compared(folder: Path, chapter: Chapter, count: int) -> Numbers:
    """How many marks of stock nbgrader equal ours, and why the others do not."""
    _autograded(folder / "stock", chapter.name, "stock", count)
    _graded_into(folder / "ours", folder / "class", chapter.name, count)
    ours, stock = _marks(folder / "ours"), _marks(folder / "stock")
    verdicts = _verdicts(folder / "ours", chapter.name)
    differ = [key for key in stock if stock[key] != ours[key]]
    builds_on = {f"check_{name}": one.builds_on for name, one in chapter.exercises.items()}
    behind = [(student, cell) for student, cell in differ
              if any(verdicts[student, part] != "passed" for part in builds_on[cell])]  # fmt: skip
    return {
        "marks": number(len(stock), "d"),
        "marks_equal": number(len(stock) - len(differ), "d"),
        "marks_behind_a_mistake": number(len(behind), "d"),
        "marks_otherwise": number(len(differ) - len(behind), "d"),
    }


def _graded_into(root: Path, submitted: Path, name: str, count: int) -> None:
    link_class(REPOSITORY, root)
    for student in sorted((submitted / "submitted").iterdir())[:count]:
        shutil.copytree(student, root / "submitted" / student.name)
    grade(root, name, 2)


def _marks(root: Path) -> dict[tuple[str, str], float]:
    with sqlite3.connect(root / "gradebook.db") as book:
        return {(student, cell): score for student, cell, score in book.execute(MARKS)}


def _verdicts(root: Path, name: str) -> dict[tuple[str, str], str]:
    rows = [row for student in ClassRun(Course(root), name, SEED).rows() for row in student]
    return {(row["student"], row["exercise"]): row["verdict"] for row in rows}


def _timed(command: list[str], folder: Path) -> Cost:
    before, began = processor(), time.perf_counter()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    shell = os.environ | {"PATH": path}  # an activated .venv, as stock nbgrader needs it
    done = subprocess.run(
        command, cwd=folder, env=shell, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return {"wall": time.perf_counter() - began, "processor": processor() - before}


if __name__ == "__main__":
    found, claims = measure(load(REPOSITORY, CHAPTER))
    print(measurements.save(__file__, found, claims, seeds=[0]))
    grading_table.costs(found, CHAPTER)
