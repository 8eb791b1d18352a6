"""A class with written answers to be marked, and the page on which that is done."""

import shutil

import pytest
import written_class
from mark_window import opened
from small_class import CHAPTER, QUESTION, TEXTS

from autograder.cli import main
from autograder.common.files import REPOSITORY


@pytest.fixture(scope="session")
def prepared(toy_root, tmp_path_factory):
    """The course, whose six students were graded; gus has left the answer as it was released."""
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("marking") / "course")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    texts = {student: {QUESTION: text} for student, text in TEXTS.items()}
    course = written_class.write(root, CHAPTER, {**texts, "gus": {}})
    with course.gradebook() as book:
        book.update_or_create_student("ada", first_name="Ada", last_name="Lovelace")
    assert main(["mark", CHAPTER, "--root", str(root)]) == 0
    return root


@pytest.fixture
def root(prepared, tmp_path, nbgrader):
    return shutil.copytree(prepared, tmp_path / "course")


@pytest.fixture
def attn(root, capsys, monkeypatch):
    """Run `attn mark`; its exit status and all that it said, on one line."""
    monkeypatch.setenv("COLUMNS", "1000")  # else a long path is broken at its dot

    def run(*words):
        status = main(["mark", "--root", str(root), *map(str, words)])
        said = capsys.readouterr()
        return status, " ".join((said.out + said.err).split())

    return run


@pytest.fixture
def marks(root):
    """What the gradebook has by hand for each student's answer: points, waiting, comment."""

    def read():
        course = written_class.Course(root)
        with course.gradebook() as book:
            found = {}
            for row in book.assignment_submissions(CHAPTER):
                place = QUESTION, CHAPTER, CHAPTER, row.student.id
                grade, comment = book.find_grade(*place), book.find_comment(*place)
                waits = bool(grade.needs_manual_grade)
                found[row.student.id] = (grade.manual_score, waits, comment.manual_comment)
        return found

    return read


@pytest.fixture
def page(root):
    """The path of the page, which was written with the course."""
    return root / "marking" / f"{CHAPTER}.html"


@pytest.fixture
def window(browser, page, tmp_path):
    with opened(browser, page, tmp_path) as window:
        yield window
        assert not window.errors
