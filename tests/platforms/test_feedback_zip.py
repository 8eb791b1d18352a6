"""Feedback for a platform: each page gets to the student whom the platform reads off its name."""

import re
from zipfile import ZipFile

import pytest
from nbgrader.api import Gradebook

from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.platforms.canvas_collect import Canvas
from autograder.platforms.feedback_zip import name_of, write, zip_and_tell
from autograder.platforms.moodle_collect import Moodle
from autograder.platforms.newest import Download, Downloads

CHAPTER = "04_masks"


def moodle_reads(path):
    """The number of the participant, as importziplib.php finds it."""
    for part in path.split("/"):
        info = part.split("_", 4)
        if len(info) >= 4 and info[1].isdigit() and info[2:4] == ["assignsubmission", "file"]:
            return info[1]
    return None


def canvas_reads(path):
    """Student and attachment, as infer_comment_context_from_filename finds them."""
    words = [word for word in path.split("/")[-1].split("_") if word != "LATE"]
    if words[0] == "anon":
        return tuple(words[1:3])
    numbers = [word for word in words if re.fullmatch(r"\d+", word)]
    assert not words[-1].startswith("link") and not path.startswith("._")
    return tuple(numbers[:2])


@pytest.mark.parametrize("name", [
    "Ada Lovelace_3417_assignsubmission_file",
    "Ada Lovelace_3417_assignsubmission_file_",
    "Zoë OBrien 2_3417_assignsubmission_file_04_masks.ipynb",
])  # fmt: skip
def test_moodle_reads_off_a_page_whose_it_is(name):
    (entry,) = Moodle.readings(name)
    download = Download("ada", "Moodle", entry.person, name, (), ())
    path = name_of(download, "Moodle", CHAPTER)
    assert moodle_reads(path) == "3417"
    folder = (
        name if name.endswith(("_file", "_file_")) else "Zoë OBrien 2_3417_assignsubmission_file"
    )
    assert path == f"{folder}/04_masks.html"
    assert name_of(download, "Canvas", CHAPTER) == ""


@pytest.mark.parametrize(("name", "person"), [
    ("lovelaceada_1042_88231_04_masks.ipynb", "1042"),
    ("lovelaceada_LATE_1042_88231_04_masks-1.ipynb", "1042"),
    ("van_der_bergada_1042_88231_work.zip", "1042"),
    ("wuli_7_1042_88231_04_masks.ipynb", "1042"),
    ("李小龍_1042_88231_1_2_3.ipynb", "1042"),
    ("anon_x1Y2z_88231_04_masks.ipynb", "x1Y2z"),
    ("LATE_anon_x1Y2z_88231_04_masks.ipynb", "x1Y2z"),
])  # fmt: skip
def test_canvas_reads_off_a_page_whose_it_is_and_what_it_answers(name, person):
    download = Download("ada", "Canvas", person, name, (), ())
    assert canvas_reads(name_of(download, "Canvas", CHAPTER)) == (person, "88231")
    assert any(entry.person == person for entry in Canvas.readings(name))


@pytest.fixture
def course(tmp_path, nbgrader):
    """Pages of three students, of whom one handed in through Moodle and one through Canvas."""
    course = Course(tmp_path)
    with Gradebook(course.directory.db_url, course.directory.course_id) as book:
        book.add_student("ada", first_name="Ada", last_name="Lovelace")
        book.add_student("emmy", first_name="Emmy", last_name="Noether")
    for student in ("ada", "emmy", "max"):
        page = course.folder("feedback", CHAPTER, student) / f"{CHAPTER}.html"
        page.parent.mkdir(parents=True)
        page.write_text(student)
    known = Downloads(course, CHAPTER)
    moodle = "Ada Lovelace_3417_assignsubmission_file"
    known.record(Download("ada", "Moodle", "1", "Ada_1_assignsubmission_file", (0,), ()))
    known.record(Download("ada", "Moodle", "3417", moodle, (0,), ()))
    known.record(Download("emmy", "Canvas", "7", "noetheremmy_7_9_04_masks.ipynb", (9,), ()))
    return course


@pytest.mark.parametrize(("platform", "path", "page", "others"), [
    ("Moodle", "Ada Lovelace_3417_assignsubmission_file/04_masks.html", b"ada",
     "Emmy Noether (emmy), max"),
    ("Canvas", "noetheremmy_7_9_04_masks.html", b"emmy", "Ada Lovelace (ada), max"),
])  # fmt: skip
def test_a_zip_has_the_pages_of_one_platform_and_the_others_are_named(
    course, capsys, platform, path, page, others
):
    zip_and_tell(course, CHAPTER, platform)
    with ZipFile(course.root / "feedback" / f"04_masks-{platform.lower()}.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {path: page}
    assert f"not collected from {platform}: {others}." in capsys.readouterr().err


def test_without_any_work_from_a_platform_the_command_says_how_to_collect(course):
    Downloads(course, CHAPTER).path.write_text('{"student": "ad\n[1]\n{"student": 1}\n')
    with pytest.raises(CourseError, match="nbgrader zip_collect 04_masks --collector"):
        write(course, CHAPTER, "Moodle")
