"""What holds for all exercises of a course is said once, and an exercise may say otherwise."""

import itertools

import pytest
import torch
from slipping import NORMALISE, edit, line_of

from autograder.chapters import settings
from autograder.chapters.solutions import load
from autograder.common.errors import CourseError
from autograder.confined.observe import observe
from autograder.judging import checks
from autograder.judging.judge import judge
from autograder.judging.verdict import Kind


@pytest.fixture
def said(root):
    return root / "solutions" / settings.FILE


def row_by_row(values):
    rows = torch.zeros(values.shape, dtype=values.dtype)
    for place in itertools.product(*map(range, values.shape[:-1])):
        rows[place] += values[place] / values[place].sum()
    return rows


def verdict_of(root):
    known = checks.build(load(root, "01_toy").exercises["normalise"])
    return judge(known, [observe(row_by_row, checked.case) for checked in known.cases])


@pytest.mark.parametrize(
    ("course", "exercise", "matters"),
    [("", "", False), ("device = true", "", True), ("device = false", "", False),
     ("device = true", "device=False, ", False), ("", "device=True, ", True)],
)  # fmt: skip
def test_devices_matter_where_the_course_or_the_exercise_says_so(
    root, folder, said, course, exercise, matters
):
    said.write_text(course)
    edit(folder / NORMALISE, '    "normalise",\n', f'    "normalise",\n    {exercise}')
    verdict = verdict_of(root)
    assert (verdict.kind == Kind.WRONG) == matters
    assert ("on the CPU" in verdict.sentence) == matters


def test_a_course_that_says_nothing_asks_for_no_device(root, said):
    said.unlink()
    assert verdict_of(root).kind == Kind.PASSED


SLIPS = [
    ("devise = true", "there is no setting 'devise'. The only one is device."),
    ('device = "cpu"', "device is 'cpu'. Make it true or false."),
    ("[device]", "device is {}. Make it true or false."),
]


@pytest.mark.parametrize(("line", "slip"), SLIPS)
def test_a_slip_in_what_a_course_says_is_told_with_its_line(root, said, line, slip):
    said.write_text(f"# what holds for all\n{line}\n")
    with pytest.raises(CourseError) as error:
        load(root, "01_toy")
    assert str(error.value).startswith(f"{said}, line {line_of(said, line)}: {slip}")


def test_what_is_no_toml_is_told_with_its_line(root, said):
    said.write_text("device = yes\n")
    with pytest.raises(CourseError, match=rf"{said}: .*line 1.*Correct it"):
        load(root, "01_toy")
