"""A learning platform's zip becomes `submitted/`, by nbgrader's own zip_collect."""

import errno
import logging
import os
import shutil
from pathlib import Path
from zipfile import ZipInfo

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import ZipCollectApp
from odd_archives import BAD, GOOD, NAME, packed

from autograder.calls.files import REPOSITORY
from autograder.lms.platform_collect import Canvas, Moodle, as_in_moodle

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
    assert run(platform) == 0
    return submitted(course)


def download(course, data, name="submissions.zip"):
    """Put a file where it is collected from."""
    place = course / "downloaded" / "04_masks" / "archive"
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)


def run(platform, *arguments):
    """The command in this process; gives the exit code with which it ends."""
    app = ZipCollectApp()
    app.initialize(["04_masks", "--collector", f"autograder.lms_collect.{platform}", *arguments])
    app.log.propagate = True
    with pytest.raises(SystemExit) as ended:
        app.start()
    return ended.value.code


def run_and_left_out(platform, caplog, *arguments):
    """Collect while something cannot be; gives the sentences."""
    caplog.clear()
    with caplog.at_level(logging.ERROR):
        assert run(platform, *arguments) == 1
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
    ("Moodle", "Li Wu_1_assignsubmission_file", "fits 2 students of the roster: Li Wu (li), Li"),
    ("Moodle", "Eve_1_assignsubmission_file", "fits nobody in the roster, by first_name and last_"),
    ("Canvas", "eve_66_1_04_masks.ipynb", "no student has the lms_user_id 66"),
    ("Canvas", "LATE_anon_x1Y2z_1_04_masks.ipynb", "is anonymous. Download it again once the gr"),
    ("Canvas", "x_8_9_y_1042_1_04_masks.ipynb", "fits 2 students of the roster by lms_user_id"),
    ("Canvas", "notes.ipynb", "has no name as Canvas gives it"),
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


def moodle(*files, year=2026):
    """A download: folder and content of each notebook, packed in a year."""

    def member(folder, name="04_masks.ipynb"):
        return ZipInfo(f"{folder}_assignsubmission_file/{name}", (year, 3, 2, 12, 0, 0))

    return packed([(member(folder), content) for folder, content in files])


def kept(course):
    """What newer hand-ins have replaced."""
    base = course / "downloaded" / "04_masks" / "replaced"
    return {path.relative_to(base).as_posix(): path.read_text() for path in base.rglob("*.ipynb")}


def test_a_second_download_replaces_the_first_by_the_newest_and_keeps_what_it_replaces(
    course, caplog
):
    download(course, moodle(("Ada Lovelace_1", "one"), ("Mary Ann ONeil Berg_2", "m"), year=2025))
    assert run("Moodle") == 0
    second = moodle(("Ada Lovelace_1", "two"), ("Mary Ann ONeil Berg_2", "m"))
    download(course, second, "a later one.zip")  # beside the first
    with caplog.at_level(logging.INFO):
        assert run("Moodle") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "two",
                                 "mary/04_masks/04_masks.ipynb": "m"}  # fmt: skip
    assert kept(course) == {"ada/1/04_masks.ipynb": "one"}
    assert ("Ada Lovelace (ada): a newer hand-in replaces the earlier one, kept in "
            "downloaded/04_masks/replaced/ada/1.") in caplog.messages  # fmt: skip
    assert "Collected: 0 new, 1 replaced, 1 as before; 0 left out." in caplog.messages


def test_what_a_teacher_mended_in_submitted_stays_until_the_student_hands_in_something_new(course):
    download(course, moodle(("Ada Lovelace_1", "one"), year=2025))
    assert run("Moodle") == 0
    (course / "submitted" / "ada" / "04_masks" / "04_masks.ipynb").write_text("mended")
    assert run("Moodle") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "mended"} and kept(course) == {}
    download(course, moodle(("Ada Lovelace_1", "two")))
    assert run("Moodle") == 0
    assert kept(course) == {"ada/1/04_masks.ipynb": "mended"}


def test_an_older_download_does_not_replace_a_newer_one(course):
    download(course, moodle(("Ada Lovelace_1", "two")))
    assert run("Moodle") == 0
    download(course, moodle(("Ada Lovelace_1", "one"), year=2025))
    assert run("Moodle") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "two"}


