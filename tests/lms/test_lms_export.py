"""Marks as Canvas and Moodle import them, by nbgrader's own export command."""

import contextlib
import csv
import shutil

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import ExportApp

from autograder.calls.files import REPOSITORY

pytestmark = pytest.mark.usefixtures("nbgrader")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Ada is late and has 4 of 5 points less half a one; Emmy handed nothing in."""
    root = tmp_path_factory.mktemp("marks")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        book.add_student("ada", first_name="Ada", last_name="Lovelace, Countess",
                         email="ada@example.org", lms_user_id="1042")  # fmt: skip
        book.add_student("emmy", first_name="=HYPERLINK(1)", last_name="Noether")
        book.add_assignment("04_masks")
        book.add_notebook("04_masks", "04_masks")
        book.add_grade_cell("check", "04_masks", "04_masks", max_score=5, cell_type="code")
        with book.db.no_autoflush:
            (notebook,) = book.add_submission("04_masks", "ada").notebooks
        notebook.grades[0].auto_score, notebook.late_submission_penalty = 4, 0.5
        book.db.commit()
    return root


def exported(course, name):
    app = ExportApp()
    with contextlib.chdir(course):
        app.initialize(["--exporter", f"autograder.lms_export.{name}", "--to", f"{name}.csv"])
        app.start()
    with (course / f"{name}.csv").open(newline="") as file:
        return list(csv.reader(file))


@pytest.fixture(scope="module")
def canvas(course):
    return exported(course, "CanvasExport")


@pytest.fixture(scope="module")
def moodle(course):
    return exported(course, "MoodleExport")


def test_canvas_gets_its_five_columns_then_the_chapters_and_the_points_possible(canvas):
    header, possible, *_ = canvas
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "04_masks"]
    assert possible[0].strip() == "Points Possible" and float(possible[-1]) == 5


def test_canvas_finds_a_student_by_its_own_number_or_by_the_login(canvas):
    assert canvas[2][:4] == ["Lovelace, Countess, Ada", "1042", "", "ada"]
    assert canvas[3][1:4] == ["", "", "emmy"]


def test_moodle_gets_a_column_for_each_way_to_say_who_it_is(moodle):
    assert moodle[0] == ["First name", "Last name", "Username", "Email address",
                         "Assignment: 04_masks"]  # fmt: skip
    assert moodle[1][:4] == ["Ada", "Lovelace, Countess", "ada", "ada@example.org"]


def test_the_mark_is_what_is_left_after_the_penalty_and_nothing_handed_in_is_no_mark(
    canvas, moodle
):
    assert [row[-1] for row in canvas[2:]] == [row[-1] for row in moodle[1:]] == ["3.5", ""]


def test_no_name_is_a_formula_for_a_spreadsheet(canvas, moodle):
    fields = [field for row in [*canvas, *moodle] for field in row]
    assert "'=HYPERLINK(1)" in fields
    assert not any(field.startswith("=") for field in fields)
