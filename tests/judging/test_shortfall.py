"""An author whose right answer was refused is told the case, the error and what is allowed."""

import math
import re

import pytest
import torch

from autograder.common.files import REPOSITORY
from autograder.confined.observe import observe
from autograder.exercise.case import Case
from autograder.exercise.rounding import Exactness, tolerance, typical_error
from autograder.exercise.spec import Exercise
from autograder.judging.checks import build
from autograder.judging.judge import judge
from autograder.judging.shortfall import reason

ROW = re.compile(r"^\| `(float\d+|bfloat16)` \| \$(.*?) \\sqrt.*? \| \$(.*?) \\sqrt", re.MULTILINE)


def doubled(x):
    return 2 * x


def shares(x):
    return x.softmax(-1)


def told(answer, right=doubled, dtype=torch.float32):
    """Of an answer that is tried on small numbers and on large ones."""
    exercise = Exercise("double", points=1, difficulty=1, minutes=1, returns=("the doubles",))
    exercise.oracle(right)

    @exercise.cases
    def cases(rng):
        yield Case("small", {"x": torch.full((3, 5), 0.01, dtype=dtype)})
        yield Case("large", {"x": torch.arange(15.0, dtype=dtype).reshape(3, 5)}, gradient=True)

    checks = build(exercise)
    return reason(checks, judge(checks, [observe(answer, one.case) for one in checks.cases]))


def test_the_case_is_that_in_which_numbers_are_furthest_off():
    said = told(lambda x: 2 * x + 1e-6 * x**2)
    assert said.startswith("The shape is right, but 7 of 15 entries of the doubles differ")
    assert "That is on case 'large', where the largest error is 7.0e-06 of the largest" in said
    assert said.endswith(" 2.1e-06 is allowed.")


def test_a_gradient_has_a_tolerance_of_its_own():
    said = told(lambda x: doubled(x) + 1e-4 * (x - x.detach()))
    assert "entries of the gradient with respect to x differ" in said
    assert re.search(r"'large', where the largest error is 5.0e-05 .*; \S+ is allowed\.$", said)


@pytest.mark.parametrize(
    ("answer", "right", "dtype", "end"),
    [
        (
            lambda x: (2 * x.double() * 1.009).to(x.dtype),
            doubled,
            torch.float16,
            "together may be 1.2e-02 of all entries.",
        ),
        (
            lambda x: shares(x) + 5e-7 * (x > 1),
            shares,
            torch.float32,
            "each entry is held to its own size.",
        ),
        (
            lambda x: (2 * x).int(),
            doubled,
            torch.float32,
            "float32. That is on case 'small'.",
        ),
        (
            lambda x: 2 * x / 0,
            doubled,
            torch.float32,
            "the largest error is inf of the largest entry; 2.1e-06 is allowed.",
        ),
    ],
)
def test_other_rules_are_told_as_they_are(answer, right, dtype, end):
    assert told(answer, right, dtype).endswith(end)


def test_the_tolerances_of_the_reference_are_those_that_answers_are_held_to():
    rows = ROW.findall((REPOSITORY / "book" / "authoring_reference.md").read_text())
    assert len(rows) == 4
    for name, *factors in rows:
        dtype, terms = getattr(torch, name), Exactness(1024)
        growth = math.sqrt(1 + 1024 / 64) if name in ("float16", "bfloat16") else math.sqrt(1024)
        for gradient, factor in zip((False, True), factors, strict=True):
            number = float(factor.replace(r" \cdot 10^{", "e").replace("}", ""))
            allowed = tolerance(dtype, terms, gradient)
            assert number * growth == pytest.approx(allowed, rel=0.05)
            if name in ("float16", "bfloat16"):
                assert typical_error(dtype, terms, gradient) == allowed / 2
