"""Of several downloads, and of several hand-ins in one, the newest work counts and none is lost."""

import logging
from zipfile import ZipInfo

import pytest
from nbgrader.api import Gradebook
from odd_archives import packed
from platform_zips import collect, download, moodle, run, run_and_left_out, submitted

from autograder.platforms.newest import Download, Fate, decide

pytestmark = pytest.mark.usefixtures("nbgrader")


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
    assert "Collected: 0 new, 1 replaced, 1 unchanged; 0 left out." in caplog.messages


@pytest.mark.parametrize(("there", "before", "fate"), [
    (None, None, "NEW"),
    (("b",), None, "REPLACED"),  # put there by hand
    (("new",), None, "SAME"),
    (("mended",), ("Moodle", "1", 1, "new"), "SAME"),
    (("a",), ("Moodle", "1", 1, "a"), "REPLACED"),
    (("a",), ("Moodle", "1", 3, "a"), "OLDER"),
    (("a",), ("Moodle", "2", 3, "a"), "CONFLICT"),
    (("a",), ("Canvas", "2", 3, "a"), "REPLACED"),
])  # fmt: skip
def test_what_is_there_decides_what_becomes_of_a_hand_in(there, before, fate):
    earlier = None
    if before:
        platform, person, order, notebook = before
        earlier = Download("ada", platform, person, "Ada", (order,), (notebook,))
    now = Download("ada", "Moodle", "1", "Ada", (2,), ("new",))
    assert decide(there, earlier, ("new",), now) == Fate[fate]


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
    *said, mend, reveal = run_and_left_out("Moodle", caplog)
    assert submitted(course) == {
        f"{student}/04_masks/04_masks.ipynb": student for student in [*good.values(), "late"]
    }
    assert [line.split(" was left out")[0].split("_assign")[0] for line in said] == [
        "Ada Lovelace (ada)",
        *(f"Not collected: first.zip/{name}" for name, _ in bad),
    ]
    assert "run this again" in mend and "Reveal the students' identities" in reveal
