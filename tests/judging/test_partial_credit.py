"""Points for a part: groups of cases and properties, which count once all else passes."""

import nbformat
import pytest
import torch
from diagnosed import diagnosed
from nbgrader.utils import determine_grade

from autograder.author import Case, CostAtMost, Exercise, Finite, Group
from autograder.confined.observe import observe
from autograder.judging import checks, checks_file
from autograder.showing.card import Card
from autograder.showing.outputs import write_outputs

exercise = Exercise(
    "total",
    points=6,
    difficulty=1,
    minutes=1,
    properties=(Finite(),),
    groups=(
        Group("half precision", 1, cases=("float16", "bfloat16")),
        Group("cost", 2, properties=(CostAtMost("matmuls", 1.5, "One product is enough."),)),
    ),
)


@exercise.oracle
def total(one, other):
    return one @ other


@exercise.cases
def cases(rng):
    yield Case("ordinary", {"one": rng.normal(3, 4), "other": rng.normal(4, 5)})
    half = {"one": rng.normal(2, 3), "other": rng.normal(3, 2)}
    yield Case("float16", {name: value.half() for name, value in half.items()})


@exercise.secret_cases
def secret_cases(rng):
    short = {"one": rng.normal(2, 6), "other": rng.normal(6, 2)}
    yield Case("bfloat16", {name: value.bfloat16() for name, value in short.items()})


def widens(one, other):
    return one.float() @ other.float()


def in_two_steps(one, other):
    zero = one @ torch.zeros_like(other)
    return zero + one @ other


def both_at_once(one, other):
    return in_two_steps(one.float(), other.float())


def wrong(one, other):
    return 2 * (one @ other)


def without_half(one, other):
    if one.dtype == torch.float16:
        raise NotImplementedError
    return one @ other


def only_bfloat16_is_wrong(one, other):
    return widens(one, other) if one.dtype == torch.bfloat16 else one @ other


def verdict_on(target, seed="secret"):
    built = checks.build(exercise, seed)
    return diagnosed(built, [observe(target, item.case) for item in built.cases])


@pytest.mark.parametrize(
    ("answer", "points", "groups"),
    [
        (total, 6, {"half precision": (1, 1), "cost": (2, 2)}),
        (widens, 5, {"half precision": (0, 1), "cost": (2, 2)}),
        (in_two_steps, 4, {"half precision": (1, 1), "cost": (0, 2)}),
        (both_at_once, 3, {"half precision": (0, 1), "cost": (0, 2)}),
        (wrong, 0, {"half precision": (0, 1), "cost": (0, 2)}),
        (without_half, 5, {"half precision": (0, 1), "cost": (2, 2)}),
        (only_bfloat16_is_wrong, 5, {"half precision": (0, 1), "cost": (2, 2)}),
    ],
)  # fmt: skip
def test_a_group_earns_its_points_where_all_else_passes(answer, points, groups):
    found = verdict_on(answer)
    assert (found.points, found.groups) == (points, groups)
    assert (found.kind == "passed") == (points == 6)


def test_what_keeps_everything_else_from_counting_is_told_first():
    found = verdict_on(lambda one, other: in_two_steps(one, other) * (1 + (len(one) == 3)))
    assert (found.points, found.case) == (0, "ordinary")


def test_a_part_that_was_left_out_is_an_exception_and_not_an_answer_that_is_missing():
    assert verdict_on(without_half).kind == "raised"


def test_the_card_says_what_was_earned_and_what_is_missing():
    assert "✗ total: 5 of 6 points, " in str(Card(verdict_on(widens)))
    assert "Still to earn: half precision, 1 point." in str(Card(verdict_on(widens)))
    told = "3 points for all else, first; then half precision, 1 point; cost, 2 points."
    assert told in str(Card(verdict_on(wrong)))


def test_nbgrader_reads_the_points_off_the_cell():
    metadata = {"nbgrader": {"grade_id": "check_total", "grade": True, "points": 6,
                             "solution": False, "schema_version": 3}}  # fmt: skip
    for answer, points in ((total, 6), (widens, 5), (wrong, 0)):
        cell = nbformat.v4.new_code_cell("check(total)", metadata=metadata)
        notebook = nbformat.v4.new_notebook(cells=[cell])
        write_outputs(notebook, {"total": verdict_on(answer)})
        nbformat.validate(notebook)
        assert determine_grade(notebook.cells[0]) == (points, 6)


def test_a_learners_file_has_the_groups_and_names_no_secret_case(tmp_path):
    path = tmp_path / "checks.safetensors"
    path.write_bytes(checks_file.packed([checks.build(exercise)]))
    known = checks_file.load(path)["total"]
    assert known.groups[0] == Group("half precision", 1, cases=("float16",))
    assert (
        known.groups[1] == exercise.groups[1]
        and known.properties[-1:] == exercise.groups[1].properties
    )
    assert b"bfloat16" not in path.read_bytes()
