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


def correct(solutions):
    """The weights of `average` were to be taken as they are."""
    exercise = solutions / "average.py"
    exercise.write_text(exercise.read_text().split("@exercise.misconception")[0])
    replace(exercise, "(weights / weights.sum(-1, keepdim=True)) @ values", "weights @ values")
    replace(solutions / "01_toy.md", "normalise(weights) @ values", "weights @ values")


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
    correct(root / "solutions" / "01_toy")
    return root, before


@pytest.fixture(scope="module")
def declined(term):
    return at_a_terminal(term[0], "n")


def test_before_marks_change_it_is_said_whose_and_by_how_much(declined):
    said, _ = declined
    lines = [line.split("│")[1:-1] for line in said.splitlines() if "average" in line][:3]
    assert [[cell.strip() for cell in line] for line in lines] == [
        ["ada", "average", "3 of 3, passed", "0 of 3, wrong", "graded again"],
        ["bob", "average", "0 of 3, wrong", "3 of 3, passed", "graded again"],
        ["cleo", "average", "0 of 3, wrong", "3 of 3, passed", "graded again"],
    ]
    assert "3 of 4 students: 2 gain, 1 loses." in said


def test_a_teacher_who_does_not_want_them_keeps_the_earlier_marks(term, declined):
    root, before = term
    said, status = declined
    assert "The earlier marks stay." in said and status == 1
    assert marks(root) == before
    assert "passed" in str(Journal(root / ".attn" / "01_toy.jsonl").entry("ada")["rows"][1])


def test_killed_while_it_asks_it_announces_the_same_again_and_then_writes(
    term, declined, monkeypatch, capsys
):
    root, before = term
    killed, status = at_a_terminal(root, "")
    assert status < 0 and "2 gain, 1 loses" in killed and marks(root) == before
    monkeypatch.setattr("autograder.grade.grade_in_session", None)  # nothing is graded anew
    assert main(["grade", "01_toy", "--root", str(root)]) == 0
    assert "3 of 4 students: 2 gain, 1 loses." in capsys.readouterr().out
    changed = {("ada", "average"): (0, 3), ("bob", "average"): (3, 3), ("cleo", "average"): (3, 3)}
    assert marks(root) == before | changed
    assert [path.name for path in (root / ".attn").iterdir()] == ["01_toy.jsonl"]
    with sqlite3.connect(root / "gradebook.db") as book:
        assert book.execute("select manual_score from grade where rowid = 1").fetchall() == [(0.5,)]
    assert main(["grade", "01_toy", "--root", str(root)]) == 0
    assert "differ" not in capsys.readouterr().out
