"""Where a student's notebook is looked for, and what it costs to look."""

import copy
import json
import os

import nbformat
import pytest
from learners import RIGHT, notebook

from autograder.course.course import Course
from autograder.notebooks import candidates, discovery, listing, weighing
from autograder.notebooks.hand_in import HandIn

NAME = "01_toy.ipynb"
CHAPTERS = ["01_toy", "02_more", "03_changes"]
STRAY = 10_000


@pytest.fixture
def solved(released):
    return nbformat.writes(notebook(copy.deepcopy(released), RIGHT))


@pytest.fixture
def folder(tmp_path):
    """Of one student, in a course without a release of its own."""
    place = tmp_path / "submitted" / "ada" / "01_toy"
    place.mkdir(parents=True)
    return place


@pytest.fixture
def look(folder, released, monkeypatch):
    """Gives the notebooks found, the sentences, and what was read so far: files, releases."""
    parsed, asked, real = [], [], weighing.parse
    monkeypatch.setattr(weighing, "parse", lambda *one: parsed.append(one) or real(*one))
    monkeypatch.setattr(weighing.Scale, "_known", {})

    def look():
        base = folder.parent.parent
        there = discovery.submissions(base, "01_toy", lambda: asked.append(1) or released, CHAPTERS)
        return there.notebooks, there.passed_over, len(parsed), len(asked)

    return look


@pytest.mark.parametrize("name", ["plot{}.png", "01_toy_{}.png", "01_toy_{}.ipynb", "{}.ipynb"])
def test_ten_thousand_stray_files_are_not_read(folder, look, solved, name):
    for number in range(STRAY):
        (folder / name.format(number)).touch()
    (folder / NAME).write_text(solved)
    found, told, *read = look()
    assert (found, told) == ({"ada": folder / NAME}, [])
    assert read in ([0, 0], [1, 1])  # none, or the one with the chapter's name
    (folder / NAME).unlink()
    assert list(look()[2:]) == read


def test_among_more_notebooks_than_a_person_works_in_none_is_chosen_and_that_is_said(
    folder, look, solved
):
    for number in range(candidates.CANDIDATES + 1):
        (folder / f"try {number:02}.ipynb").write_text(solved)
    found, *_, parsed, _ = look()
    assert (found, parsed) == ({"ada": folder / NAME}, 0)
    sentence = str(HandIn.at(found["ada"]).found)
    assert "but try 00.ipynb, try 01.ipynb, try 02.ipynb and 18 more. Give the" in sentence


def test_the_release_is_read_once_for_a_class_in_which_nobody_kept_the_name(folder, look, solved):
    for number in range(30):
        other = folder.parent.parent / f"student{number}" / "01_toy"
        other.mkdir(parents=True)
        (other / "my work.ipynb").write_text(solved)
        (other / "draft.ipynb").write_text("{}")
    found, _, parsed, asked = look()
    assert [path.name for path in found.values()] == [NAME, *["my work.ipynb"] * 30]
    assert (parsed, asked) == (2, 1)  # they are the same


def test_folders_of_other_chapters_are_not_looked_at(folder, look, solved):
    (folder / NAME).write_text(solved)
    for number in range(30):
        for chapter in CHAPTERS:
            other = folder.parent.parent / f"student{number}" / chapter
            other.mkdir(parents=True)
            (other / NAME).write_text(solved)
    found, told, parsed, asked = look()
    assert len(found) == 31
    assert (told, parsed, asked) == ([], 0, 0)


def test_a_folder_of_twenty_thousand_files_or_a_hundred_levels_is_looked_at_up_to_a_limit(
    folder, look, solved, monkeypatch
):
    monkeypatch.setattr(listing, "ENTRIES", 100)
    for number in range(150):
        (folder / f"{number:03}.txt").touch()
    (folder / "work").mkdir()
    (folder / "work" / NAME).write_text(solved)
    assert look()[2] == 0
    for path in folder.glob("*.txt"):
        path.unlink()
    assert look()[2] == 1
    deep = folder / "work" / "/".join("a" * 100)
    deep.mkdir(parents=True)
    (folder / "work" / NAME).rename(deep / NAME)
    assert look()[2] == 1


