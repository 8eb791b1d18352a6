"""A chapter's cells in the gradebook."""

import shutil
import sqlite3

import pytest
from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.grading.gradebook import Marks


@pytest.mark.parametrize("kind", ["grade", "solution", "source"])
def test_cells_that_a_killed_run_left_out_of_the_gradebook_are_added(
    toy_root, nbgrader, tmp_path, monkeypatch, kind
):
    course = Course(shutil.copytree(toy_root, tmp_path / "class"))
    before = declared(course)
    (course.root / "gradebook.db").unlink()
    step = f"update_or_create_{kind}_cell"
    whole, calls = getattr(Gradebook, step), []

    def killed(*given, **more):
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Gradebook, step, killed)
        with pytest.raises(KeyboardInterrupt):
            declared(course)
    assert cells(course) < before
    assert declared(course) == before


def declared(course):
    with Marks(course, "01_toy"):
        return cells(course)


def cells(course):
    with sqlite3.connect(course.root / "gradebook.db") as book:
        texts = {*book.execute("select 'text', name from source_cell")}
        return texts | {*book.execute("select type, name from base_cell")}
