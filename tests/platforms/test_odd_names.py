"""What platforms, browsers and systems make of names: read as a person would, or named."""

import logging
from zipfile import ZipInfo

import pytest
from nbgrader.api import Gradebook
from odd_archives import packed, unflagged
from platform_zips import collect, download, moodle, run, run_and_left_out, submitted

pytestmark = pytest.mark.usefixtures("nbgrader")
NOTEBOOK = '{"cells": []}'


@pytest.mark.parametrize("name", ["lovelaceada_1042_text.html", "lovelaceada_LATE_1042_link.html"])
def test_what_was_typed_or_linked_to_in_place_of_a_file_is_named(course, caplog, name):
    download(course, packed([(name, "<p>"), ("wuli_8_1_04_masks.ipynb", "li")]))
    (said,) = run_and_left_out("Canvas", caplog)
    assert said == (f"Ada Lovelace (ada) was left out: there is no notebook, but {name}. "
                    "Ask for the .ipynb file.")  # fmt: skip
    assert submitted(course) == {"li/04_masks/04_masks.ipynb": "li"}


def test_a_text_that_replaces_a_notebook_is_named_and_a_notebook_that_replaces_a_text_is_taken(
    course, caplog
):
    def handed_in(name, year):
        member = ZipInfo(name, (year, 3, 2, 12, 0, 0))
        download(course, packed([(member, str(year))]), f"{year}.zip")

    handed_in("lovelaceada_1042_7_04_masks.ipynb", 2024)
    handed_in("lovelaceada_1042_text.html", 2025)
    (said,) = run_and_left_out("Canvas", caplog)
    assert "there is no notebook, but lovelaceada_1042_text.html" in said
    handed_in("lovelaceada_1042_9_04_masks.ipynb", 2026)
    assert run("Canvas") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "2026"}


@pytest.mark.parametrize(("name", "why", "what_to_do"), [
    ("Lab group 1_77", "looks like a group's hand-in", "submitted/STUDENT/04_masks/"),
    ("Übungsgruppe B_77", "looks like a group's hand-in", "attn groups FILE"),
    ("Default group", "comes from the default group", "submitted/STUDENT/04_masks/"),
    ("Participant_3400", "is an anonymous hand-in", "Reveal the students' identities"),
    ("Teilnehmerin_3400", "is an anonymous hand-in", "download them again"),
    ("Participant 3400", "is an anonymous hand-in", "Reveal"),
])  # fmt: skip
def test_a_group_and_a_hidden_name_are_called_so_and_not_a_fault_of_the_roster(
    course, caplog, name, why, what_to_do
):
    download(course, moodle((name, "?"), ("Ada Lovelace_2", "ada")))
    said, advice = run_and_left_out("Moodle", caplog)
    assert why in said and what_to_do in advice and "correct the roster" not in said + advice
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "ada"}


@pytest.mark.parametrize(("names", "why"), [
    (("Katilimci_1", "Katilimci_2"), "seems to be an anonymous hand-in"),
    (("The Attentives_1", "Transformers_2"), "perhaps groups handed in"),
])  # fmt: skip
def test_where_no_name_fits_anybody_hidden_names_and_groups_are_seen_in_any_language(
    course, caplog, names, why
):
    download(course, moodle(*((name, "?") for name in names)))
    *said, _ = run_and_left_out("Moodle", caplog)
    assert len(said) == 2 and all(why in line for line in said)


def test_without_students_in_the_gradebook_the_roster_is_asked_for(course, caplog):
    (course / "gradebook.db").unlink()
    download(course, moodle(("Ada Lovelace_1", "ada")))
    assert "Import the roster with `attn roster FILE`" in run_and_left_out("Moodle", caplog)[-1]


def test_a_groups_number_makes_nobody_the_owner_of_what_others_of_it_handed_in(course):
    download(course, moodle(("Ada Lovelace_77", "ours"), ("Mary Ann ONeil Berg_77", "ours")))
    everybodys = {f"{who}/04_masks/04_masks.ipynb": "ours" for who in ("ada", "mary")}
    for _ in range(2):
        assert run("Moodle") == 0 and submitted(course) == everybodys


