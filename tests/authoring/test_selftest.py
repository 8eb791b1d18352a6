"""The self-test tells an author of a mistake that is none, and of two that are one."""

import pytest
from slipping import NORMALISE, edit, line_of

from autograder.authoring.narrowed import grader_of
from autograder.authoring.selftest import selftest
from autograder.chapters.solutions import load

SUMS = "return values / values.sum(-2, keepdim=True)"
HINT = "You summed over another axis than the last."
AT = f'@exercise.misconception("{HINT}'[:-1]


def faults(root, sandbox):
    return next(selftest(load(root, "01_toy"), sandbox)).faults


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("return values / total", "NameError: name 'total' is not defined"),
        (
            "return values / values.sun(-2)",
            "AttributeError: 'Tensor' object has no attribute 'sun'",
        ),
        ("import sums\n    return sums", "ModuleNotFoundError: No module named 'sums'"),
        ("return torch.summ(values)", "AttributeError: module 'torch' has no attribute 'summ'"),
        ("return values.sum(dims=-1)", "TypeError: sum() received an invalid combination of"),
    ],
)
def test_a_mistake_that_raises_for_a_slip_of_its_author_is_told(root, folder, sandbox, wrong, said):
    edit(folder / NORMALISE, SUMS, wrong)
    place = f"{folder / NORMALISE}, line {line_of(folder / NORMALISE, AT)}"
    (told,) = [fault for fault in faults(root, sandbox) if "raises on the case" in fault]
    assert told.startswith(
        f"{place}: misconception sums_columns raises on the case 'two batches': {said}"
    )
    assert told.endswith(f"if learners do raise that, name {said.partition(':')[0]} in the hint.")


def test_a_mistake_whose_hint_says_what_it_raises_is_none_of_these(root, folder, sandbox):
    edit(folder / NORMALISE, SUMS, "return values / total")
    edit(folder / NORMALISE, HINT, "It raises NameError: which name did you give the sums?")
    assert not [fault for fault in faults(root, sandbox) if "raises on" in fault]


@pytest.mark.parametrize(
    "wrong",
    ["return values / values.sum(-1)", "return values / 'a text'", "return str(values).itemsize"],
)
def test_a_mistake_that_takes_one_thing_for_another_may_raise(root, folder, sandbox, wrong):
    edit(folder / NORMALISE, SUMS, wrong)
    assert not [fault for fault in faults(root, sandbox) if "sums_columns" in fault]


def test_two_mistakes_that_do_the_same_may_be_joined(root, folder, sandbox):
    edit(folder / NORMALISE, SUMS, "return values.float() / values.float().sum(-1, keepdim=True)")
    said = "misconception upcasts is taken for sums_columns. Add a case that tells them apart, or"
    (told,) = [fault for fault in faults(root, sandbox) if said in fault]
    assert told.endswith("or join them.")


def test_answers_may_take_as_long_as_in_a_class(toy, sandbox):
    """A fixed limit refused right answers on a slow processor."""
    assert grader_of(toy, "seed", sandbox, ["normalise"]).measured
