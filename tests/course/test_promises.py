"""Each sentence of a docstring that promises something names the cases that try it."""

import json
import shutil

import pytest

from autograder.calls.errors import CourseError
from autograder.calls.files import REPOSITORY
from autograder.course import promises
from autograder.course.solutions import chapter_names, load

SOURCE = '''
def attend(scores, mask):
    """What it does. This is not asked about.

    Args:
        scores: finite. They may be large, as in
            float16.
        mask, other: True = may attend.

    Returns:
        The weights. Their sum is 1: exactly.

    Source of the formula: nobody.
    """
'''


def test_the_sentences_below_the_first_paragraph_are_the_promises():
    assert promises.promises(SOURCE, "attend") == [
        "finite.", "They may be large, as in float16.", "True = may attend.", "The weights.",
        "Their sum is 1: exactly.",
    ]  # fmt: skip


@pytest.fixture
def toy_copy(toy_root, tmp_path):
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    return tmp_path


def faults(root, known):
    path = root / "solutions" / "01_toy" / promises.PROMISES
    path.write_text(known if isinstance(known, str) else json.dumps(known))
    chapter = load(root, "01_toy")
    return list(promises.of_exercise(chapter, chapter.exercises["normalise"]))


def test_what_has_no_case_is_told_and_so_is_what_nobody_says(toy_copy):
    chapter = load(toy_copy, "01_toy")
    assert list(promises.of_exercise(chapter, chapter.exercises["normalise"])) == []
    told = faults(toy_copy, {"normalise": {"Never said.": ["no such case"]}})
    assert any("has what normalise does not say: Never said." in fault for fault in told)
    assert any("a case that normalise does not have: no such case" in fault for fault in told)
    missing = [fault.split(" for: ")[1] for fault in told if "names no case" in fault]
    assert faults(toy_copy, {"normalise": {key: [promises.EVERY] for key in missing}}) == []


def test_a_file_of_promises_that_is_damaged_is_told(toy_copy):
    with pytest.raises(CourseError, match=r"promises.json cannot be read"):
        faults(toy_copy, "[1]")


@pytest.mark.parametrize("name", chapter_names(REPOSITORY))
def test_every_promise_of_every_chapter_has_a_case(name):
    chapter = load(REPOSITORY, name)
    assert (chapter.folder / promises.PROMISES).is_file()
    for exercise in chapter.exercises.values():
        assert list(promises.of_exercise(chapter, exercise)) == []
