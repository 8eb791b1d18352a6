"""Grading that is killed or stopped at any moment ends like grading that was left alone."""

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from processes import alive, command, descendants, kill

from autograder.course.course import Course
from autograder.course.simulate import make_class, write_class
from autograder.grading.journal import FAULT

STUDENTS, KILLS = 30, 3
MARKS = """
    select student_id, cell.name, auto_score, manual_score, needs_manual_grade
    from grade join base_cell cell on cell.id = cell_id
    join submitted_notebook book on book.id = grade.notebook_id
    join submitted_assignment whole on whole.id = book.assignment_id
    order by student_id, cell.name
"""

AUTOMATIC = "select id, auto_score from grade order by id"


@pytest.fixture(scope="module")
def submitted(toy, toy_root, tmp_path_factory, sandbox):
    """A class whose submissions were handed in and not graded yet."""
    root = tmp_path_factory.mktemp("submitted")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    students = make_class(toy, STUDENTS, seed=8, accidents=("stub", "exception", "colab"))
    write_class(Course(root), toy, students, seed=8)
    return root


@pytest.fixture
def class_root(submitted, tmp_path):
    return shutil.copytree(submitted, tmp_path / "class")


@pytest.fixture(scope="module")
def undisturbed(submitted, tmp_path_factory):
    root = shutil.copytree(submitted, tmp_path_factory.mktemp("undisturbed") / "class")
    assert start(root).wait(timeout=300) == 0
    return outcome(root)


def start(root, *options):
    heard = ["env", "--default-signal=INT"]  # what a shell starts in the background ignores Ctrl-C
    grade = [sys.executable, "-m", "autograder.cli", "grade", "01_toy", "--root", str(root)]
    options = ["--seed", "s", "--results", str(root / "r.jsonl"), *options]
    return subprocess.Popen([*heard, *grade, *options], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)  # fmt: skip


def outcome(root):
    """All that grading leaves behind and that must not depend on how it went."""
    with sqlite3.connect(root / "gradebook.db") as book:
        marks = book.execute(MARKS).fetchall()
    notebooks = {path.parent.parent.name: path.read_text()
                 for path in root.glob("autograded/*/01_toy/01_toy.ipynb")}  # fmt: skip
    return (root / "r.jsonl").read_text(), marks, notebooks


def finished(root):
    journal = root / ".attn" / "01_toy.jsonl"
    lines = journal.read_text().splitlines() if journal.exists() else []
    return len([line for line in lines if f'"{FAULT}"' not in line])


def wait_for_progress(root, process, before, more):
    while process.poll() is None and finished(root) < before + more:
        time.sleep(0.02)


def test_killed_again_and_again_it_goes_on_and_grading_anew_changes_nothing(
    class_root, undisturbed, all_cores
):
    chance = random.Random(1)
    for attempt in range(KILLS):
        before, process = finished(class_root), start(class_root)
        if attempt == 0:
            time.sleep(chance.uniform(0.2, 6))  # while it starts
        else:
            wait_for_progress(class_root, process, before, chance.randrange(1, 5))
            time.sleep(chance.random() * 0.3)
        below = descendants(process.pid)
        kill(process.pid)
        process.wait()
        assert alive(below) == []
        assert finished(class_root) >= before
    assert finished(class_root) > 0
    assert start(class_root).wait(timeout=300) == 0
    assert outcome(class_root) == undisturbed
    marks_and_comments_of_a_person_stay(class_root)


def marks_and_comments_of_a_person_stay(root):
    with sqlite3.connect(root / "gradebook.db") as book:
        book.execute("update grade set manual_score = 0.5, extra_credit = 0.25, "
                     "needs_manual_grade = 0 where rowid % 3 = 0")  # fmt: skip
        book.execute("update comment set manual_comment = 'well done' where rowid % 2 = 0")
        before, automatic = by_hand(book), book.execute(AUTOMATIC).fetchall()
    assert start(root, "--force").wait(timeout=300) == 0
    with sqlite3.connect(root / "gradebook.db") as book:
        assert by_hand(book) == before
        assert book.execute(AUTOMATIC).fetchall() == automatic
        waiting = book.execute("select distinct needs_manual_grade from grade "
                               "where manual_score is not null").fetchall()  # fmt: skip
        assert waiting == [(1,)]


def test_where_workers_are_killed_others_take_their_place(class_root, undisturbed):
    process = start(class_root)
    for running in (sandboxes, judges):
        wait_for_progress(class_root, process, finished(class_root), 1)
        kill(running(process.pid)[0])
    assert process.wait(timeout=300) == 0, process.stderr.read()
    assert outcome(class_root) == undisturbed


def judges(pid):
    """The processes that judge; the server that forked them comes before them."""
    return [below for below in descendants(pid) if "forkserver" in command(below)][1:]


def sandboxes(pid):
    return [below for below in descendants(pid) if "autograder.sandbox.worker" in command(below)]


def test_stopped_by_hand_it_keeps_what_is_finished_and_leaves_no_process(class_root, all_cores):
    process = start(class_root)
    wait_for_progress(class_root, process, 0, 3)
    below = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    assert "What is finished is kept" in process.stderr.read()
    assert alive(below) == []
    assert 0 < finished(class_root) < STUDENTS


def by_hand(book):
    grades = book.execute("select id, manual_score, extra_credit from grade order by id")
    comments = book.execute("select id, manual_comment from comment order by id")
    return grades.fetchall(), comments.fetchall()
