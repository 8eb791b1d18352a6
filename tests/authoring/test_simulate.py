"""What a made-up class is meant to get."""

import torch

from autograder.authoring.simulate import kind_of
from autograder.exercise.case import Case
from autograder.exercise.spec import Exercise
from autograder.judging.checks import build
from autograder.judging.verdict import Kind


def test_a_mistake_that_only_secret_cases_show_is_meant_to_be_wrong():
    exercise = Exercise("root", 1, 1, 1)
    exercise.cases(lambda rng: iter([Case("positive", {"x": torch.ones(3)})]))
    exercise.secret_cases(lambda rng: iter([Case("negative", {"x": -rng.bools(3).float() - 1})]))
    exercise.oracle(lambda x: x.abs().sqrt())
    exercise.misconception("What is the root of a negative number?")(lambda x: x.sqrt())
    exercise.misconception("You forget the root.")(lambda x: 2 * x.abs())
    shown, hidden = exercise.misconceptions[1], exercise.misconceptions[0]
    known = build(exercise)
    assert kind_of(exercise, known, shown) == kind_of(exercise, known, hidden) == Kind.WRONG
