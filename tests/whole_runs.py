"""A class graded by `attn grade` in a process of its own, and all that this leaves behind."""

import sqlite3
import subprocess
import sys
import time

from autograder.grading.journal import FAULT

STUDENTS = 20
MARKS = """
    select student_id, cell.name, auto_score, manual_score, needs_manual_grade
    from grade join base_cell cell on cell.id = cell_id
    join submitted_notebook book on book.id = grade.notebook_id
    join submitted_assignment whole on whole.id = book.assignment_id
    order by student_id, cell.name
"""


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
