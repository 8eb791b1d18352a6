"""A command is about the course around the current folder, and about no other."""

import shutil

import pytest

from autograder.chapters.course_root import class_root, course_root
from autograder.cli import main
from autograder.common.errors import CourseError
from autograder.common.files import REPOSITORY


@pytest.fixture
def course(toy_root, tmp_path):
    """A course outside this repository."""
    root = shutil.copytree(toy_root, tmp_path / "course")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    return root


@pytest.fixture
def empty(tmp_path):
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def said(capsys):
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("below", [".", "solutions", "solutions/01_toy", "exercises/01_toy"])
def test_the_course_is_found_from_any_folder_in_it(course, below, monkeypatch):
    monkeypatch.chdir(course / below)
    assert course_root() == course


def test_the_nearest_course_counts(course, monkeypatch):
    inner = course / "inner"
    (inner / "solutions").mkdir(parents=True)
    (inner / "nbgrader_config.py").touch()
    monkeypatch.chdir(inner / "solutions")
    assert course_root() == inner


@pytest.mark.parametrize(
    "words", ["release", "selftest", "grade 01_toy", "simulate 01_toy", "feedback 01_toy",
              "report 01_toy", "similar 01_toy", "explain ada 01_toy average",
              "accept ada 01_toy average", "extend ada 01_toy --days 1", "roster list.csv",
              "package zip 01_toy", "package github 01_toy", "package gradescope 01_toy",
              "new chapter 01_sums", "new exercise 01_sums total"]
)  # fmt: skip
def test_where_there_is_no_course_every_command_says_so_and_writes_nothing(
    words, empty, monkeypatch, capsys
):
    monkeypatch.chdir(empty)
    assert main(words.split()) == 2
    assert f"There is no course in {empty} or above it" in said(capsys)
    if words != "simulate 01_toy":  # which makes a class in a folder that it is given
        assert main([*words.split(), "--root", str(empty)]) == 2
        assert f"There is no course in {empty}: it has no folder solutions/" in said(capsys)
    assert list(empty.iterdir()) == []


def test_a_mistyped_root_is_told(empty, capsys):
    assert main(["selftest", "--root", str(empty / "coruse")]) == 2
    assert f"--root{empty}/coruseisnotafolder." in said(capsys).replace(" ", "")


def test_an_unknown_chapter_is_answered_with_the_chapters_of_that_course(
    course, monkeypatch, capsys
):
    monkeypatch.chdir(course)
    assert main(["selftest", "01_tpyo"]) == 2
    assert said(capsys).endswith("chapters: 01_toy, 02_more, 03_changes.")


def test_a_class_in_a_folder_of_its_own_has_links_to_the_course_that_it_was_made_in(
    course, tmp_path, monkeypatch
):
    monkeypatch.chdir(course / "solutions")
    root = class_root(tmp_path / "class")
    assert {path.name: path.resolve() for path in root.iterdir()} == {
        name: course / name for name in ("nbgrader_config.py", "solutions", "exercises")
    }
    monkeypatch.chdir(root)
    assert course_root() == course_root(root) == class_root(root) == root


def test_no_class_is_made_of_no_course(empty, tmp_path, monkeypatch):
    monkeypatch.chdir(empty)
    with pytest.raises(CourseError, match="There is no course"):
        class_root(tmp_path / "class")
    assert not (tmp_path / "class").exists()
