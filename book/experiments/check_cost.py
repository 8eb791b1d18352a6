"""What a check costs a learner: each exercise's of part one, in a notebook, warm and as the first.

    python book/experiments/check_cost.py

Each time is of the solved exercise in a kernel of its chapter's notebook, from the call to the card
that is shown. Beside them, what a learner would do without `check`: `nbgrader validate`, which runs
the notebook in a kernel of its own. Those chapters are timed of which the record lacks an exercise,
or has one that changed since; where there are none, all. The others keep their times, each beside
the machine that it was taken on.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import measurements
import nbformat
from measurements import Numbers, Series, number, of_machine, together
from nbclient import NotebookClient
from nbformat import NotebookNode, v4
from outdated import MADE_OF, Files, count_as_whole, files_of, made_of, outdated
from rich.console import Console
from rich.table import Table

from autograder.chapters.solutions import chapter_names, load
from autograder.common.cell import CHECK, grade_id, is_solution
from autograder.common.files import CHECKS, REPOSITORY
from autograder.course.course import Course
from autograder.notebooks.chapter import reference

WARM_BAR, FIRST_BAR = 100, 1000  # ms: what is promised of every exercise
PART_ONE = 6  # chapters
REPEATS = 9  # warm checks, of which the middle one counts
TIMED = """
import json as _json, time as _time

def _milliseconds(name):
    began = _time.perf_counter()
    check(globals()[name], keep=False)
    return 1000 * (_time.perf_counter() - began)

_found = {{name: [_milliseconds(name) for _ in range({times})] for name in {names}}}
print("TIMES", _json.dumps(_found))
"""
Times = dict[str, list[float]]  # ms, by exercise


def measure() -> tuple[Numbers, Series]:
    record = measurements.load("check_cost")
    numbers: Numbers = record["numbers"]
    chapters = chapter_names(REPOSITORY)[:PART_ONE]
    today = files_of([load(REPOSITORY, name) for name in chapters])
    again = outdated(today, record, lambda _, exercise: f"warm_{exercise}" not in numbers)
    for chapter in again:
        numbers |= timed(chapter)
    if again != today:
        count_as_whole(record)
    measured = {chapter: today[chapter] for chapter in again}
    return told(numbers, today), {MADE_OF: made_of(today, record, measured)}


def timed(chapter: str) -> Numbers:
    """All checks of a chapter, on this machine."""
    found: Numbers = {}
    with tempfile.TemporaryDirectory() as place:
        folder, names = solved(Path(place) / chapter, chapter)
        warm = {name: statistics.median(times[1:])
                for name, times in checked(folder, names, REPEATS + 1).items()}  # fmt: skip
        for name in names:
            found[f"warm_{name}"] = of_machine(warm[name], ".0f", "ms")
            first = checked(folder, [name], 1)[name][0]
            found[f"first_{name}"] = of_machine(first, ".0f", "ms")
        seconds, slowest = validate(folder), max(warm.values())
    found[f"validate_{chapter}"] = of_machine(seconds, ".1f", "s")
    found[f"quicker_{chapter}"] = of_machine(1000 * seconds / slowest, ".0f")
    print(chapter, f"{slowest:.0f} ms, nbgrader validate {seconds:.1f} s", file=sys.stderr)
    return found


def told(numbers: Numbers, today: Files) -> Numbers:
    """What is known of the exercises of today, one by one and together."""
    exercises = [name for names in today.values() for name in names]
    found: Numbers = {}
    for kind, of in (("validate", today), ("quicker", today), ("warm", exercises),
                     ("first", exercises)):  # fmt: skip
        found |= {f"{kind}_{name}": numbers[f"{kind}_{name}"] for name in of}
    for kind in ("warm", "first"):
        found[kind] = together([found[f"{kind}_{name}"] for name in exercises])
    found["exercises"] = number(len(exercises), "d")
    found["quicker_than_validate"] = together([found[f"quicker_{name}"] for name in today])
    return found


def solved(folder: Path, name: str) -> tuple[Path, list[str]]:
    """The chapter's notebook with every exercise solved, beside its checks; and its exercises."""
    chapter = load(REPOSITORY, name)
    answers = reference(chapter)
    notebook = Course(REPOSITORY).released(name)
    for cell in notebook.cells:
        written = cell.source if not is_solution(cell) else "Because."  # of a question
        cell.source = answers.get(grade_id(cell), written)
    folder.mkdir()
    nbformat.write(notebook, folder / f"{name}.ipynb")
    checks = REPOSITORY / "exercises" / name / CHECKS
    (folder / CHECKS).write_bytes(checks.read_bytes())
    return folder, [*chapter.exercises]


def checked(folder: Path, names: list[str], times: int) -> Times:
    """How long each check took, one after the other, in a fresh kernel that ran all other cells."""
    notebook = nbformat.read(folder / f"{folder.name}.ipynb", as_version=4)
    cells = [*_before_checks(notebook), v4.new_code_cell(TIMED.format(names=names, times=times))]
    run = v4.new_notebook(cells=cells)
    NotebookClient(run, resources={"metadata": {"path": str(folder)}}).execute()
    text = "".join(output.text for output in cells[-1].outputs if output.output_type == "stream")
    line = next(line for line in text.splitlines() if line.startswith("TIMES "))
    found: Times = json.loads(line.removeprefix("TIMES "))
    return found


def _before_checks(notebook: NotebookNode) -> Iterator[NotebookNode]:
    """Code that is given or an answer; nothing that is checked, drawn or shown."""
    for cell in notebook.cells:
        name = grade_id(cell) or cell.id
        if cell.cell_type == "code" and not name.startswith((CHECK, "code-")):
            yield cell


def validate(folder: Path) -> float:
    """Seconds of nbgrader's own command on the notebook."""
    command = [sys.executable, "-m", "nbgrader", "validate", f"{folder.name}.ipynb"]
    began = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - began
    if "Success" not in done.stdout:
        raise RuntimeError(f"the solved notebook of {folder.name} is not valid:\n{done.stdout}")
    return seconds


def show(found: Numbers) -> None:
    """A row for each exercise: both times, and whether they are within what is promised."""
    table = Table(title="A check in a notebook")
    for column in ("exercise", "warm, ms", f"< {WARM_BAR}", "first, ms", f"< {FIRST_BAR}"):
        table.add_column(column, justify="right" if "ms" in column else "left")
    missed = 0
    for name in [key.removeprefix("warm_") for key in found if key.startswith("warm_")]:
        warm, first = (found[f"{kind}_{name}"]["value"] for kind in ("warm", "first"))
        met = (warm < WARM_BAR, first < FIRST_BAR)
        missed += met.count(False)
        said = ["met" if one else "NOT MET" for one in met]
        table.add_row(name, f"{warm:.0f}", said[0], f"{first:.0f}", said[1])
    Console(width=100).print(table)
    text = measurements.text_of({"numbers": found}, "quicker_than_validate", spread=True)
    print(f"nbgrader validate takes {text} times as long as a chapter's slowest check.")
    print(f"Promises that are not met: {missed}")


if __name__ == "__main__":
    found, series = measure()
    print(measurements.save(__file__, found, [], [0], series))
    show(found)
