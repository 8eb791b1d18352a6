"""A learning platform's zip becomes `submitted/`, by nbgrader's own zip_collect."""

import errno
import os
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from odd_archives import BAD, GOOD, NAME, packed
from platform_zips import collect, download, run, run_and_left_out, submitted

from autograder.platforms.canvas_collect import Canvas
from autograder.platforms.moodle_collect import Moodle
from autograder.platforms.whose_name import as_in_moodle

pytestmark = pytest.mark.usefixtures("nbgrader")


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
    ("Moodle", "Li Wu_1_assignsubmission_file", "fits 2 students of the roster: Li Wu (li), Li"),
    ("Moodle", "Eve_1_assignsubmission_file", "fits nobody in the roster, by first_name and last_"),
    ("Canvas", "eve_66_1_04_masks.ipynb", "no student has the lms_user_id 66"),
    ("Canvas", "LATE_anon_x1Y2z_1_04_masks.ipynb", "is anonymous. Download it again once the gr"),
    ("Canvas", "x_8_9_y_1042_1_04_masks.ipynb", "fits 2 students of the roster by lms_user_id"),
    ("Canvas", "notes.ipynb", "has no name as Canvas gives it"),
    ("Canvas", "notes.txt", "has no name as Canvas gives it"),
])  # fmt: skip
def test_work_that_nobody_or_two_could_have_done_is_named_and_all_else_is_collected(
    course, platform, name, why, caplog
):
    other = {"Moodle": "Ada Lovelace_2_assignsubmission_file",
             "Canvas": "lovelaceada_1042_1_04_masks.ipynb"}[platform]  # fmt: skip
    inside = "/04_masks.ipynb" if platform == "Moodle" else ""
    download(course, packed([(f"{other}{inside}", "ada"), (f"{name}{inside}", "?")]))
    said, advice = run_and_left_out(platform, caplog)
    assert said.startswith(f"Not collected: submissions.zip/{name} ") and why in said
    assert "correct the roster" in advice
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "ada"}


def test_a_name_that_a_student_chose_within_a_zip_does_not_make_it_somebody_elses(course):
    inner = packed([("wuli_8_1_04_masks.ipynb", "not by Li")])
    download(course, packed([("lovelaceada_1042_88_all.zip", inner)]))
    run("Canvas")
    assert submitted(course) == {"ada/04_masks/wuli_8_1_04_masks.ipynb": "not by Li"}


@pytest.mark.parametrize(("collector", "name", "person", "file"), [
    (Moodle, "Ada Lovelace_1_assignsubmission_file_04_masks.ipynb", "1", "04_masks.ipynb"),
    (Moodle, "Zoë van der Berg_17_assignsubmission_file_", "17", ""),
    (Moodle, "Zoë van der Berg_17_assignsubmission_onlinetext", "17", ""),
    (Canvas, "sekharchandra_12_345_04_masks-1.ipynb", "12", "04_masks-1.ipynb"),
    (Canvas, "sekharchandra_LATE_12_345_1_2_x.ipynb", "12", "1_2_x.ipynb"),
    (Canvas, "van_der_bergada_LATE_12_345_x.ipynb", "12", "x.ipynb"),
    (Canvas, "_12_345_x.ipynb", "12", "x.ipynb"),
    (Canvas, "anon_x1Y2z_345_04_masks.ipynb", "x1Y2z", "04_masks.ipynb"),
    (Canvas, "李小龍_12_345_x.ipynb", "12", "x.ipynb"),
])  # fmt: skip
def test_a_name_says_who_and_what(collector, name, person, file):
    found = collector.readings(name)[0]
    assert (found.person, found.file) == (person, file)


@pytest.mark.parametrize(("roster", "folder"), [
    ("Mary Ann O'Brien", "Mary Ann OBrien"),
    ("Mary Ann O'Brien", "Mary Ann O\N{RIGHT SINGLE QUOTATION MARK}Brien"),
    ("Ada_Augusta  Love|lace", "Ada Augusta Lovelace"),
    ("José <Pepe> Díaz: jr.", "Jose\N{COMBINING ACUTE ACCENT} Pepe Díaz jr."),
])  # fmt: skip
def test_a_name_is_compared_as_moodle_cleans_it_and_as_it_is_unpacked(roster, folder):
    assert as_in_moodle(roster) == as_in_moodle(folder)


def test_two_people_have_two_names_whatever_moodle_leaves_out():
    assert len({as_in_moodle(name) for name in ("Asa", "Åsa", "Ása", "A sa", "Asa 2")}) == 5


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
    collector = "autograder.nbgrader_plugins.Canvas"
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
    ([("ada_1042_1_04_masks.ipynb.txt", b"?")], "there is no notebook, but ada_1042_1_04_masks"),
])  # fmt: skip
def test_whose_work_is_not_clear_or_cannot_be_written_is_left_out_whole_and_alone(
    course, caplog, files, why
):
    download(course, packed([*files, ("wuli_8_1_04_masks.ipynb", "li")]))
    (said,) = run_and_left_out("Canvas", caplog)
    assert said.startswith("Ada Lovelace (ada) was left out: ") and why in said
    assert submitted(course) == {"li/04_masks/04_masks.ipynb": "li"}


def test_a_download_that_was_unpacked_by_hand_is_collected_in_the_same_way(course, caplog):
    download(course, b"li", "wuli_8_1_04_masks.ipynb")
    download(course, GOOD, "mary_7_1_all.zip")
    download(course, b"?", "lovelaceada_1042_1_all.zip")
    (said,) = run_and_left_out("Canvas", caplog)
    assert said.startswith("Ada Lovelace (ada) was left out: lovelaceada_1042_1_all.zip is damaged")
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
    assert run("Canvas") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "good",
                                 "li/04_masks/04_masks.ipynb": "li"}  # fmt: skip
