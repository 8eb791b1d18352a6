"""Each sentence of a docstring that promises something names the cases that try it."""

import re

import pytest

from autograder.authoring import promises
from autograder.chapters.solutions import chapter_names, load
from autograder.common.errors import CourseError
from autograder.common.files import REPOSITORY

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
def said_of(root, folder):
    """What is told of an exercise, where the file of `normalise` ends with these lines."""
    text, path = folder / "01_toy.md", folder / "normalise.py"
    docstring = '"""Rows that sum to 1.\n\n    Positive. In a dtype of theirs.\n    """'
    text.write_text(re.sub(r'"""values: .*"""', docstring, text.read_text(), count=1))
    own = path.read_text()

    def said_of(name, *lines):
        path.write_text("\n".join([own, *lines]))
        chapter = load(root, "01_toy")
        return list(promises.of_exercise(chapter, chapter.exercises[name]))

    return said_of


def test_a_chapter_may_say_nothing_of_its_cases(said_of):
    assert said_of("normalise") == said_of("average") == []


def test_a_sentence_without_a_case_is_told_with_its_place(said_of):
    first = 'exercise.promise("Positive", "one row", "half precision")'
    (fault,) = said_of("normalise", first)
    assert re.search(r"01_toy.md, line \d+: no exercise.promise in normalise.py", fault)
    assert fault.endswith("says what tries: In a dtype of theirs.")
    second = 'exercise.promise("In a dtype", "every case")'
    assert said_of("normalise", first, second) == said_of("average", first) == []


@pytest.mark.parametrize(
    ("arguments", "slip"),
    [
        ('"Negative", "one row"', "no sentence of the docstring contains 'Negative'. Copy a part"),
        ('"i", "one row"', "2 sentences of the docstring contain 'i'. Give more of one."),
        ('"Positive", "one colum"', "there is no case 'one colum'. Name one of the exercise."),
        ('"Positive"', "'Positive' names no case. Name those that try it, EVERY or UNTRIED."),
    ],
)
def test_a_promise_that_is_of_nothing_is_told_with_its_line(said_of, folder, arguments, slip):
    whole = ['exercise.promise("Positive.", "every case")', 'exercise.promise("In a", "one row")']
    (fault,) = said_of("normalise", *whole, f"exercise.promise({arguments})")
    line = len((folder / "normalise.py").read_text().splitlines())
    assert fault.startswith(f"{folder / 'normalise.py'}, line {line}: {slip}")


def test_a_list_of_names_is_refused_with_its_line(said_of):
    with pytest.raises(
        CourseError, match=r"normalise.py, line \d+: TypeError: a promise is of texts"
    ):
        said_of("normalise", 'exercise.promise("Positive", ["one row"])')


@pytest.mark.parametrize("name", chapter_names(REPOSITORY))
def test_every_promise_of_every_chapter_has_a_case(name):
    chapter = load(REPOSITORY, name)
    for exercise in chapter.exercises.values():
        assert exercise.promises
        assert list(promises.of_exercise(chapter, exercise)) == []