@pytest.mark.parametrize("name", [
    "Lovelace Ada", "Lovelace, Ada", "ada", "ada Ada Lovelace", "Ada Lovelace (1042)",
    "ada@example.org", "1042", "Group A-Ada Lovelace", "ADA LOVELACE",
])  # fmt: skip
def test_a_student_is_known_by_name_id_address_and_number_in_any_order(course, name):
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        book.update_or_create_student("ada", email="Ada@example.org")
    download(course, moodle((f"{name}_1", "ada")))
    assert run("Moodle") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "ada"}


@pytest.mark.parametrize(("shown", "left_out"), [("Ada Lovelace", 0), ("Lovelace Ada", 2)])
def test_two_names_that_differ_in_order_are_told_apart_only_where_the_order_is_known(
    course, caplog, shown, left_out
):
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        book.add_student("gia", first_name="Bao", last_name="Gia")
        book.add_student("bao", first_name="Gia", last_name="Bao")
    download(course, moodle(("Bao Gia_1", "gia"), ("Gia Bao_2", "bao"), (f"{shown}_3", "ada")))
    with caplog.at_level(logging.ERROR):
        assert run("Moodle") == bool(left_out)
    assert sum("fits 2 students" in line for line in caplog.messages) == left_out
    assert len(submitted(course)) == 3 - left_out


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "cp850"])
def test_a_name_without_the_flag_of_utf8_is_read_as_the_student_has_it(course, encoding):
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        book.add_student("zoe", first_name="Zoë", last_name="Müller")
    download(course, unflagged("Zoë Müller_1_assignsubmission_file/04_masks.ipynb", encoding))
    assert run("Moodle") == 0
    assert list(submitted(course)) == ["zoe/04_masks/04_masks.ipynb"]


@pytest.mark.parametrize("name", ["04_masks.IPYNB", "04_masks.ipynb.txt", "04_masks.Ipynb.json"])
def test_a_notebook_that_a_browser_or_a_system_renamed_is_taken_by_its_name(course, name):
    zipped = packed([(f"work/{name}", NOTEBOOK)])
    download(course, packed([(f"lovelaceada_1042_1_{name}", NOTEBOOK),
                             ("wuli_8_2_all.zip", zipped)]))  # fmt: skip
    assert run("Canvas") == 0
    assert submitted(course) == {f"{who}/04_masks/04_masks.ipynb": NOTEBOOK
                                 for who in ("ada", "li")}  # fmt: skip


def test_beside_a_notebook_a_renamed_one_is_named_and_does_not_count(course, caplog):
    folder = "Ada Lovelace_1_assignsubmission_file"
    download(course, packed([(f"{folder}/04_masks.ipynb.txt", NOTEBOOK),
                             (f"{folder}/04_masks.ipynb", "ada")]))  # fmt: skip
    with caplog.at_level(logging.INFO):
        assert run("Moodle") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "ada"}
    assert ("Ada Lovelace (ada): 04_masks.ipynb counts, and not 04_masks.ipynb.txt beside it."
            in caplog.messages)  # fmt: skip


def test_what_a_mac_and_jupyter_put_beside_the_work_is_nobodys_work(course):
    ada = "all/Ada Lovelace_1_assignsubmission_file"
    download(course, packed([
        (f"{ada}/work/04_masks.ipynb", "ada"), (f"__MACOSX/{ada}/work/._04_masks.ipynb", "x"),
        (f"{ada}/work/.ipynb_checkpoints/04_masks-checkpoint.ipynb", "x"), ("all/.DS_Store", "x"),
    ]))  # fmt: skip
    assert run("Moodle") == 0
    assert submitted(course) == {"ada/04_masks/04_masks.ipynb": "ada"}


@pytest.mark.parametrize(("platform", "other"), [("Moodle", "Canvas"), ("Canvas", "Moodle")])
def test_a_download_of_another_platform_says_which_collector_it_needs(
    course, caplog, platform, other
):
    name = {"Moodle": "Ada Lovelace_1_assignsubmission_file/04_masks.ipynb",
            "Canvas": "lovelaceada_1042_1_04_masks.ipynb"}  # fmt: skip
    download(course, packed([(name[platform], "ada")]))
    _, advice = run_and_left_out(other, caplog)
    assert advice == f"Run this again with --collector autograder.nbgrader_plugins.{platform}."
    assert collect(course, platform, [name[platform]])
