"""Rounding is told from a mistake, and in half precision from a small one."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.exercise.case import Case
from autograder.exercise.observation import Observation
from autograder.exercise.properties import SumsTo
from autograder.exercise.rounding import Exactness, tolerance
from autograder.judging.compare import first_difference

SEEDS = st.integers(0, 2**32)
HALF = (torch.float16, torch.bfloat16)
KEYS = 8


def differ(expected, actual, stated=None):
    seen = (Observation(output=part) for part in (expected, actual))
    return first_difference(*seen, ("weights",), Exactness(KEYS, stated))


def drawn(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def added_up(terms, order):
    """The sum over the last axis, rounded after every term."""
    total = torch.zeros_like(terms[..., 0])
    for place in order:
        total = total + terms[..., place]
    return total


def attended(seed, dtype, native, mask=None):
    """Weights and output of an attention whose sums are native or in float32, then rounded."""
    query, key, value = (drawn(seed + i, 6, KEYS, KEYS).to(dtype) for i in range(3))
    wide = dtype if native else torch.promote_types(dtype, torch.float32)
    query, key, value = (part.to(wide) for part in (query, key, value))
    order = torch.randperm(KEYS, generator=torch.Generator().manual_seed(seed)).tolist()
    scores = added_up(query[:, :, None] * key[:, None], order) / math.sqrt(KEYS)
    scores = scores if mask is None else scores.masked_fill(~mask, -math.inf)
    shares = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = shares / added_up(shares, order)[..., None]
    output = added_up(weights[:, :, None] * value.mT[:, None], order)
    return weights.to(dtype), output.to(dtype)


def exact(seed, dtype, mask=None):
    query, key, value = (drawn(seed + i, 6, KEYS, KEYS).to(dtype).double() for i in range(3))
    scores = query @ key.mT / math.sqrt(KEYS)
    scores = scores if mask is None else scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights.to(dtype), (weights @ value).to(dtype)


@settings(max_examples=50)
@given(SEEDS, st.sampled_from([*HALF, torch.float32, torch.float64]), st.booleans())
def test_an_honest_computation_passes_whatever_order_it_sums_in(seed, dtype, native):
    for right, given_ in zip(exact(seed, dtype), attended(seed, dtype, native), strict=True):
        assert differ(right, given_) is None


CAUSAL = torch.ones(KEYS, KEYS, dtype=torch.bool).tril()


@settings(max_examples=50)
@given(SEEDS, st.sampled_from(HALF), st.booleans())
def test_a_weight_that_is_a_tenth_through_the_mask_is_wrong(seed, dtype, native):
    right, _ = exact(seed, dtype, CAUSAL)
    honest, _ = attended(seed, dtype, native, CAUSAL)
    assert differ(right, honest) is None
    through, _ = attended(seed, dtype, native)
    leak = torch.where(CAUSAL, honest, through / 10)
    assert differ(right, leak) is not None


@settings(max_examples=50)
@given(SEEDS)
def test_one_masked_weight_of_a_hundredth_is_wrong(seed):
    right, _ = exact(seed, torch.bfloat16, CAUSAL)
    leak = right.clone()
    leak[0, 0, 1] = 0.01
    found = differ(right, leak)
    assert found.kind == "values" and found.at == (0, 0, 1)


@settings(max_examples=50)
@given(SEEDS, st.sampled_from([(torch.bfloat16, 0.05), (torch.float16, 0.018)]), st.booleans())
def test_weights_that_are_some_percent_off_in_half_precision_are_wrong(seed, kind, native):
    dtype, share = kind
    right, _ = exact(seed, dtype)
    honest, _ = attended(seed, dtype, native)
    signs = drawn(seed + 9, *right.shape).sign()
    assert differ(right, honest * (1 + share)) is not None
    assert differ(right, (honest * (1 + share * signs)).to(dtype)) is not None


@settings(max_examples=50)
@given(SEEDS, st.sampled_from(HALF))
def test_an_output_that_is_five_percent_off_in_half_precision_is_wrong(seed, dtype):
    _, right = exact(seed, dtype)
    assert differ(right, right * 1.05) is not None


@pytest.mark.parametrize("dtype", HALF)
def test_a_gradient_that_is_half_as_large_is_wrong_in_half_precision(dtype):
    right = drawn(3, 4, 5).to(dtype)
    seen = [
        Observation(output=torch.ones(2), gradients={"query": part, "key": right})
        for part in (right, right / 2)
    ]
    assert first_difference(*seen, ("output",), Exactness(5)).kind == "gradient"


@settings(max_examples=50)
@given(SEEDS)
def test_a_small_weight_is_measured_by_itself(seed):
    right, _ = exact(seed, torch.float32, CAUSAL)
    off = right.clone()
    off[0, 5, 0] *= 1 + 1e-3
    assert differ(right, off).at == (0, 5, 0)


def test_what_is_zero_because_terms_cancel_may_be_rounding():
    right = torch.tensor([[3.0, 0.0, -2.0]], dtype=torch.bfloat16)
    given_ = torch.tensor([[3.0, 2**-7, -2.0]], dtype=torch.bfloat16)
    assert differ(right, given_) is None


def test_tolerance_grows_with_the_number_of_terms_and_shrinks_with_precision():
    many, more = Exactness(100), Exactness(400)
    assert tolerance(torch.float32, more) == pytest.approx(2 * tolerance(torch.float32, many))
    assert tolerance(torch.float64, many) < tolerance(torch.float32, many)
    assert tolerance(torch.float16, many) < tolerance(torch.bfloat16, many)
    assert tolerance(torch.bool, many) == 0


@pytest.mark.parametrize("dtype", [*HALF, torch.float32])
@pytest.mark.parametrize("right", [[[0.5, 0.3, 0.2]], [[4.0, -3.0, 2.0]]])
def test_what_an_author_states_is_allowed_of_the_largest_entry_and_nothing_more(dtype, right):
    right = torch.tensor(right, dtype=dtype)
    for error, passes in ((0.04, True), (0.06, False)):
        off = right.clone()
        off[0, 2] += error * right[0, 0]
        assert (differ(right, off, stated=0.05) is None) == passes


def test_a_tolerance_that_is_no_share_of_the_largest_entry_is_refused():
    with pytest.raises(
        ValueError, match=r"of case 'one' is -1; state it as a share of the largest"
    ):
        Case("one", {"x": 1}, tolerance=-1)


def test_rows_that_should_sum_to_one_may_be_off_by_what_the_author_states():
    right, off = (Observation(output=torch.tensor([[0.5, last]])) for last in (0.5, 0.501))
    rule = SumsTo(0, -1, "Each row sums to 1.")
    assert rule.violation(right, off, Case("one", {"x": 1}))
    assert not rule.violation(right, off, Case("one", {"x": 1}, tolerance=0.01))
