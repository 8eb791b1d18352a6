"""A student's folder whose name is nearly an id, or none that nbgrader can use, is named."""

import shutil

import pytest
from terminal import grade

from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course.course import Course

MAC, OTHERS = "Zoe\u0308", "Zo\u00eb"


@pytest.fixture
def hand_in(toy_root, tmp_path, sandbox):
    """Gives a course in which folders of these names were handed in."""
    root = shutil.copytree(toy_root, tmp_path / "class")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)

    def hand_in(*names):
        for name in names:
            shutil.copytree(root / "exercises" / "01_toy", root / "submitted" / name / "01_toy")
        return root

    return hand_in


def test_a_folder_that_is_nearly_a_students_is_told_how_and_graded_under_its_own_name(
    hand_in, capsys
):
    root = hand_in("ada", MAC, OTHERS, "eve")
    with Course(root).gradebook() as book:
        for student in ("Ada", OTHERS):
            book.add_student(student, email=f"{student}@example.org")
    assert grade(root) == 0
    _, *told = capsys.readouterr().err.splitlines()[:3]
    assert told == [
        f"submitted/{MAC}: the roster has {OTHERS}, with other characters for ë; move what counts "
        f"into submitted/{OTHERS}, which also exists.",
        "submitted/ada: the roster has Ada, with other capitals; rename the folder.",
    ]
    assert {path.name for path in root.glob("autograded/*")} == {"ada", MAC, OTHERS, "eve"}


def test_each_name_that_is_graded_gets_feedback_and_others_are_named(hand_in, capsys):
    usable = {"$HOME", "{x}", "%20", "~", "a+b", "dot.", "é" * 127}
    blank = {" lead", "trail ", "wide\u3000"}
    root = hand_in(*usable, *blank)
    assert grade(root) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert told.count("begins or ends with a blank, which nbgrader leaves out; rename") == 3
    assert main(["feedback", "01_toy", "--root", str(root)]) == 0
    assert {path.parts[-3] for path in root.glob("feedback/*/01_toy/01_toy.html")} == usable
