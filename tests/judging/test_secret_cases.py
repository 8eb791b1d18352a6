"""A submission knows the inputs of secret cases; nothing that it chooses there is told."""

import json
from dataclasses import replace

import nbformat
import pytest
import torch
from diagnosed import diagnosed
from learners import notebook

from autograder.author import CostAtMost, Finite, SumsTo
from autograder.exercise.observation import Cost, Failure, Observation, Unsent
from autograder.grading import complaint
from autograder.grading.results import rows
from autograder.judging import checks
from autograder.showing.card import Card
from autograder.showing.outputs import write_outputs

MARK, NUMBER = "smuggled", 9173
FAILURE = Failure(MARK, MARK, NUMBER, MARK)
BUILT_IN = Failure("IndexError", MARK, NUMBER, MARK)
GRADIENTS = {"values": torch.ones(2)}


def row(*values):
    return torch.tensor([values])


CLAIMS = {
    "an exception": {"failure": FAILURE},
    "a built-in exception": {"failure": BUILT_IN},
    "a shape": {"output": torch.ones(1, NUMBER)},
    "an axis too many": {"output": torch.ones(NUMBER, 1, 6)},
    "a dtype": {"output": torch.ones(1, 6, dtype=torch.complex64)},
    "a text": {"output": MARK},
    "a text like the name of a type": {"output": f"a {MARK}"},
    "what cannot be sent": {"output": Unsent(f"a {MARK}")},
    "a number": {"output": NUMBER},
    "a number too large for a float": {"output": 10**400},
    "several values": {"output": (MARK, NUMBER)},
    "a dictionary": {"output": {MARK: NUMBER}},
    "some entries": {"output": row(NUMBER, 1.0, 1.0, 1.0, 1.0, 1.0)},
    "entries that are NaN": {"output": row(*[float("nan")] * 3, 1.0, 1.0, 1.0)},
    "a device": {"devices": [MARK]},
    "a clash of devices": {"clash": MARK},
    "a changed input": {"changed": [MARK, "values"]},
    "no gradients": {"gradients": None, "gradient_failure": FAILURE},
    "a gradient of another shape": {"gradients": {"values": torch.ones(NUMBER)}},
    "gradients of other names": {"gradients": {MARK: torch.ones(1)}},
    "a gradient that is NaN": {"gradients": {"values": torch.full((2,), float("nan"))}},
    "a gradient that is wrong": {"gradients": {"values": torch.tensor([1.0, NUMBER])}},
    "much work": {"cost": Cost(NUMBER, NUMBER, NUMBER, NUMBER)},
    "work that is not counted": {"cost": None},
}


@pytest.fixture(scope="module")
def built(toy):
    """One exercise with every kind of property, and gradients and counted work in its last case,
    which is secret."""
    exercise = toy.exercises["normalise"]
    known = checks.build(exercise, "secret")
    secret = known.cases[-1]
    assert not secret.case.public
    counted = replace(secret.expected, gradients=GRADIENTS, cost=Cost(1, 1, 1, 1))
    relations = (Finite(), SumsTo(0, -1, "Each row should sum to 1."),
                 CostAtMost("flops", 1.0, "Too much is computed."))  # fmt: skip
    cases = [*known.cases[:-1], replace(secret, expected=counted)]
    return replace(known, cases=cases, properties=relations)


def verdict_on(built, claim):
    right = [item.expected for item in built.cases]
    return diagnosed(built, [*right[:-1], replace(right[-1], **claim)])


def told(verdict, released):
    """All that is written of a verdict, wherever it is shown."""
    made = notebook(released, {})
    write_outputs(made, {verdict.exercise: verdict})
    text = nbformat.writes(made)
    checked = [cell.outputs for cell in made.cells if cell.get("outputs")]
    row = rows("ada", "01_toy", {verdict.exercise: verdict})
    card = Card(verdict)
    return "\n".join([str(card), card._repr_html_(), json.dumps([row, checked]), repr(verdict),
                      complaint._card(text, verdict.exercise)])  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_nothing_that_a_submission_chooses_on_a_secret_case_is_told(built, released, claim):
    verdict = verdict_on(built, claim)
    assert verdict.kind in ("wrong", "raised") and not verdict.public
    found = told(verdict, released)
    for choice in (MARK, str(NUMBER), f"{NUMBER:,}", "IndexError", "complex", "3 of", "1e+"):
        assert choice not in found, choice


def test_two_claims_of_one_kind_cannot_be_told_apart(built, released):
    def said(**claim):
        return told(verdict_on(built, claim), released)

    half, most = torch.full((1, 6), 0.5), torch.full((1, 6), 0.9)
    assert said(output=half) == said(output=most)
    assert said(output=torch.ones(1)) == said(output=torch.ones(3, 4))
    assert said(failure=Failure("KeyError", "1", 1)) == said(failure=Failure("OSError", "2", 2))


def test_what_is_wrong_with_a_secret_case_is_still_told(built):
    assert verdict_on(built, {"output": torch.ones(1)}).sentence == "The shape of rows is wrong."
    assert verdict_on(built, {"changed": ["values"]}).sentence == (
        "The call changed the caller's inputs."
    )
    halves = torch.full((1, 6), 0.5)
    assert verdict_on(built, {"output": halves}).sentence == "Each row should sum to 1."


def test_a_changed_input_is_named_only_if_the_case_has_it(built):
    claims = [replace(item.expected, changed=[MARK, "values"]) for item in built.cases]
    sentence = diagnosed(built, claims).sentence
    assert sentence == "The call changed the caller's values."


def test_whatever_is_claimed_is_judged(built):
    empty = Observation()
    for claim in CLAIMS.values():
        seen = [replace(empty, **claim) for _ in built.cases]
        assert diagnosed(built, seen).kind in ("wrong", "raised")
