"""What a check costs a learner: each exercise's, in a notebook, warm and as the first of all.

    python book/experiments/check_cost.py

Each time is of the solved exercise in a kernel of its chapter's notebook, from the call to the card
that is shown. Beside them, what a learner would do without `check`: `nbgrader validate`, which runs
the notebook in a kernel of its own.
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
from measurements import Claim, Numbers, number, of_machine
from nbclient import NotebookClient
from nbformat import NotebookNode, v4
from rich.console import Console
from rich.table import Table

from autograder.chapters.solutions import chapter_names, load
from autograder.common.cell import CHECK, grade_id, is_solution
from autograder.common.files import CHECKS, REPOSITORY
from autograder.course.course import Course
from autograder.notebooks.chapter import reference

WARM_BAR, FIRST_BAR = 100, 1000  # ms: what is promised of every exercise
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


def measure() -> tuple[Numbers, list[Claim]]:
    found: Numbers = {}
    warm: dict[str, float] = {}
    first: dict[str, float] = {}
    ratios = []
    for chapter in chapter_names(REPOSITORY):
        with tempfile.TemporaryDirectory() as place:
            folder, names = solved(Path(place) / chapter, chapter)
            for name, times in checked(folder, names, REPEATS + 1).items():
                warm[name] = statistics.median(times[1:])
            for name in names:
                first[name] = checked(folder, [name], 1)[name][0]
            seconds = validate(folder)
        slowest = max(warm[name] for name in names)
        ratios.append(1000 * seconds / slowest)
        found[f"validate_{chapter}"] = of_machine(seconds, ".1f", "s")
        print(chapter, f"{slowest:.0f} ms, nbgrader validate {seconds:.1f} s", file=sys.stderr)
    for kind, times_of in (("warm", warm), ("first", first)):
        for name, milliseconds in times_of.items():
            found[f"{kind}_{name}"] = of_machine(milliseconds, ".0f", "ms")
        found[kind] = of_machine([*times_of.values()], ".0f", "ms")
    found["exercises"] = number(len(warm), "d")
    found["quicker_than_validate"] = of_machine(ratios, ".0f")
    return found, []


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
    found, claims = measure()
    print(measurements.save(__file__, found, claims, seeds=[0]))
    show(found)
