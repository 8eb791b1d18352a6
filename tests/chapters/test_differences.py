"""A mistake that is told as a difference from a right implementation."""

import pytest
from slipping import AVERAGE, SCALE, line_of, told

from autograder.authoring.selftest import selftest
from autograder.authoring.simulate import make_class
from autograder.chapters.solutions import load

BASE = "\n\nright = exercise.base(loop)\n"


def write(path, changes, name="sums_columns"):
    """One more mistake of the average, in two lines: the place is that of the first."""
    hint = '"You summed each column."'
    path.write_text(f"{path.read_text()}{BASE}right.mistake({name!r}, {changes!r},\n    {hint})\n")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sum(1": "sum(0"}, "changes 'sum(1', which its base has 0 times instead of once."),
        ({"values": "weights"}, "changes 'values', which its base has 2 times instead of once."),
        ({"-1,": "0,", "0": "1"}, "changes '0', which its base has 0 times instead of once."),
        ({"@ values": "@"}, "is no Python: invalid syntax in `return (weights / weights.sum("),
        ({"sum(-1": "sum(-1"}, "changes 'sum(-1' into the same."),
        ({"/ weights": "* weights", "weights.sum": "values.sum"}, "has changes that overlap."),
        ({}, "changes nothing."),
    ],
)
def test_a_difference_that_does_not_fit_is_told_with_its_line(root, folder, changes, said):
    path = folder / AVERAGE
    write(path, changes)
    sentence = told(root)
    at = f"{path}, line {line_of(path, 'right.mistake')}: the mistake 'sums_columns' "
    assert sentence.startswith(at + said) and sentence.endswith("Correct it.")


def test_a_difference_needs_a_name_and_a_base(root, folder):
    path = folder / AVERAGE
    before = path.read_text()
    write(path, {"-1": "0"}, "sums columns")
    assert "the mistake 'sums columns' needs a name as functions have it." in told(root)
    path.write_text(before)
    write(path, {"-1": "0"}, "unnormalised")
    at = f"{path}, line {line_of(path, 'right.mistake')}: "
    assert told(root) == at + "two misconceptions are named unnormalised. Rename one."
    path.write_text(f"{before}\nexercise.base(3)\n")
    assert told(root).startswith(f"{path}, line {line_of(path, 'exercise.base')}: TypeError: 3 is")


def of(report):
    return report.misconceptions, report.rejected, report.named


def test_a_difference_is_graded_and_named_as_any_other_mistake(root, folder, sandbox):
    write(folder / AVERAGE, {"-1": "0", " / ": " * "})
    added = 'exercise.base(Right).mistake("Divides", {"x, self": "x, 1 / self"}, "You divided.")'
    (folder / SCALE).write_text(f"{(folder / SCALE).read_text()}\n\n{added}\n")
    chapter = load(root, "01_toy")
    reports = {report.exercise: report for report in selftest(chapter, sandbox)}
    assert of(reports["average"]) == of(reports["Scale"]) == (2, 2, 2)
    made = [student.sources for student in make_class(chapter, 40, 1)]
    assert any("weights * weights.sum(0, keepdim" in sources["average"] for sources in made)
    assert any("x, 1 / self.factor" in sources["Scale"] for sources in made)


def test_a_difference_changes_its_base_and_nothing_else(root, folder):
    path = folder / AVERAGE
    text = path.read_text().replace("@ values", "@ less(values)", 1)
    path.write_text(f"{text}\n\ndef less(values):\n    return values - 1\n")
    write(path, {"-1": "0", "less(": "0 * less("})
    wrong = load(root, "01_toy").exercises["average"].misconceptions[-1]
    assert wrong.source_as("average").startswith("def less(values):")
    assert wrong.target.__name__ == "sums_columns"
