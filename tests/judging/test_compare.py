import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.exercise.observation import Failure, Observation, Unsent
from autograder.exercise.rounding import Exactness
from autograder.judging.compare import first_difference


def difference(expected, actual, names=("output",), terms=8, **more):
    return first_difference(
        Observation(output=expected), Observation(output=actual, **more), names, Exactness(terms)
    )


def test_equal_observations_do_not_differ():
    x = torch.randn(2, 3)
    assert difference(x, x.clone()) is None


@given(st.integers(1, 4096), st.sampled_from([torch.float16, torch.float32, torch.float64]))
def test_another_order_of_summation_is_within_the_tolerance(terms, dtype):
    x = torch.rand(terms, generator=torch.Generator().manual_seed(terms)).to(dtype)
    backwards = x.flip(0).cumsum(0)[-1]
    assert difference(x.sum()[None], backwards[None], terms=terms) is None


@pytest.mark.parametrize(
    ("actual", "kind", "words"),
    [
        (None, "type", "nothing"),
        (torch.ones(3), "shape", "The shape of output is (3,), expected (2, 3)"),
        (torch.ones(2, 3).double(), "dtype", "The dtype of output is float64, expected float32"),
        (torch.ones(2, 3).index_fill(1, torch.tensor([1]), 2), "values", "the first at [0, 1]"),
        (torch.full((2, 3), float("nan")), "values", "6 of 6"),
    ],
)
def test_the_coarsest_difference_is_told(actual, kind, words):
    found = difference(torch.ones(2, 3), actual)
    assert found.kind == kind
    assert words in found.sentence


def test_an_integer_larger_than_any_float_is_a_wrong_value():
    assert difference(1.0, 10**400).kind == "values"
    assert difference(math.inf, 10**400).kind == "values"
    assert difference(10**400, 10**400) is None


def test_what_cannot_be_sent_is_told_by_its_type_and_a_text_is_not():
    assert difference(1.0, Unsent("a set")).sentence == "Expected output to be a float, got a set."
    assert difference(1.0, "a set").sentence == "Expected output to be a float, got a str."
    assert "got a set" in difference(torch.ones(2), Unsent("a set")).sentence


def test_the_sentence_holds_no_expected_value():
    found = difference(torch.full((2,), 0.12345), torch.zeros(2))
    assert "12345" not in found.sentence


def test_a_single_tensor_where_two_are_due_is_a_difference_of_type():
    pair = (torch.ones(2), torch.ones(2))
    found = difference(pair, torch.ones(2), names=("output", "weights"))
    assert "2 values (output, weights)" in found.sentence


def test_nan_in_the_right_place_is_right():
    nan = torch.tensor([float("nan"), 1.0])
    assert difference(nan, nan.clone()) is None


def test_a_changed_input_differs_even_if_the_output_is_right():
    found = difference(torch.ones(2), torch.ones(2), changed=["mask"])
    assert found.kind == "inputs" and "mask" in found.sentence


def test_exceptions_are_alike_by_type():
    expected = Observation(failure=Failure("ValueError", "one"))
    same, other = Failure("ValueError", "another"), Failure("KeyError", "one")
    assert first_difference(expected, Observation(failure=same), ("x",), Exactness(1)) is None
    assert (
        first_difference(expected, Observation(failure=other), ("x",), Exactness(1)).kind
        == "raised"
    )


def test_a_nan_gradient_is_told_as_such():
    right = Observation(output=torch.ones(2), gradients={"query": torch.ones(2)})
    wrong = Observation(output=torch.ones(2), gradients={"query": torch.full((2,), float("nan"))})
    found = first_difference(right, wrong, ("output",), Exactness(2))
    assert found.kind == "gradient" and "2 of 2" in found.sentence


def test_no_gradient_and_a_zero_gradient_are_the_same():
    ones = torch.ones(2)
    none = Observation(output=ones, gradients={"query": None, "key": ones})
    zero = Observation(output=ones, gradients={"query": torch.zeros(2), "key": ones})
    assert first_difference(zero, none, ("output",), Exactness(2)) is None


def test_a_constant_is_not_taken_for_an_output_with_zero_gradients():
    none = Observation(output=torch.zeros(1), gradients={"query": None, "key": None})
    zero = Observation(
        output=torch.zeros(1), gradients={"query": torch.zeros(2), "key": torch.zeros(2)}
    )
    found = first_difference(zero, none, ("output",), Exactness(2))
    assert found.kind == "no-gradient" and found.sentence == "No gradient reaches query."
    assert first_difference(none, none, ("output",), Exactness(2)) is None


def test_a_gradient_that_is_rounding_beside_the_others_may_be_any_rounding():
    def seen(weight, bias):
        gradients = {"weight": torch.tensor(weight), "bias": torch.tensor([bias])}
        return Observation(output=torch.zeros(1), gradients=gradients)

    def told(right, given):
        return first_difference(right, given, ("output",), Exactness(8))

    assert told(seen(5.0, 1e-7), seen(5.0, -3e-7)) is None
    assert told(seen(5.0, 1e-7), seen(5.0, 0.1)).kind == "gradient"
    assert told(seen(5.0, 1e-2), seen(5.0, 1.1e-2)).kind == "gradient"
    assert told(seen(1e-7, 1e-7), seen(1e-7, -3e-7)).kind == "gradient"
    # of terms that cancel in part, roundings of the largest are left
    assert told(seen(4.5, 4.2e-4), seen(4.5, 4.2e-4 + 2.3e-6)) is None
    assert told(seen(4.5, 4.2e-4), seen(4.5, 4.2e-4 + 2.3e-5)).kind == "gradient"
    # beside what is finite, where a mistake makes the rest infinite or NaN
    for lost in ([math.nan, 5.0], [-math.inf, 5.0]):
        assert told(seen(lost, 1e-7), seen(lost, -3e-7)) is None
        assert told(seen(lost, 1e-7), seen(lost, 0.1)).kind == "gradient"


def test_a_text_is_on_no_device_wherever_the_inputs_are():
    clash = "a tensor was asked for as an array of NumPy"
    assert difference("text", "text", clash=clash) is None
    right = Observation(output=torch.ones(2), devices=["cpu"])
    assert (
        first_difference(right, replace(right, clash=clash), ("output",), Exactness(2)).kind
        == "device"
    )
