"""What an author says of cases, groups and solutions is tried before learners meet it."""

import re

import pytest
from slipping import AVERAGE, NORMALISE, SCALE, TEXT, edit, line_of, told

from autograder.cli import main

DO_NOT_FIT = [
    (AVERAGE, '{"weights": rng', '{"weight": rng', "    yield Case",
     "the case 'ordinary' gives weight, values; average takes weights, values. Name the inputs so, "
     "in this order."),
    (AVERAGE, '"weights": rng.normal(3, 4).abs() + 0.1, "values": rng.normal(4, 2)',
     '"values": rng.normal(4, 2), "weights": rng.normal(3, 4).abs()', "    yield Case",
     "the case 'ordinary' gives values, weights; average takes weights, values."),
    (AVERAGE, ', "values": rng.normal(4, 2)', "", "    yield Case", "gives weights; average takes"),
    (SCALE, '{"x": rng', '{"y": rng', '        "width 3"', "gives y; Scale.forward takes x."),
    (SCALE, 'construct={"width": 3}', 'construct={"size": 3}', '        "width 3"',
     "the case 'width 3' constructs with size; Scale takes width."),
    (AVERAGE, "def unnormalised(weights, values)", "def unnormalised(weights)",
     "@exercise.misconception", "unnormalised cannot take the case 'ordinary': too many"),
    (AVERAGE, "def loop(weights, values)", "def loop(weights, values, scale)", "@exercise.oracle",
     "loop cannot take the case 'ordinary': missing a required argument: 'scale'."),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "at", "said"), DO_NOT_FIT)
def test_a_case_that_does_not_fit_what_is_to_be_called_is_told_with_its_line(
    root, folder, file, old, new, at, said
):
    edit(folder / file, old, new)
    sentence = told(root)
    assert sentence.startswith(f"{folder / file}, line {line_of(folder / file, at)}: ")
    assert said in sentence


IN_GROUPS = [
    ('Group("half", 1)', "the group 'half' has neither cases nor properties."),
    ('Group("half", 0, cases=("half precision",))', "the group 'half' needs points, a whole"),
    ('Group("", 1, cases=("half precision",))', "a group is named ''. Give each a name"),
    ('Group("half", 2, cases=("half precision",))', "the groups have all points of the exercise."),
    ('Group("half", 1, cases=("half",))', "names the case 'half', which there is not."),
    ('Group("a", 1, cases=("one row",)), Group("b", 1, cases=("one row",))',
     "two groups have the case 'one row'. Keep it in one."),
    ('"half"', "groups holds 'half'. Give groups such as Group(\"cost\", 1, …) only."),
]  # fmt: skip


@pytest.mark.parametrize(("groups", "said"), IN_GROUPS)
def test_a_slip_in_the_groups_of_an_exercise_is_told_with_its_line(root, folder, groups, said):
    edit(folder / NORMALISE, "import Case, Exercise", "import Case, Exercise, Group")
    edit(folder / NORMALISE, "    properties=", f"    groups=({groups},),\n    properties=")
    sentence = told(root)
    assert sentence.startswith(
        f"{folder / NORMALISE}, line {line_of(folder / NORMALISE, 'groups=')}: "
    )
    assert said in sentence


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return normalise(weights) @ values", "return weights @ values", "the solution of average "
         "fails the case 'ordinary': "),
        ("return x * self.factor", "return x * self.factors", "the solution of Scale fails the "
         "case 'width 3': The call raised AttributeError: 'Scale' object has no attribute"),
        ("def average(", "ones = torch.onse(2)\ndef average(", "`ones = torch.onse(2)` does not "
         "work: AttributeError: module 'torch' has no attribute 'onse'"),
    ],
)  # fmt: skip
def test_a_solution_that_fails_is_not_released(root, folder, capsys, monkeypatch, old, new, said):
    monkeypatch.setenv("COLUMNS", "1000")
    edit(folder / TEXT, old, new)
    assert main(["release", "01_toy", "--root", str(root)]) == 2
    error = capsys.readouterr().err
    assert re.match(rf"attn release: {folder / TEXT}, line \d+: ", error) and said in error
    assert not [*folder.glob("*.ipynb"), *folder.glob("*.safetensors")]
