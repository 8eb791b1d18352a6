"""What a wrong answer is called: a known mistake, two of them, or the kind of difference it is."""

import inspect
import math
import re

import pytest
import torch
from diagnosed import diagnosed
from torch import nn

from autograder.confined.observe import observe
from autograder.diagnosis import patterns, symptoms, tensor_patterns
from autograder.diagnosis.catalogue import EVERY_PATTERN, PATTERNS
from autograder.diagnosis.diagnose import TWO
from autograder.exercise.case import Case
from autograder.exercise.spec import Exercise
from autograder.judging import checks
from autograder.judging.difference import DifferenceKind


@pytest.fixture(scope="module")
def attend():
    """An exercise with enough cases to tell a constant from the width, and three known mistakes."""
    exercise = Exercise("attend", 1, 1, 1, ("output", "weights"), device=True)

    @exercise.cases
    def cases(rng):
        for name, shape, kind in (
            ("a batch", (2, 3, 8), torch.float32), ("another width", (3, 4, 5), torch.float32),
            ("no batch", (4, 6), torch.float32), ("half precision", (2, 3, 8), torch.float16),
            ("one sequence", (1, 3, 5), torch.float32),
        ):  # fmt: skip
            query, key = rng.normal(*shape, dtype=kind), rng.normal(*shape, dtype=kind)
            yield Case(name, {"query": query, "key": key, "mask": None}, gradient=True)
        large = {name: rng.normal(2, 3, 4) * 300 for name in ("query", "key")}
        yield Case("large scores", {**large, "mask": None})
        key, mask = rng.normal(2, 3, 4), torch.tensor([[True, False, True]] * 3)
        yield Case("a mask", {"query": rng.normal(2, 3, 4), "key": key, "mask": mask})

    @exercise.oracle
    def right(query, key, mask):
        scores = query @ key.mT / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(-1)
        return weights @ key, weights

    @exercise.misconception("You divide by d_k.")
    def divides_by_d_k(query, key, mask):
        return right(query / math.sqrt(query.size(-1)), key, mask)

    @exercise.misconception("You divide in half precision.")
    def divides_in_half_precision(query, key, mask):
        half = query.dtype == torch.float16
        return (divides_by_d_k if half else right)(query, key, mask)

    @exercise.misconception("You ignore the mask.")
    def ignores_the_mask(query, key, mask):
        return right(query, key, None)

    exercise.right_one = right
    return exercise


def found(exercise, target, seed=None):
    built = checks.build(exercise, seed)
    verdict = diagnosed(built, [observe(target, item.case) for item in built.cases])
    return verdict.misconception, verdict.hint


def of(exercise, change):
    """The right answer with something done to it."""

    def wrong(query, key, mask):
        return change(*exercise.right_one(query, key, mask))

    return found(exercise, wrong)[0]


def test_a_constant_that_is_the_width_in_one_case_is_not_taken_for_it(attend):
    def by_eight(query, key, mask):
        return attend.right_one(query * math.sqrt(query.size(-1)) / 8, key, mask)

    assert "divides_by_d_k" not in found(attend, by_eight)[0]


def test_two_known_mistakes_are_both_named_with_both_hints(attend):
    def both(query, key, mask):
        if query.dtype == torch.float16:
            query = query / math.sqrt(query.size(-1))
        return attend.right_one(query, key, None)

    name, hint = found(attend, both)
    assert name == "divides_in_half_precision + ignores_the_mask"
    assert hint == f"{TWO}\nYou divide in half precision.\nYou ignore the mask."


def test_a_second_mistake_that_has_no_name_is_told_by_where_it_shows(attend):
    def ignores(query, key, mask):
        return attend.right_one(query / math.sqrt(query.size(-1)), key, None)

    name, hint = found(attend, ignores)
    assert name == "divides_by_d_k + fails_unless_none" and "\nYou divide by d_k.\n" in hint


def test_a_known_mistake_is_known_by_its_numbers_when_something_else_is_wrong_too(attend):
    def in_float32(query, key, mask):
        return attend.right_one(query.float() / math.sqrt(query.size(-1)), key.float(), mask)

    assert found(attend, in_float32)[0] == "divides_by_d_k + returns_another_dtype"


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda output, weights: (weights, output), "returns_them_in_another_order"),
        (lambda output, weights: (output.float(), weights.float()), "returns_another_dtype"),
        (lambda output, weights: (output * 2, weights), "scales_by_a_constant"),
        (lambda output, weights: (-output, weights), "negates"),
        (lambda output, weights: (output + 1, weights), "adds_a_constant"),
        (lambda output, weights: (output.mT, weights), "transposes"),
        (lambda output, weights: (output.unsqueeze(0), weights), "keeps_an_axis_of_length_1"),
        (lambda output, weights: (output.flip(-1), weights), "reverses"),
        (lambda output, weights: (output.roll(1, -1), weights), "shifts_by_one"),
        (lambda output, weights: (output * 0, weights), "is_zero"),
        (lambda output, weights: (output * math.nan, weights), "is_not_finite"),
        (lambda output, weights: (output, weights.softmax(-1)), "is_the_softmax_of_what_is_right"),
        (lambda output, weights: (output.detach(), weights.detach()), "cuts_the_gradient"),
        (lambda output, weights: (output.cpu(), weights), "leaves_the_device"),
        (lambda output, weights: output, "returns_other_things"),
        (lambda output, weights: None, "returns_nothing"),
        (lambda output, weights: (output[..., :-1], weights), "is_too_long_or_short_by_one"),
        (lambda output, weights: nowhere, "leaves_a_name_undefined"),  # noqa: F821
        (lambda output, weights: (output @ output, weights), "shapes_do_not_fit"),
        (lambda output, weights: 1 if weights > 0 else 2, "asks_a_tensor_for_one_truth"),
    ],
)
def test_what_no_name_fits_is_called_by_its_kind_of_difference(attend, change, name):
    assert name in of(attend, change).split(" + ")


