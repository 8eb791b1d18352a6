"""A learning platform's zip becomes `submitted/`, by nbgrader's own zip_collect."""

import io
import logging
import shutil
import zipfile
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import ZipCollectApp

from autograder.lms_collect import Canvas, Moodle

REPOSITORY = Path(__file__).parent.parent
ROSTER = {"ada": ("Ada", "Lovelace", "1042"), "mary": ("Mary Ann", "O'Neil_Berg", "7"),
          "li": ("Li", "Wu", "8"), "li2": ("Li", "Wu", "9")}  # fmt: skip


@pytest.fixture(scope="module")
def roster(tmp_path_factory):
    path = tmp_path_factory.mktemp("roster") / "gradebook.db"
    with Gradebook(f"sqlite:///{path}") as book:
        for student, (first, last, number) in ROSTER.items():
            book.add_student(student, first_name=first, last_name=last, lms_user_id=number)
    return path


@pytest.fixture
def course(roster, tmp_path, monkeypatch):
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    shutil.copy(roster, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def collect(course, platform, names):
    """Collect a zip in which each file holds its own name; gives what is in submitted/ then."""
    place = course / "downloaded" / "04_masks" / "archive"
    place.mkdir(parents=True)
    with zipfile.ZipFile(place / "submissions.zip", "w") as archive:
        for name in names:
            archive.writestr(name, name)
    run(platform)
    return submitted(course)


def run(platform):
    app = ZipCollectApp()
    app.initialize(["04_masks", "--collector", f"autograder.lms_collect.{platform}"])
    app.log.propagate = True
    app.start()


def submitted(course):
    return {path.relative_to(course / "submitted").as_posix(): path.read_text()
            for path in course.glob("submitted/*/*/*")}  # fmt: skip


def test_a_zip_of_moodle_goes_to_the_students_of_those_names(course):
    files = ["Ada Lovelace_3417_assignsubmission_file/04_masks.ipynb",
             "Mary Ann O'Neil Berg_3418_assignsubmission_file_/04_masks.ipynb",
             "Ada Lovelace_3417_assignsubmission_file/04_masks.ipynb.txt"]  # fmt: skip
    assert collect(course, "Moodle", files) == {"ada/04_masks/04_masks.ipynb": files[0],
                     "mary/04_masks/04_masks.ipynb": files[1]}  # fmt: skip


def test_a_zip_of_canvas_goes_to_the_students_of_those_numbers(course):
    files = ["lovelaceada_LATE_1042_88231_04_masks-2.ipynb", "wuli_9_88232_04_masks.ipynb"]
    assert collect(course, "Canvas", files) == {"ada/04_masks/04_masks.ipynb": files[0],
                     "li2/04_masks/04_masks.ipynb": files[1]}  # fmt: skip


@pytest.mark.parametrize(("platform", "name", "why"), [
    ("Moodle", "Li Wu_1_assignsubmission_file/04_masks.ipynb", "2 students of the roster"),
    ("Canvas", "eve_66_1_04_masks.ipynb", "no student of the roster"),
    ("Canvas", "notes.ipynb", "has no name as Canvas gives it"),
])  # fmt: skip
def test_work_that_nobody_or_two_could_have_done_stops_the_command_with_one_sentence(
    course, platform, name, why, caplog
):
    other = {"Moodle": "Ada Lovelace_2_assignsubmission_file/04_masks.ipynb",
             "Canvas": "lovelaceada_1042_1_04_masks.ipynb"}  # fmt: skip
    with caplog.at_level(logging.CRITICAL), pytest.raises(SystemExit) as ended:
        collect(course, platform, [other[platform], name])
    assert ended.value.code == 1 and submitted(course) == {}
    (said,) = (record.message for record in caplog.records)
    assert why in said


def test_a_name_that_a_student_chose_within_a_zip_does_not_make_it_somebody_elses(course):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("wuli_8_1_04_masks.ipynb", "not by Li")
    place = course / "downloaded" / "04_masks" / "archive"
    place.mkdir(parents=True)
    with zipfile.ZipFile(place / "submissions.zip", "w") as archive:
        archive.writestr("lovelaceada_1042_88_all.zip", inner.getvalue())
    run("Canvas")
    assert submitted(course) == {"ada/04_masks/wuli_8_1_04_masks.ipynb": "not by Li"}


@pytest.mark.parametrize(("collector", "name", "who", "file"), [
    (Moodle, "Ada Lovelace_1_assignsubmission_file_04_masks.ipynb", "Ada Lovelace", "04_masks"),
    (Moodle, "Zoë van der Berg_1_assignsubmission_file_", "Zoë van der Berg", ""),
    (Canvas, "sekharchandra_12_345_04_masks-1.ipynb", "12", "04_masks"),
    (Canvas, "sekharchandra_LATE_12_345_1_2_x.ipynb", "12", "1_2_x"),
])  # fmt: skip
def test_a_name_says_who_and_what(collector, name, who, file):
    found = collector.entry.fullmatch(name)
    assert (found["who"], found["file"]) == (who, file)
