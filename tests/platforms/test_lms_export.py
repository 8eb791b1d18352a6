"""Marks as Canvas and Moodle import them, by nbgrader's own export command."""

import contextlib
import csv
import logging
import shutil
import sys
from datetime import datetime, timedelta

import pytest
from nbgrader.api import Grade, Gradebook
from nbgrader.apps import ExportApp

from autograder.common.files import REPOSITORY

DUE = datetime(2026, 3, 2, 12)
LATE = '\nc.AssignLatePenalties.plugin_class = "autograder.nbgrader_plugins.PercentPerDay"\n'
pytestmark = pytest.mark.usefixtures("nbgrader")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Ada is a day late and has 3.9 of 5 points less a tenth; Emmy handed nothing in.

    The gradebook does not have the penalty yet, as when a mark was given by hand since.
    """
    root = tmp_path_factory.mktemp("marks")
    (root / "nbgrader_config.py").write_text((REPOSITORY / "nbgrader_config.py").read_text() + LATE)
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        book.add_student("ada", first_name="Ada", last_name="Lovelace, Countess",
                         email="ada@example.org", lms_user_id="1042")  # fmt: skip
        book.add_student("emmy", first_name="=HYPERLINK(1)", last_name="Noether")
        book.add_assignment("04_masks", duedate=DUE)
        book.add_notebook("04_masks", "04_masks")
        for name, most in {"check": 3, "check_2": 2}.items():
            book.add_grade_cell(name, "04_masks", "04_masks", max_score=most, cell_type="code")
        with book.db.no_autoflush:
            submission = book.add_submission("04_masks", "ada")
        submission.timestamp = DUE + timedelta(hours=2)
        for grade, score in zip(submission.notebooks[0].grades, (2.7, 1.2), strict=True):
            grade.auto_score = score
        book.db.commit()
    return root


def exported(course, name, *arguments):
    app = ExportApp()
    with contextlib.chdir(course):
        exporter = f"autograder.nbgrader_plugins.{name}"
        app.initialize(["--exporter", exporter, "--to", f"{name}.csv", *arguments])
        app.log.propagate = True
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
    assert [row[-1] for row in canvas[2:]] == [row[-1] for row in moodle[1:]] == ["3.51", ""]


def test_the_penalty_is_that_of_the_marks_that_stand_and_no_sum_has_a_floats_tail(
    course, tmp_path, caplog
):
    root = shutil.copytree(course, tmp_path / "late", ignore=shutil.ignore_patterns("*.csv"))
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        book.find_submission("04_masks", "ada").notebooks[0].late_submission_penalty = 0.1
        book.db.commit()
    assert 2.7 + 1.2 != 3.9
    assert exported(root, "CsvExport")[1][7:] == ["3.9", "0.39", "3.51", "5.0"]
    assert "04_masks: ada lost 0.1 for being late, and now loses 0.39." in caplog.messages
    caplog.clear()
    exported(root, "CsvExport")
    assert not any("being late" in line for line in caplog.messages)


def test_no_name_is_a_formula_for_a_spreadsheet(canvas, moodle):
    fields = [field for row in [*canvas, *moodle] for field in row]
    assert "'=HYPERLINK(1)" in fields
    assert not any(field.startswith("=") for field in fields)


@pytest.fixture
def waiting(course, tmp_path):
    """The same, with two written answers of Ada's that nobody has marked, and a stranger's work."""
    root = shutil.copytree(course, tmp_path / "waiting", ignore=shutil.ignore_patterns("*.csv"))
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        for name in ("why", "how"):
            book.add_grade_cell(name, "04_masks", "04_masks", max_score=3, cell_type="markdown")
        ada = book.find_submission_notebook("04_masks", "04_masks", "ada")
        for cell in book.find_notebook("04_masks", "04_masks").grade_cells:
            if cell.cell_type == "markdown":
                book.db.add(Grade(cell_id=cell.id, notebook_id=ada.id, needs_manual_grade=True))
        book.add_student("eve")
        with book.db.no_autoflush:
            book.add_submission("04_masks", "eve")
        book.db.commit()
    return root


@pytest.mark.parametrize("name", ["CsvExport", "CanvasExport", "MoodleExport"])
def test_who_is_not_in_the_roster_is_not_exported_and_named_and_so_are_answers_without_a_mark(
    waiting, caplog, name
):
    with caplog.at_level(logging.WARNING):
        rows = exported(waiting, name)
    assert not any("eve" in row for row in rows) and any("emmy" in row for row in rows)
    assert "Not exported, since the roster does not have them: eve." in caplog.messages
    assert ("04_masks: 2 written answers of 1 student not marked yet; that counts nothing in "
            "these marks.") in caplog.messages  # fmt: skip


def test_an_answer_that_changed_after_it_was_marked_is_counted_as_one_to_mark(waiting, caplog):
    with Gradebook(f"sqlite:///{waiting / 'gradebook.db'}") as book:
        book.find_grade("why", "04_masks", "04_masks", "ada").manual_score = 2
        book.db.commit()
    with caplog.at_level(logging.WARNING):
        exported(waiting, "CsvExport")
    assert ("04_masks: 1 answer of 1 student changed after being marked; the points from before "
            "count.") in caplog.messages  # fmt: skip
    assert any("1 written answer of 1 student not marked yet" in line for line in caplog.messages)


@pytest.mark.parametrize(("answer", "arguments", "written"), [
    ("n", [], False), ("y", [], True), ("", ["--MarksExport.yes=True"], True),
])  # fmt: skip
def test_somebody_at_a_terminal_is_asked_before_marks_without_written_answers_are_exported(
    waiting, monkeypatch, caplog, answer, arguments, written
):
    monkeypatch.setattr(sys, "stdin", type("Terminal", (), {"isatty": lambda _: True})())
    monkeypatch.setattr("builtins.input", lambda _: answer)
    refused = contextlib.nullcontext() if written else pytest.raises(SystemExit)
    with refused:
        exported(waiting, "MoodleExport", *arguments)
    assert (waiting / "MoodleExport.csv").exists() == written
    assert any(line.startswith("Nothing was exported.") for line in caplog.messages) != written


def test_a_class_without_a_roster_is_exported_whole(waiting, monkeypatch):
    with Gradebook(f"sqlite:///{waiting / 'gradebook.db'}") as book:
        for student in book.students:
            student.first_name = student.last_name = student.email = student.lms_user_id = None
        book.db.commit()
    assert {row[2] for row in exported(waiting, "MoodleExport")[1:]} == {"ada", "emmy", "eve"}


def test_a_section_is_exported_alone_and_one_that_there_is_not_is_refused(course, caplog):
    (course / "sections.csv").write_text("student,section\nada,Monday\nemmy,Friday\n")
    table = exported(course, "MoodleExport", "--MarksExport.section=friday")
    assert [row[2] for row in table[1:]] == ["emmy"]
    with pytest.raises(SystemExit):
        exported(course, "MoodleExport", "--MarksExport.section=Sunday")
    assert "There is no section 'Sunday'. There are: Friday, Monday." in caplog.text