def test_a_newer_hand_in_that_is_damaged_leaves_the_earlier_one(course, caplog):
    download(course, packed([("lovelaceada_1042_1_04_masks.ipynb", "one")]))
    assert run("Canvas") == 0
    download(course, packed([("lovelaceada_1042_2_all.zip", "?")]), "later.zip")
    (said,) = run_and_left_out("Canvas", caplog)
    assert said.startswith("Ada Lovelace (ada) was left out: lovelaceada_1042_2_all.zip is damaged")
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "one"} and kept(course) == {}
    download(course, packed([("lovelaceada_1042_3_04_masks.ipynb", "three")]), "last.zip")
    assert run("Canvas") == 0  # nobody needs to know of the damaged one any more
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "three"}


def test_of_one_notebook_handed_in_twice_canvas_numbers_the_last_one_highest(course, caplog):
    download(course, packed([("lovelaceada_1042_100_04_masks-1.ipynb", "two"),
                             ("lovelaceada_1042_99_04_masks.ipynb", "one"),
                             ("lovelaceada_1042_98_plot-1.ipynb", "p")]))  # fmt: skip
    with caplog.at_level(logging.INFO):
        assert run("Canvas") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "two",
                                 "ada/04_masks/plot-1.ipynb": "p"}  # fmt: skip
    assert ("Ada Lovelace (ada) handed in 04_masks.ipynb 2 times; the last one counts."
            in caplog.messages)  # fmt: skip


def test_a_number_that_canvas_could_have_given_to_two_is_whose_name_it_follows(course):
    files = ["lovelaceada_1042_8_04_masks.ipynb", "wuli_8_1042_04_masks.ipynb"]
    assert collect(course, "Canvas", files) == {"ada/04_masks/04_masks.ipynb": files[0]} | {
        "li/04_masks/04_masks.ipynb": files[1]
    }


def test_one_name_with_two_numbers_of_moodle_is_nobodys_also_in_a_later_download(course, caplog):
    download(course, moodle(("Ada Lovelace_1", "ada"), ("Ada Lovelace_2", "another")))
    (said,) = run_and_left_out("Moodle", caplog)
    assert "has this name twice, with the numbers 1 and 2" in said and submitted(course) == {}
    download(course, moodle(("Ada Lovelace_1", "ada")))
    assert run("Moodle") == 0
    download(course, moodle(("Ada Lovelace_2", "another"), year=2027))
    (said,) = run_and_left_out("Moodle", caplog)
    assert "has another number than Ada Lovelace_1_assignsubmission_file" in said
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "ada"}
    assert run("Moodle", "--force") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "another"}


def test_whose_a_folder_was_once_is_known_by_its_number_in_a_later_download(course):
    """Two students are called Li Wu; the teacher has named the first download's folder li2."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        book.update_or_create_student("li2", first_name="Li", last_name="Wu (2)")
    download(course, moodle(("Li Wu_7", "one"), ("Li Wu (2)_9", "two"), year=2025))
    assert run("Moodle") == 0
    download(course, moodle(("Li Wu_7", "three"), ("Li Wu_9", "four")))
    assert run("Moodle") == 0
    assert submitted(course) == {"li/04_masks/04_masks.ipynb": "three",
                                 "li2/04_masks/04_masks.ipynb": "four"}  # fmt: skip


def test_every_accident_in_one_zip_costs_only_those_whom_it_befalls(course, caplog):
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        for student, first, last in [("sean", "Seán", "O'Brien"), ("jose", "José  ", "de la Cruz"),
                                     ("late", "Late", "Again"), ("li3", "小龍", "李")]:  # fmt: skip
            book.add_student(student, first_name=first, last_name=last)
    good = {"Seán OBrien_11": "sean", "Jose\N{COMBINING ACUTE ACCENT} de la Cruz_12": "jose",
            "小龍 李_13": "li3", "Mary Ann ONeil Berg_14": "mary"}  # fmt: skip
    bad = [("Li Wu_15", "?"), ("Li Wu_16", "?"), ("Stranger_17", "?"), ("Participant_18", "?")]
    first = [*good.items(), *bad, ("Late Again_19", "early")]
    later = [(ZipInfo("Ada Lovelace_20_assignsubmission_file/all.zip"), "damaged")]
    download(course, moodle(*first, year=2025), "first.zip")
    download(course, moodle(("Late Again_19", "late")), "second.zip")
    download(course, packed(later), "third.zip")
    *said, advice = run_and_left_out("Moodle", caplog)
    assert submitted(course) == {
        f"{student}/04_masks/04_masks.ipynb": student for student in [*good.values(), "late"]
    }
    assert [line.split(" was left out")[0].split("_assign")[0] for line in said] == [
        "Ada Lovelace (ada)",
        *(f"Not collected: first.zip/{name}" for name, _ in bad),
    ]
    assert "run this again" in advice
