"""Whatever a process claims about a call of any exercise, the judge gives a verdict on it.

Each claim is judged, and shown as students and teachers see it. None that returns something else
than what is right passes.
"""

import json
from dataclasses import replace

import pytest
from hostile_claims import Hostile
from torch import Tensor

from autograder.chapters.solutions import chapter_names, load
from autograder.common.files import REPOSITORY
from autograder.exercise.properties import Drawn
from autograder.exercise.stateful import Generator
from autograder.exercise.witness import Witness
from autograder.grading.results import rows
from autograder.judging.checks import build
from autograder.judging.marker import judged
from autograder.judging.verdict import Kind
from autograder.showing.card import Card

CASES, CLAIMS = 4, 10  # of an exercise; about a case
SHOWN = 60_000  # characters of a card


@pytest.mark.costly
@pytest.mark.parametrize("name", chapter_names(REPOSITORY))
def test_any_claim_about_any_exercise_gets_a_verdict(name):
    for exercise in load(REPOSITORY, name).exercises.values():
        checks = few_cases(build(exercise, "secret"))
        right = [checked.expected.to_tree() for checked in checks.cases]
        for at, checked in enumerate(checks.cases):
            hostile = Hostile(checked.expected, [*checked.case.inputs], f"{exercise.name} {at}")
            for number, (part, claim) in enumerate(hostile.claims(CLAIMS)):
                trees = [*right[:at], claim, *right[at + 1 :]]
                verdict = judged(checks, trees, None, "cpu")
                told = (exercise.name, at, number, part)
                assert verdict.points is not None, (told, verdict.sentence)
                assert is_shown(verdict), told
                assert verdict.kind != Kind.PASSED or may_pass(checks, at, part, claim), told


def few_cases(checks):
    """The checks with some of the cases: those that are looked at in different ways."""
    ways = {
        (bool(one.case.gradient), one.case.traced, one.case.placed): one for one in checks.cases
    }
    return replace(checks, cases=[*ways.values()][:CASES])


def is_shown(verdict):
    card = Card(verdict)
    row = json.dumps(rows("ada", "chapter", {"exercise": verdict}), ensure_ascii=False)
    return len(f"{card._repr_html_()}{card}{row}".encode()) < SHOWN


def may_pass(checks, at, part, claim):
    """Whether what is claimed may be right: all but what is drawn at random, or one of many."""
    free = any(isinstance(relation, Witness | Drawn) for relation in checks.properties)
    drawn = any(isinstance(one, Generator) for one in checks.cases[at].case.inputs.values())
    right = checks.cases[at].expected
    if part == "output" and not free and not drawn:
        return alike(right.output, claim["output"])
    return part != "failure" or not claim["failure"]


def alike(right, given):
    """Whether two returned trees are the same but for some rounding."""
    if isinstance(right, Tensor):
        same = isinstance(given, Tensor) and (right.shape, right.dtype) == (
            given.shape,
            given.dtype,
        )
        return same and right.double().allclose(given.double(), 0.01, 0.01, equal_nan=True)
    if isinstance(right, list | tuple):
        same = isinstance(given, list | tuple) and len(right) == len(given)
        return same and all(map(alike, right, given))
    if isinstance(right, dict):
        same = isinstance(given, dict) and right.keys() == given.keys()
        return same and all(alike(right[key], given[key]) for key in right)
    if isinstance(right, float):
        return isinstance(given, int | float) and abs(right - given) < 0.01
    return type(right) is type(given) and right == given