def test_two_slips_that_show_in_different_cases_are_both_named(attend):
    def filled(query, key, mask):
        outputs = attend.right_one(query, key, mask)
        made = [torch.zeros(part.shape) for part in outputs]  # in float32, on the CPU
        for empty, part in zip(made, outputs, strict=True):
            empty[...] = part
        return tuple(made)

    assert found(attend, filled)[0] == "returns_another_dtype + leaves_the_device"


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (lambda q, k, m: (q.half().float(), m), "fails_unless_none"),
        (lambda q, k, m: (q, q[0, 0, 0]) if m is None and q.dim() == 2 else 0, ""),
    ],
)
def test_nothing_is_said_that_holds_in_some_failing_cases_only(attend, wrong, name):
    assert not {"negates", "scales_by_a_constant"} & {*found(attend, wrong)[0].split(" + ")}


@pytest.mark.parametrize(
    ("spoiled", "name"),
    [
        (lambda q, m: q.dtype == torch.float16, "fails_in_half_precision"),
        (lambda q, m: q.dim() < 3, "fails_without_leading_axes"),
        (lambda q, m: m is not None, "fails_unless_none"),
        (lambda q, m: q.abs().max() > 100, "fails_for_large_numbers"),
        (lambda q, m: 1 in q.shape, "fails_for_length_1"),
    ],
)
def test_what_the_failing_cases_have_in_common_is_said(attend, spoiled, name):
    def wrong(query, key, mask):
        output, weights = attend.right_one(query, key, mask)
        return (output.cos() + 3 * output if spoiled(query, mask) else output), weights

    assert found(attend, wrong)[0].split(" + ")[-1] == name


def test_the_first_sequence_alone_is_right():
    exercise = Exercise("scale", 1, 1, 1)

    @exercise.cases
    def cases(rng):
        yield Case("three", {"x": rng.normal(3, 4)})
        yield Case("five", {"x": rng.normal(5, 2)})

    @exercise.oracle
    def right(x):
        return x / x.norm(dim=-1, keepdim=True)

    name, hint = found(exercise, lambda x: x / x[0].norm())
    assert name == "is_right_for_the_first_only" and "first" in hint


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (lambda x: x.size(-1), "times the length of axis -1 of `x`."),
        (lambda x: x.size(-1) ** 0.5, "times the root of the length of axis -1 of `x`."),
        (lambda x: 1 / x.size(-2), "divided by the length of axis -2 of `x`."),
        (lambda x: 0.3, "times 0.3."),
        (lambda x: float(x[0, 0]), "times a constant."),
    ],
)
def test_a_constant_is_told_as_what_it_is_in_every_case(factor, said):
    exercise = Exercise("square", 1, 1, 1)

    @exercise.cases
    def cases(rng):
        yield Case("three rows", {"x": rng.normal(3, 7)})
        yield Case("seven rows", {"x": rng.normal(5, 11)})

    @exercise.oracle
    def right(x):
        return x.square()

    name, hint = found(exercise, lambda x: x.square() * factor(x))
    assert name == "scales_by_a_constant" and hint.endswith(said)


def test_a_parameter_of_another_name_is_told_with_both_names():
    exercise = Exercise("Scale", 1, 1, 1)
    state = {"factor": torch.ones(2)}

    @exercise.cases
    def cases(rng):
        yield Case("a vector", {"x": rng.normal(2)}, construct={}, state=state)

    @exercise.oracle
    class Right(nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = nn.Parameter(torch.ones(2))

        def forward(self, x):
            return self.factor * x

    class Wrong(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(2))

    built = checks.build(exercise)
    verdict = diagnosed(built, [observe(Wrong, item.case) for item in built.cases])
    assert verdict.misconception == "has_other_parameters"
    assert "lacks factor, and also has scale" in verdict.sentence


def test_two_modules_that_cannot_be_loaded_are_not_taken_for_one_mistake():
    exercise = Exercise("Scale", 1, 1, 1)
    state = {"layer.weight": torch.ones(2, 2)}

    def layers(**named):
        class Made(nn.Module):
            def __init__(self):
                super().__init__()
                for name, layer in named.items():
                    setattr(self, name, layer)

            def forward(self, x):
                return next(self.children())(x)

        return Made

    @exercise.cases
    def cases(rng):
        yield Case("a vector", {"x": rng.normal(2)}, construct={}, state=state)

    exercise.oracle(layers(layer=nn.Linear(2, 2, bias=False)))
    biased = layers(layer=nn.Linear(2, 2))
    biased.__name__ = "HasABias"
    exercise.misconception("There is a bias too many.")(biased)
    assert found(exercise, biased)[0] == "HasABias"
    other = layers(linear=nn.Linear(2, 2, bias=False))
    assert found(exercise, other)[0] == "has_other_parameters"


def test_every_pattern_that_is_recognised_has_a_hint_that_is_a_sentence():
    texts = (inspect.getsource(module) for module in (patterns, tensor_patterns, symptoms))
    found = {name for text in texts for name in re.findall(r'"([a-z]+(?:_[a-z0-9]+)+)"', text)}
    found |= {kind.pattern for kind in DifferenceKind} - {""}
    assert {"is_zero", "says_no_always", "draws_nothing"} <= found <= PATTERNS.keys()
    assert all(one.hint.endswith((".", "?")) and len(one.hint) < 300 for one in EVERY_PATTERN)
