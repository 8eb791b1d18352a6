"""A draft of the small chapter, a slip in it, and how the author is told."""

import pytest

from autograder.chapters import case_slips
from autograder.chapters.solutions import load
from autograder.chapters.source_notebook import rehearse
from autograder.common.errors import CourseError
from autograder.judging import checks

AVERAGE, NORMALISE, SCALE, TEXT = "average.py", "normalise.py", "Scale.py", "01_toy.md"


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, (old, text.count(old))
    path.write_text(text.replace(old, new))


def told(root, name="01_toy"):
    """The refusal, by whatever needs the chapter first."""
    with pytest.raises(CourseError) as error:
        chapter = load(root, name)
        case_slips.refuse(chapter)
        rehearse(chapter, [checks.build(exercise) for exercise in chapter.exercises.values()])
    return str(error.value)


def line_of(path, text):
    """The number of the line that the text begins in."""
    return path.read_text().partition(text)[0].count("\n") + 1
