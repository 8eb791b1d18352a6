"""Whatever a student hands in gets a true verdict, one sentence, and costs nobody else a mark."""

import copy
import json
import os
import re
import shutil

import nbformat
import pytest
from nbgrader.api import Gradebook
from odd_notebooks import CASES, EXERCISES, NAME, text

from autograder.cli import main
from autograder.course.course import Course, CourseError
from autograder.grading.journal import Journal
from autograder.notebooks.chapter import reference
from autograder.notebooks.hand_in import NotebookError
from autograder.notebooks.splice import splice
from autograder.notebooks.submission import read

STUDENTS = {
    "a space": "Ada Lovelace",
    "a dash": "-rf",
    "a formula": "=1+1",
    "an accent": "Zoë",
    "255 bytes": "n" * 255,
    "markup": "<b>{student}",
}
PLACE = re.compile("was graded|Not looked at|No exercise of")  # in a note on what was found where
NOBODY = {"a newline": "two\nlines", "an escape": "\x1b[31mred", "bytes": os.fsdecode(b"\xff\xfe"),
          "a pattern": "*"}  # fmt: skip


@pytest.fixture(scope="module")
def solved(toy, toy_root):
    """The released notebook as JSON, every exercise solved."""
    notebook = Course(toy_root).released("01_toy")
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = reference(toy).get(name, cell.source)
    return json.loads(nbformat.writes(notebook))


@pytest.fixture(scope="module")
def root(toy_root, solved, sandbox, tmp_path_factory):
    """A class in which every odd case is a student, graded with the real command."""
    root = tmp_path_factory.mktemp("odd")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    for name, case in CASES.items():
        case.write(_folder(root, name), copy.deepcopy(solved))
    for name in (*STUDENTS.values(), *NOBODY.values()):
        (_folder(root, name) / NAME).write_text(text(solved))
    (root / "submitted" / "linked").symlink_to(root / "submitted" / "byte_order_mark")
    (root / "submitted" / "ada.ipynb").write_text(text(solved))
    (root / "submitted" / ".hidden" / "01_toy").mkdir(parents=True)
    assert main(["grade", "01_toy", "--root", str(root), "--results", str(root / "r.jsonl")]) == 0
    return root


def _folder(root, student):
    folder = root / "submitted" / student / "01_toy"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def rows(root):
    found = [json.loads(line) for line in (root / "r.jsonl").read_text().splitlines()]
    return {(row["student"], row["exercise"]): row for row in found}


@pytest.fixture(scope="module")
def notes(root):
    journal = Journal(Course(root).journal("01_toy"))
    return {student: journal.entry(student)["notes"] for student in CASES}


@pytest.mark.parametrize("name", CASES)
def test_an_odd_submission_gets_the_verdicts_and_the_sentence_that_a_teacher_expects(rows, name):
    case = CASES[name]
    mine = [rows[name, exercise] for exercise in EXERCISES]
    assert tuple(row["verdict"] for row in mine) == case.verdicts
    assert all(case.sentence in row["message"] for row in mine if row["verdict"] != "passed")
    assert [bool(row["points"]) for row in mine] == [kind == "passed" for kind in case.verdicts]


@pytest.mark.parametrize("name", CASES)
def test_the_teacher_is_told_where_a_notebook_was_found_and_which_one_was_graded(notes, name):
    about_places = [note for note in notes.get(name, []) if PLACE.search(note)]
    if CASES[name].note:
        assert any(CASES[name].note in note for note in about_places), about_places
    else:
        assert not about_places


@pytest.mark.parametrize("name", STUDENTS.values(), ids=STUDENTS)
def test_a_student_may_be_called_anything_that_nbgrader_can_store(root, rows, name):
    assert {rows[name, exercise]["verdict"] for exercise in EXERCISES} == {"passed"}
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        assert book.find_submission("01_toy", name).score == sum(
            rows[name, exercise]["points"] for exercise in EXERCISES
        )


def test_a_folder_that_can_be_nobodys_is_named_for_the_teacher_and_gets_no_mark(root, rows):
    told = Course(root).passed_over("01_toy")
    assert len(told) == len(NOBODY) + len(["linked", "ada.ipynb", ".hidden"])
    assert all(sentence.isprintable() for sentence in told)
    for part in (
        "linked",
        "ada.ipynb",
        ".hidden",
        r"'two\nlines'",
        r"'\x1b[31mred'",
        r"'\udcff\udcfe'",
        "* in",
    ):
        assert sum(part in sentence for sentence in told) == 1
    assert {student for student, _ in rows} == {*CASES, *STUDENTS.values()}


def test_nbgrader_makes_feedback_for_every_student_of_the_class(root, nbgrader):
    shutil.copy("nbgrader_config.py", root)
    nbgrader(root, "generate_feedback", "01_toy")
    pages = {path.parent.parent.name for path in root.glob("feedback/*/01_toy/01_toy.html")}
    assert pages == {*CASES, *STUDENTS.values()}


def test_the_same_submission_is_read_in_the_same_way_again(root):
    released, course = Course(root).released("01_toy"), Course(root)

    def taken(path):
        try:
            return splice(released, read(path))
        except NotebookError as error:
            return str(error)

    one, two = ({name: taken(path) for name, path in course.submissions("01_toy").items()}
                for _ in range(2))  # fmt: skip
    assert one == two


def test_a_class_of_nothing_but_unusable_folders_is_refused_with_the_reason(toy_root, tmp_path):
    (tmp_path / "submitted").mkdir()
    (tmp_path / "submitted" / "ada.ipynb").write_text("{}")
    with pytest.raises(CourseError, match=r"No submissions in .* ada\.ipynb in .* is not a folder"):
        Course(tmp_path).submissions("01_toy")
