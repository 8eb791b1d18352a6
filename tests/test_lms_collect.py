"""A learning platform's zip becomes `submitted/`, by nbgrader's own zip_collect."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.lms_collect import Canvas, Moodle

REPOSITORY = Path(__file__).parent.parent
ROSTER = {"ada": ("Ada", "Lovelace", "1042"), "mary": ("Mary Ann", "O'Neil_Berg", "7"),
          "li": ("Li", "Wu", "8"), "li2": ("Li", "Wu", "9")}  # fmt: skip


@pytest.fixture
def course(tmp_path):
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        for student, (first, last, number) in ROSTER.items():
            book.add_student(student, first_name=first, last_name=last, lms_user_id=number)
    return tmp_path


def collect(course, platform, names):
    """Collect a zip in which each file holds its own name."""
    place = course / "downloaded" / "04_masks" / "archive"
    place.mkdir(parents=True)
    with zipfile.ZipFile(place / "submissions.zip", "w") as archive:
        for name in names:
            archive.writestr(name, name)
    command = ["zip_collect", "04_masks", "--collector", f"autograder.lms_collect.{platform}"]
    done = subprocess.run([sys.executable, "-m", "nbgrader", *command], cwd=course, text=True,
                          capture_output=True, check=False)  # fmt: skip
    found = {path.relative_to(course / "submitted").as_posix(): path.read_text()
             for path in course.glob("submitted/*/*/*")}  # fmt: skip
    return done, found


def test_a_zip_of_moodle_goes_to_the_students_of_those_names(course):
    files = ["Ada Lovelace_3417_assignsubmission_file/04_masks.ipynb",
             "Mary Ann O'Neil Berg_3418_assignsubmission_file_/04_masks.ipynb",
             "Ada Lovelace_3417_assignsubmission_file/04_masks.ipynb.txt"]  # fmt: skip
    done, found = collect(course, "Moodle", files)
    assert done.returncode == 0, done.stderr
    assert found == {"ada/04_masks/04_masks.ipynb": files[0],
                     "mary/04_masks/04_masks.ipynb": files[1]}  # fmt: skip


def test_a_zip_of_canvas_goes_to_the_students_of_those_numbers(course):
    files = ["lovelaceada_LATE_1042_88231_04_masks-2.ipynb", "wuli_9_88232_04_masks.ipynb"]
    done, found = collect(course, "Canvas", files)
    assert done.returncode == 0, done.stderr
    assert found == {"ada/04_masks/04_masks.ipynb": files[0],
                     "li2/04_masks/04_masks.ipynb": files[1]}  # fmt: skip


@pytest.mark.parametrize(("platform", "name", "why"), [
    ("Moodle", "Li Wu_1_assignsubmission_file/04_masks.ipynb", "2 students of the roster"),
    ("Canvas", "eve_66_1_04_masks.ipynb", "no student of the roster"),
    ("Canvas", "notes.ipynb", "has no name as Canvas gives it"),
])  # fmt: skip
def test_work_that_nobody_or_two_could_have_done_stops_the_command_with_one_sentence(
    course, platform, name, why
):
    other = {"Moodle": "Ada Lovelace_2_assignsubmission_file/04_masks.ipynb",
             "Canvas": "lovelaceada_1042_1_04_masks.ipynb"}  # fmt: skip
    done, found = collect(course, platform, [other[platform], name])
    assert done.returncode != 0 and found == {}
    assert why in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(("collector", "name", "who", "file"), [
    (Moodle, "/x/Ada Lovelace_1_assignsubmission_file_04_masks.ipynb", "Ada Lovelace", "04_masks"),
    (Moodle, "/x/Zoë van der Berg_1_assignsubmission_file_/a_b.ipynb", "Zoë van der Berg", "a_b"),
    (Canvas, "/x/sekharchandra_12_345_04_masks-1.ipynb", "12", "04_masks"),
    (Canvas, "/x/sekharchandra_LATE_12_345_1_2_x.ipynb", "12", "1_2_x"),
])  # fmt: skip
def test_a_file_name_says_who_and_what(collector, name, who, file):
    found = collector.pattern.match(name)
    assert (found["who"], found["file_id"]) == (who, file)
