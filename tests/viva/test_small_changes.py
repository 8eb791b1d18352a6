"""Small changes of a student's own code: the text around them stays as it was."""

import ast

import pytest

from autograder.authoring.mutants import mutants
from autograder.chapters.solutions import chapter_names, load
from autograder.common.files import REPOSITORY
from autograder.notebooks.chapter import reference
from autograder.viva.small_changes import UNNATURAL, WIDTH, Code, changes

INDENT = 12  # before a line, which the name of a mutant does not have
SOURCE = '''import math  # mine

def helper(x):
    return x


def attend(query, key,
           größe):  # „schön“ = 7
    """Says
    nothing."""
    # the scores come first
    scores = (query @ key.mT  # two lines
              / math.sqrt(query.size(-1)))
    if größe and scores.size(0) > 1:  # größe
        return scores.softmax( dim = -1 )
    return helper(scores)
'''


def code():
    made = Code.of(SOURCE, "attend")
    assert made is not None
    return made


def test_comments_names_and_layout_stay_as_they_were_written():
    lines = SOURCE.split("\n")
    for change in changes(code(), {}):
        after = len(lines) - change.last
        new = change.source.split("\n")
        assert new[: change.first - 1] == lines[: change.first - 1]
        assert new[len(new) - after :] == lines[len(lines) - after :]
        assert tuple(new[change.first - 1 : len(new) - after]) == change.lines


def test_a_change_replaces_no_more_than_what_differs():
    made = {change.lines for change in changes(code(), {})}
    assert ("    if größe or scores.size(0) > 1:  # größe",) in made
    assert ("        return scores.softmax( dim = -2 )",) in made
    assert ("    if True:  # größe",) in made


def test_nothing_is_changed_outside_the_exercise_itself():
    assert min(change.first for change in changes(code(), {})) > 8


def test_a_listing_has_all_lines_with_their_numbers_but_for_docstrings_and_empty_ones():
    shown = code().shown
    assert (3, "def helper(x):") in shown
    assert (9, '    """…"""') in shown
    assert [number for number, _ in shown] == [1, 3, 4, 7, 8, 9, 11, 12, 13, 14, 15, 16]


@pytest.mark.parametrize(
    "source",
    [
        "def other(x):\n    return x",
        "def attend(",
        "attend = 3",
        "\0",
        "def attend(x):\n    return 'a\rb'",
        "def attend(x):\n    return 'a\u202eb'",
    ],
)
def test_what_defines_no_such_exercise_is_no_code_to_ask_about(source):
    assert Code.of(source, "attend") is None


def test_code_that_is_too_long_or_too_wide_does_not_fit():
    for body in ("    x\n" * 70, f"    x = '{'x' * 200}'\n"):
        made = Code.of(f"def attend(x):\n{body}", "attend")
        assert made is not None and not made.fits


@pytest.mark.whole_course
@pytest.mark.parametrize("chapter", chapter_names(REPOSITORY))
def test_each_mutant_of_the_course_can_be_written_into_the_code_as_it_stands(chapter):
    loaded = load(REPOSITORY, chapter)
    for name, source in reference(loaded).items():
        made = Code.of(source, name)
        assert made is not None and made.fits
        written = {ast.unparse(ast.parse(change.source)) for change in changes(made, {})}
        for mutant in mutants(name, source):
            shown = mutant.name.partition(" → ")[2]
            left_out = UNNATURAL.search(shown) or len(shown) > WIDTH - INDENT
            assert mutant.source in written or left_out, mutant.name
