"""A learning platform's zip becomes `submitted/`, by nbgrader's own zip_collect."""

import errno
import logging
import os
import shutil
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import ZipCollectApp
from odd_archives import BAD, GOOD, NAME, packed

from autograder.calls.files import REPOSITORY
from autograder.lms.platform_collect import Canvas, Moodle

pytestmark = pytest.mark.usefixtures("nbgrader")

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
    download(course, packed((name, name) for name in names))
    run(platform)
    return submitted(course)


def download(course, data, name="submissions.zip"):
    """Put a file where it is collected from."""
    place = course / "downloaded" / "04_masks" / "archive"
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)


def run(platform, *arguments):
    app = ZipCollectApp()
    app.initialize(["04_masks", "--collector", f"autograder.lms_collect.{platform}", *arguments])
    app.log.propagate = True
    app.start()


def run_and_left_out(platform, caplog):
    """Collect while somebody is left out; gives the sentences."""
    with caplog.at_level(logging.ERROR), pytest.raises(SystemExit) as ended:
        run(platform)
    assert ended.value.code == 1
    return [record.getMessage() for record in caplog.records]


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
    inner = packed([("wuli_8_1_04_masks.ipynb", "not by Li")])
    download(course, packed([("lovelaceada_1042_88_all.zip", inner)]))
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


def test_who_hands_in_a_bad_archive_is_left_out_with_a_sentence_and_all_others_are_collected(
    course, nbgrader
):
    """One student for each kind of it, by the real command."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        for number in range(100, 100 + len(BAD)):
            book.add_student(f"odd{number}", lms_user_id=str(number))
    odd = enumerate(BAD.values(), 100)
    files = [(f"odd_{number}_1_work.zip", make()) for number, (make, _) in odd]
    honest = [("lovelaceada_1042_1_04_masks.ipynb", "ada"), ("wuli_8_1_work.zip", GOOD)]
    download(course, packed(files + honest))
    collector = "autograder.lms_collect.Canvas"
    done = nbgrader(course, "zip_collect", "04_masks", "--collector", collector, check=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "ada",
                                 "li/04_masks/04_masks.ipynb": "good"}  # fmt: skip
    said = [line for line in done.stderr.splitlines() if "was left out" in line]
    for number, ((_, reason), line) in enumerate(zip(BAD.values(), said, strict=True), 100):
        assert f"odd{number} was left out: odd_{number}_1_work.zip " in line and reason in line
    assert done.stderr.splitlines()[-1] == said[-1]
    assert {path.name for path in course.rglob("*evil*")} == set()
    assert sum(path.stat().st_size for path in course.rglob("*.ipynb")) == 2 * len("adagood")


@pytest.mark.parametrize(("files", "why"), [
    ([("ada_1042_1_04_masks.ipynb", "a"), ("ada_1042_1_04_masks-1.ipynb", "b")], "more than one"),
    ([("ada_1042_1_04_masks.ipynb", "a"), ("ada_1042_1_all.zip", GOOD)], "more than one 04_masks"),
    ([("ada_1042_1_04_masks.ipynb", "a"), ("ada_1042_1_all.zip", b"?")], "no zip archive"),
    ([("ada_1042_1_04_masks.ipynb", bytes(2**20 * 101))], "unpacks to more than 100 MB"),
    ([("ada_1042_1_a/../../04_masks.ipynb", "a")], "a path that leads out"),
    ([("ada_1042_1_a.ipynb", "a"), ("ada_1042_1_a.ipynb/b.ipynb", "b")], "a file and a folder"),
    ([("ada_1042_1_all.tar.gz", b"?")], "no zip archive"),
])  # fmt: skip
def test_whose_work_is_not_clear_or_cannot_be_written_is_left_out_whole_and_alone(
    course, caplog, files, why
):
    download(course, packed([*files, ("wuli_8_1_04_masks.ipynb", "li")]))
    (said,) = run_and_left_out("Canvas", caplog)
    assert said.startswith("ada was left out: ") and why in said
    assert submitted(course) == {"li/04_masks/04_masks.ipynb": "li"}


def test_a_download_that_was_unpacked_by_hand_is_collected_in_the_same_way(course, caplog):
    download(course, b"li", "wuli_8_1_04_masks.ipynb")
    download(course, GOOD, "mary_7_1_all.zip")
    download(course, b"?", "lovelaceada_1042_1_all.zip")
    (said,) = run_and_left_out("Canvas", caplog)
    assert said.startswith("ada was left out: lovelaceada_1042_1_all.zip is damaged")
    assert submitted(course) == {"li/04_masks/04_masks.ipynb": "li",
                                 f"mary/04_masks/{NAME}": "good"}  # fmt: skip


@pytest.mark.parametrize("data", [b"", b"<html>Please log in</html>", GOOD[:-30]])
def test_a_download_that_is_no_zip_or_was_cut_ends_the_command_with_one_sentence(
    course, caplog, data
):
    download(course, data)
    (said,) = run_and_left_out("Moodle", caplog)
    assert said == ("Nothing was collected: submissions.zip is damaged, or no zip archive. "
                    "Download it again.")  # fmt: skip
    assert submitted(course) == {}


def test_a_full_disk_ends_the_command_with_one_sentence(course, caplog, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    download(course, packed([("wuli_8_1_04_masks.ipynb", "li")]))
    monkeypatch.setattr(Path, "write_bytes", full)
    (said,) = run_and_left_out("Canvas", caplog)
    assert said.startswith("Nothing was collected: ") and "No space left on device" in said


def test_what_was_left_out_is_collected_once_it_was_put_right(course, caplog):
    download(course, packed([("ada_1042_1_all.zip", b"?"), ("wuli_8_1_04_masks.ipynb", "li")]))
    run_and_left_out("Canvas", caplog)
    download(course, packed([("ada_1042_1_all.zip", GOOD), ("wuli_8_1_04_masks.ipynb", "li")]))
    run("Canvas", "--force")
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "good",
                                 "li/04_masks/04_masks.ipynb": "li"}  # fmt: skip
