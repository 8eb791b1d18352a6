"""A teacher corrects an exercise after it was graded: announced, agreed to, written."""

import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
from datetime import datetime, timedelta
from io import StringIO

import pytest
from learners import RIGHT, notebook, save

from autograder.cli import main
from autograder.common.errors import CourseError
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.grading.class_run import ClassRun

SUMS = {"average": "def average(weights, values):\n    return weights @ values"}
CLASS = {"ada": RIGHT, "bob": RIGHT | SUMS, "cleo": RIGHT | SUMS, "dan": {}}
DUE = datetime(2026, 3, 2, 12)
LATE = '\nc.AssignLatePenalties.plugin_class = "autograder.nbgrader_plugins.PercentPerDay"\n'
MARKS = """
    select student_id, cell.name, auto_score, max_score from grade
    join base_cell cell on cell.id = grade.cell_id join grade_cells on grade_cells.id = cell.id
    join submitted_notebook book on book.id = grade.notebook_id
    join submitted_assignment whole on whole.id = book.assignment_id
"""


def grade(root):
    return [sys.executable, "-m", "autograder.cli", "grade", "01_toy", "--root", str(root)]


def killed_while_it_asks(root):
    """What `attn grade` has said at a terminal when it waits for an answer; then it is killed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(grade(root), stdin=theirs, stdout=subprocess.PIPE, text=True)
    said = ""
    while not said.endswith("[y/N] ") and (letter := process.stdout.read(1)):
        said += letter
    process.kill()
    process.wait()
    os.close(ours)
    os.close(theirs)
    return said


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
def graded(toy_root, tmp_path_factory, sandbox):
    """A graded class; every notebook claims other points than the release, which count nothing."""
    root = tmp_path_factory.mktemp("graded")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    for student, sources in CLASS.items():
        folder = root / "submitted" / student / "01_toy"
        folder.mkdir(parents=True)
        written = notebook(Course(root).released("01_toy"), sources)
        for cell in written.cells:
            cell.metadata.get("nbgrader", {})["points"] = 99
        save(written, folder / "01_toy.ipynb")
    assert main(grade(root)[3:]) == 0
    with sqlite3.connect(root / "gradebook.db") as book:
        book.execute("update grade set manual_score = 0.5 where rowid = 1")
    return root


@pytest.fixture(scope="module")
def corrected(graded, tmp_path_factory):
    """The same class when the oracle has been corrected; what a run said that was then killed."""
    root = shutil.copytree(graded, tmp_path_factory.mktemp("corrected") / "class")
    correct(root / "solutions" / "01_toy")
    return root, killed_while_it_asks(root)


def test_before_marks_change_it_is_said_whose_and_by_how_much(corrected):
    _, said = corrected
    lines = [line.split("│")[1:-1] for line in said.splitlines() if "average" in line]
    assert [[cell.strip() for cell in line] for line in lines] == [
        ["ada", "average", "3 of 3, passed", "0 of 3, wrong", "graded again"],
        ["bob", "average", "0 of 3, wrong", "3 of 3, passed", "graded again"],
        ["cleo", "average", "0 of 3, wrong", "3 of 3, passed", "graded again"],
    ]
    assert "3 of 4 students: 2 gain, 1 loses." in said


def test_killed_while_it_asks_it_has_changed_nothing_and_asks_again_without_grading(
    graded, corrected, monkeypatch, capsys
):
    root, _ = corrected
    assert marks(root) == marks(graded)
    ours, theirs = pty.openpty()
    os.write(ours, b"n\n")
    monkeypatch.setattr("sys.stdin", os.fdopen(theirs))
    monkeypatch.setattr("autograder.grading.attempts.grade_in_session", None)  # cannot be called
    assert main(grade(root)[3:]) == 1
    said = capsys.readouterr().out
    assert "3 of 4 students: 2 gain, 1 loses." in said and "The earlier marks stay." in said
    assert marks(root) == marks(graded)


def nowhere():
    raise CourseError("There is nowhere to grade.")


def test_to_look_at_a_run_forgets_nothing_and_to_grade_forgets_what_is_held_of_other_work(
    corrected, tmp_path
):
    root = shutil.copytree(corrected[0], tmp_path / "class")
    held = root / ".attn" / "01_toy.held.jsonl"
    run = ClassRun(Course(root), "01_toy", "another seed")
    assert not run.held and held.exists()
    with pytest.raises(CourseError):
        list(run.grade(nowhere))
    assert not held.exists()


def test_of_one_student_alone_the_change_is_announced_and_written_and_the_others_stay_held(
    graded, corrected, tmp_path, monkeypatch, capsys
):
    root = shutil.copytree(corrected[0], tmp_path / "class")
    monkeypatch.setattr("autograder.grading.attempts.grade_in_session", None)  # cannot be called
    rows = tmp_path / "rows.jsonl"
    assert main([*grade(root)[3:], "--student", "bob", "--yes", "--results", str(rows)]) == 0
    said = capsys.readouterr().out
    assert "1 of 1 student: 1 gains." in said and "cleo" not in said
    assert marks(root) == marks(graded) | {("bob", "average"): (3, 3)}
    assert {json.loads(line)["student"] for line in rows.open()} == CLASS.keys()
    assert ClassRun(Course(root), "01_toy", Course(root).seed(None)).held.changes()[-1].student == (
        "cleo"
    )


def test_another_due_date_or_extension_changes_penalties_and_runs_nothing(
    graded, tmp_path, monkeypatch, capsys
):
    root = shutil.copytree(graded, tmp_path / "class")
    (root / "nbgrader_config.py").write_text((REPOSITORY / "nbgrader_config.py").read_text() + LATE)
    monkeypatch.setattr("autograder.grading.attempts.grade_in_session", None)  # cannot be called
    with sqlite3.connect(root / "gradebook.db") as marks_by_hand:
        marks_by_hand.execute("update grade set manual_score = null")
    with Course(root).gradebook() as book:
        book.find_assignment("01_toy").duedate = DUE
        for student in ("ada", "bob", "cleo"):
            book.find_submission("01_toy", student).timestamp = DUE + timedelta(hours=30)
            book.update_or_create_student(student, first_name=student.title(), last_name="Late")
        book.grant_extension("01_toy", "cleo", days=1)
    assert main(grade(root)[3:]) == 0
    said = capsys.readouterr().out
    for who, points in {"Ada": "1.2", "Bob": "0.6", "Cleo": "0.3"}.items():
        (line,) = [line for line in said.splitlines() if f"│ {who} Late (" in line]
        assert f"0 points │ {points} points" in " ".join(line.split())
    assert "dan" not in said.split("01_toy: 4 submissions")[0]
    assert main(grade(root)[3:]) == 0 and "taken off" not in capsys.readouterr().out


def test_once_announced_they_are_written_and_what_a_person_gave_stays(
    graded, corrected, monkeypatch, capsys
):
    root, _ = corrected
    monkeypatch.setattr("autograder.grading.attempts.grade_in_session", None)  # cannot be called
    monkeypatch.setattr("sys.stdin", StringIO())  # nobody to ask
    assert main(grade(root)[3:]) == 0
    assert "3 of 4 students: 2 gain, 1 loses." in capsys.readouterr().out
    changed = {("ada", "average"): (0, 3), ("bob", "average"): (3, 3), ("cleo", "average"): (3, 3)}
    assert marks(root) == marks(graded) | changed
    with sqlite3.connect(root / "gradebook.db") as book:
        assert book.execute("select manual_score from grade where rowid = 1").fetchall() == [(0.5,)]
    kept = {path.name for path in (root / ".attn").iterdir()}
    assert kept - {"selftest"} == {"01_toy.jsonl", "lock"}  # a self-test may have run before
    assert main(grade(root)[3:]) == 0
    assert "differ" not in capsys.readouterr().out


def test_other_points_need_a_release_and_then_reach_gradebook_and_learners(
    graded, tmp_path, capsys
):
    root = shutil.copytree(graded, tmp_path / "class")
    replace(root / "solutions" / "01_toy" / "normalise.py", "points=2", "points=4")
    assert main(grade(root)[3:]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "normalise is worth 4 points, but 2 in the released notebook" in error
    assert main(["release", "01_toy", "--root", str(root)]) == 0
    assert main([*grade(root)[3:], "--yes"]) == 0
    assert "4 of 4 students: 3 gain, 1 keeps the points." in capsys.readouterr().out
    expected = {(student, "normalise"): (4 if CLASS[student] else 0, 4) for student in CLASS}
    assert marks(root) == marks(graded) | expected
