"""A mark follows from the verdict and the rooms that make it. What is shown decides none."""

import shutil

import pytest
from nbgrader.api import Gradebook
from terminal import grade

from autograder.common.files import PACKAGE
from autograder.grading import provenance
from autograder.judging.marks import scores

ROOMS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file())


def marks(root):
    """The automatic score of each cell of each student."""
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        return {
            (submission.student_id, mark.name): mark.auto_score
            for submission in book.assignment_submissions("01_toy")
            for notebook in submission.notebooks
            for mark in notebook.grades
        }


def test_what_a_notebook_shows_decides_no_mark(handed_in, in_this_process, monkeypatch):
    assert grade(handed_in) == 0
    before = marks(handed_in)
    assert 0 in before.values() and None in before.values()
    # Without an output, nbgrader takes an exercise for solved.
    monkeypatch.setattr("autograder.grading.session.write_outputs", lambda *_: None)
    assert grade(handed_in, "--force", "--yes") == 0
    assert marks(handed_in) == before


def test_an_exercise_without_a_verdict_gets_no_score(handed_in, in_this_process, monkeypatch):
    monkeypatch.setattr(
        "autograder.grading.session.scores", lambda notebook, _: scores(notebook, {})
    )

    assert grade(handed_in) == 1
    assert marks(handed_in) == {}


@pytest.mark.parametrize("room", ROOMS)
def test_only_a_change_to_what_decides_has_a_class_graded_again(room, tmp_path, monkeypatch):
    copy = shutil.copytree(PACKAGE, tmp_path / "autograder")
    monkeypatch.setattr(provenance, "PACKAGE", copy)
    before = provenance.engine.__wrapped__()
    changed = max((copy / room).glob("*.py"))
    changed.write_text(f"{changed.read_text()}# another line\n")
    assert (provenance.engine.__wrapped__() != before) == (room in provenance.DECIDE)