def test_a_link_to_all_of_the_machine_is_not_followed(folder, look):
    (folder / "work").symlink_to("/")
    (folder / "old.zip").symlink_to("/dev/zero")
    os.mkfifo(folder / "01_toy-Copy1.ipynb")
    os.mkfifo(folder / "new.zip")
    assert look() == ({"ada": folder / NAME}, [], 0, 0)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("Toy", True), ("01-toy", True), ("01_toy (1)", True), ("toys", True), ("chapter 1", True),
     ("HW01", True), ("1", True), ("01_more", False), ("10", False), ("old", False)])  # fmt: skip
def test_a_folder_that_may_be_meant_for_the_chapter_is_told_of(folder, look, name, meant):
    (folder.parent.parent / "bob" / name).mkdir(parents=True)
    sentence = (f"In {folder.parent.parent}, bob/{name} may be meant for 01_toy, but no answers to "
                "it were found there. If it is, rename it to 01_toy.")  # fmt: skip
    assert look()[:2] == ({"ada": folder / NAME}, [sentence] if meant else [])


def test_what_lies_beside_a_chapters_folder_with_answers_is_told_of(folder, look, solved):
    (folder / NAME).write_text(solved)
    other = folder.parent / "01_toy (1)"
    other.mkdir()
    (other / NAME).write_text(solved)
    found, (sentence,), *_ = look()
    assert found == {"ada": folder / NAME}
    assert "ada/01_toy (1) holds answers to 01_toy, but what is in the folder 01_toy" in sentence


def test_folders_of_several_students_in_one_are_nobodys(folder, look, released):
    for student, average in {"bob": RIGHT["average"], "eve": "average = None"}.items():
        place = folder.parent.parent / "group 7" / student / "01_toy"
        place.mkdir(parents=True)
        written = notebook(copy.deepcopy(released), RIGHT | {"average": average})
        (place / NAME).write_text(nbformat.writes(written))
    found, told, *_ = look()
    assert list(found) == ["ada"]
    assert [f"group 7/{student} holds answers to 01_toy, but so do others. Put what counts into "
            "group 7/01_toy." in one for student, one in zip(["bob", "eve"], told, strict=True)
            ] == [True, True]  # fmt: skip


def test_a_folder_with_the_name_of_a_chapter_is_no_students(folder, look, solved):
    place = folder.parent.parent / "02_more" / "bob"
    place.mkdir(parents=True)
    (place / NAME).write_text(solved)
    found, (sentence,), *_ = look()
    assert list(found) == ["ada"]
    assert "has a chapter's name, not a student's; work lies in STUDENT/01_toy/." in sentence


def test_what_is_handed_in_later_or_beside_it_is_graded_again(folder, released, solved):
    (folder / NAME).write_text(nbformat.writes(released))
    marks = [mark(folder, released)]
    (folder / "final.ipynb").write_text(solved)
    marks.append(mark(folder, released))
    (folder / "old").mkdir()
    (folder / "old" / "x.ipynb").write_text(solved.replace("keepdim=True", "keepdim=False"))
    marks.append(mark(folder, released))
    (folder / "final.ipynb").rename(folder / NAME)
    marks.append(mark(folder, released))
    assert len({*marks}) == 4
    assert mark(folder, released) == marks[-1]


def mark(folder, released):
    found = discovery.notebook_of(folder, "01_toy", lambda: released)
    return HandIn.at(found.path, *found.notes).mark


def test_a_students_folder_that_begins_with_a_dot_is_told_of(folder):
    submitted = folder.parent.parent
    (submitted / ".eve" / "01_toy").mkdir(parents=True)
    for other in (".git", ".ipynb_checkpoints"):
        (submitted / other / "objects").mkdir(parents=True)
    (submitted / ".DS_Store").write_text(json.dumps({}))
    (told,) = Course(submitted.parent).passed_over("01_toy")
    assert told == (f".eve in {submitted} begins with a dot, so nbgrader does not see it; "
                    "rename the folder.")  # fmt: skip
    assert list(Course(submitted.parent).submissions("01_toy")) == ["ada"]
