"""Where a student's notebook is looked for, and what it costs to look."""

import copy
import json

import nbformat
import pytest
from learners import RIGHT, notebook

from autograder.course.course import Course
from autograder.notebooks import discovery
from autograder.notebooks.hand_in import HandIn

NAME = "01_toy.ipynb"
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
    """Looks for notebooks; gives those found, the sentences, and what was read: files, releases."""
    parsed, asked, real = [], [], discovery.read
    monkeypatch.setattr(discovery, "read", lambda path: parsed.append(path) or real(path))

    def look():
        base = folder.parent.parent
        found = discovery.submissions(base, "01_toy", lambda: asked.append(1) or released)
        return *found, len(parsed), len(asked)

    return look


@pytest.mark.parametrize("name", ["plot{}.png", "01_toy_{}.ipynb", "{}.ipynb"])
def test_ten_thousand_stray_files_are_not_read_and_the_release_is_not_either(
    folder, look, solved, name
):
    for number in range(STRAY):
        (folder / name.format(number)).touch()
    (folder / NAME).write_text(solved)
    assert look() == ({"ada": folder / NAME}, [], 0, 0)
    (folder / NAME).unlink()
    assert look()[2:] == (0, 0)


def test_among_more_notebooks_than_a_person_works_in_none_is_chosen_and_that_is_said(
    folder, look, solved
):
    for number in range(discovery.CANDIDATES + 1):
        (folder / f"try {number:02}.ipynb").write_text(solved)
    found, *_, parsed, _ = look()
    assert (found, parsed) == ({"ada": folder / NAME}, 0)
    sentence = str(HandIn.at(found["ada"]).found)
    assert "but try 00.ipynb, try 01.ipynb, try 02.ipynb and more. Give the right one" in sentence


def test_the_release_is_read_once_for_a_class_in_which_nobody_kept_the_name(folder, look, solved):
    for number in range(30):
        other = folder.parent.parent / f"student{number}" / "01_toy"
        other.mkdir(parents=True)
        (other / "my work.ipynb").write_text(solved)
        (other / "draft.ipynb").write_text("{}")
    found, _, parsed, asked = look()
    assert [path.name for path in found.values()] == [NAME, *["my work.ipynb"] * 30]
    assert (parsed, asked) == (60, 1)


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
