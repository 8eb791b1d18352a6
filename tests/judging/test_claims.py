"""What a submission claims is refused in one place; whatever gets through can be judged."""

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.common.errors import WireError
from autograder.exercise.observation import DTYPES
from autograder.judging.checks import build
from autograder.judging.claims import claimed
from autograder.judging.judge import judge
from autograder.judging.verdict import stopped

SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
NUMBERS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from([10**400, -(10**400), 2**63]),
    st.floats(), st.text(max_size=5),
)  # fmt: skip


@st.composite
def tensors(draw):
    value = draw(st.sampled_from([0.0, 1.0, -1.0, float("nan"), float("inf"), 65504.0]))
    dtype = draw(st.sampled_from(sorted([*DTYPES, torch.float8_e4m3fn, torch.int4], key=str)))
    try:
        return torch.full(draw(SHAPES), value, dtype=torch.float64).to(dtype)
    except RuntimeError:  # no such number in that dtype
        return torch.zeros(draw(SHAPES)).to(torch.float8_e4m3fn)


VALUES = st.recursive(
    NUMBERS | tensors(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
CHANGES = st.dictionaries(
    st.sampled_from(["output", "failure", "devices", "changed", "gradients", "gradient_failure",
                     "meta", "used", "cost", "more"]),
    VALUES, min_size=1, max_size=3,
)  # fmt: skip
FAILURES = st.fixed_dictionaries(
    {"type": NUMBERS, "message": NUMBERS, "line": NUMBERS, "source": NUMBERS}
)


@pytest.fixture(scope="module")
def built(toy):
    return [build(exercise, "secret") for exercise in toy.exercises.values()]


@pytest.mark.parametrize("which", range(3))
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(changes=CHANGES, failed_cell=st.none() | FAILURES | VALUES, at=st.integers(0, 5))
def test_whatever_gets_through_can_be_judged(built, which, changes, failed_cell, at):
    checks = built[which]
    trees = [item.expected.to_tree() for item in checks.cases]
    trees[at % len(trees)] |= changes
    try:
        seen = claimed(trees, checks.exercise, len(trees), failed_cell)
    except WireError:
        return
    assert judge(checks, seen).points is not None


@settings(max_examples=200)
@given(trees=VALUES, failed_cell=VALUES)
def test_what_is_no_list_of_observations_is_refused(trees, failed_cell):
    with pytest.raises(WireError):
        claimed(trees, "f", 1, failed_cell)


def test_an_error_of_ours_is_not_taken_for_a_bad_claim(built, monkeypatch):
    def fault(*_):
        return 1 / 0

    monkeypatch.setattr("autograder.judging.claims.Observation.from_tree", fault)
    trees = [item.expected.to_tree() for item in built[0].cases]
    with pytest.raises(ZeroDivisionError):
        claimed(trees, "f", len(trees), None)


def test_no_verdict_has_neither_points_nor_a_zero(built):
    assert stopped(built[0], "infrastructure", "").points is None
