"""What `check(...)` takes, and what it says of anything else."""

import functools

import pytest
import torch
from torch import nn

from autograder.common.errors import CheckFailed
from autograder.learner.public_cases import meant

EXERCISES = ("split_heads", "merge_heads", "Scale")


class Scale(nn.Module):
    def forward(self, x):
        return x


def split_heads(x):
    return x


NAMES = {"split_heads": split_heads, "Scale": Scale}


def said(*given, **names):
    with pytest.raises(CheckFailed) as caught:
        meant(given, EXERCISES, NAMES | names)
    return str(caught.value)


@pytest.mark.parametrize("given", [split_heads, "split_heads", " split_heads()"])
def test_a_function_or_its_name_will_do(given):
    assert meant((given,), EXERCISES, NAMES) == ("split_heads", split_heads)


def test_a_lambda_or_a_wrapped_function_is_known_by_its_variable():
    for other in (lambda x: x, functools.partial(split_heads)):
        assert meant((other,), EXERCISES, {"merge_heads": other}) == ("merge_heads", other)
        assert meant(("merge_heads",), EXERCISES, {"merge_heads": other})[1] is other


def test_nothing_or_several_is_answered_with_what_there_is():
    there = "check(split_heads), say. This notebook has split_heads, merge_heads, Scale."
    assert said() == f"check takes the name of an exercise: {there}"
    assert said(split_heads, Scale) == f"check takes one exercise at a time: {there}"


def test_a_name_that_is_misspelt_is_answered_with_the_one_that_is_like_it():
    assert said("split_head").endswith("Scale. Did you mean check(split_heads)?")
    assert said("attention") == (
        "attention is no exercise of this notebook; it has split_heads, merge_heads, Scale."
    )

    def splitheads(x):
        return x

    assert said(splitheads).endswith("Did you mean check(split_heads)?")


def test_a_name_whose_cell_was_not_run_is_told():
    assert said("merge_heads") == (
        "merge_heads is not defined yet. Run the cell above, then check(merge_heads)."
    )


@pytest.mark.parametrize(
    ("result", "kind"),
    [(torch.ones(3), "a Tensor"), (None, "None"), (3, "an int"), ((1, 2), "a tuple")],
)
def test_a_result_is_told_by_its_kind_alone(result, kind):
    assert said(result).startswith(f"check takes the function itself, and this is {kind}, perhaps")


def test_a_name_that_was_given_to_a_result_is_told():
    result = torch.ones(2)
    for given in (result, "split_heads"):
        assert said(given, split_heads=result) == (
            "split_heads is now a Tensor. Run the cell that defines it, then check(split_heads)."
        )


def test_an_object_of_a_class_is_answered_with_the_class():
    assert said(Scale()) == "check takes the class, not an object of it: check(Scale)."


def test_what_a_name_or_a_class_is_called_steers_no_terminal():
    assert "\x1b" not in said("\x1b[31m") + said(type("\x1b[31m", (), {})())
