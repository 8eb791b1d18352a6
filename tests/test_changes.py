"""A teacher corrects an exercise after it was graded: announced, agreed to, written."""

import os
import pty
import shutil
import sqlite3
import subprocess
import sys

import pytest
from learners import RIGHT, notebook, save

from autograder.cli import main
from autograder.course import Course
from autograder.results import Journal

SUMS = {"average": "def average(weights, values):\n    return weights @ values"}
CLASS = {"ada": RIGHT, "bob": RIGHT | SUMS, "cleo": RIGHT | SUMS, "dan": {}}
NORMALISED = "return (weights / weights.sum(-1, keepdim=True)) @ values"
MARKS = """
    select student_id, cell.name, auto_score, max_score from grade
    join base_cell cell on cell.id = grade.cell_id join grade_cells on grade_cells.id = cell.id
    join submitted_notebook book on book.id = grade.notebook_id
    join submitted_assignment whole on whole.id = book.assignment_id
"""


def attn(root, *arguments):
    return [sys.executable, "-m", "autograder.cli", *arguments, "01_toy", "--root", str(root)]


def at_a_terminal(root, answer):
    """What `attn grade` says to somebody at a terminal, and its status; no answer: killed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(attn(root, "grade"), stdin=theirs, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)  # fmt: skip
    said = ""
    while not said.endswith("[y/N] ") and (letter := process.stdout.read(1)):
        said += letter
    if answer:
        os.write(ours, f"{answer}\n".encode())
    else:
        process.kill()
    said += process.communicate()[0]
    os.close(ours)
    os.close(theirs)
    return said, process.returncode


def marks(root):
    """Points and maximum by student and exercise, as the gradebook has them."""
    with sqlite3.connect(root / "gradebook.db") as book:
        return {(student, cell.removeprefix("check_")): (points, most)
                for student, cell, points, most in book.execute(MARKS)}  # fmt: skip


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture(scope="module")
def term(toy_root, tmp_path_factory, sandbox):
    """A graded class whose oracle of `average` is then corrected: it was wrong all the time."""
    root = tmp_path_factory.mktemp("term")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    for student, sources in CLASS.items():
        folder = root / "submitted" / student / "01_toy"
        folder.mkdir(parents=True)
        written = notebook(Course(root).released("01_toy"), sources)
        for cell in written.cells:
            cell.metadata.get("nbgrader", {})["points"] = 99
        save(written, folder / "01_toy.ipynb")
    subprocess.run(attn(root, "grade"), check=True, capture_output=True)
    with sqlite3.connect(root / "gradebook.db") as book:
        book.execute("update grade set manual_score = 0.5 where rowid = 1")
    before = marks(root)
    exercise = root / "solutions" / "01_toy" / "average.py"
    replace(exercise, NORMALISED, "return weights @ values")
    replace(exercise, '@exercise.misconception("You left', 'def _("You left')
    return root, before
