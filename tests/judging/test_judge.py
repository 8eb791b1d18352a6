from dataclasses import replace

import pytest
import torch
from diagnosed import diagnosed

from autograder.author import Case, Exercise, SumsTo
from autograder.chapters.solutions import load
from autograder.common.files import REPOSITORY
from autograder.confined.observe import observe
from autograder.exercise.observation import Observation
from autograder.judging import checks, checks_file
from autograder.judging.verdict import Kind, stopped
from autograder.showing.card import Card


@pytest.fixture(scope="module")
def normalise(toy):
    return toy.exercises["normalise"]


def verdict_on(exercise, target, seed=None):
    built = checks.build(exercise, seed)
    return diagnosed(built, [observe(target, item.case) for item in built.cases])


def test_a_right_answer_earns_all_points(normalise):
    found = verdict_on(normalise, normalise.variants[0].target)
    assert (found.kind, found.points) == ("passed", 2)


@pytest.mark.parametrize("seed", [None, "secret", "another secret"])
def test_every_misconception_is_recognised_as_itself(normalise, seed):
    for wrong in normalise.misconceptions:
        found = verdict_on(normalise, wrong.target, seed)
        assert (found.kind, found.points, found.misconception) == ("wrong", 0, wrong.name)
        assert found.hint == wrong.hint


def test_a_misconception_is_recognised_when_it_is_written_in_another_way(normalise):
    def another_way(values):
        return torch.nn.functional.normalize(values, p=1, dim=-2)

    assert verdict_on(normalise, another_way).misconception == "sums_columns"


def test_a_wrong_answer_of_no_kind_that_is_known_gets_no_hint(normalise):
    found = verdict_on(normalise, lambda values: (values * 7).sin() + values.cos())
    assert (found.kind, found.misconception, found.hint) == ("wrong", "", "")


def test_a_violated_property_is_told_before_the_numbers(normalise):
    found = verdict_on(normalise, lambda values: values * 0.5)
    assert found.sentence.startswith("Each row should sum to 1.")


def test_a_stub_is_missing_not_wrong(normalise):
    def stub(values):
        raise NotImplementedError

    assert verdict_on(normalise, stub).kind == "missing"


def test_a_forbidden_call_is_a_verdict_of_its_own(toy):
    average = toy.exercises["average"]
    found = verdict_on(average, lambda w, v: torch.bmm(w[None], v[None])[0])
    assert (found.kind, found.points) == ("forbidden", 0)
    assert "bmm" in found.sentence


def test_passing_the_public_cases_only_is_not_passing(normalise):
    public = {tuple(item.case.inputs["values"].shape) for item in checks.build(normalise).cases}

    def memorised(values):
        right = values / values.sum(-1, keepdim=True)
        return right if tuple(values.shape) in public else values

    assert verdict_on(normalise, memorised).kind == "passed"
    assert verdict_on(normalise, memorised, "secret").kind == "wrong"


def test_a_secret_case_shows_no_value_and_no_text_of_an_exception(normalise):
    def tells(values):
        if values.shape == (1, 6):
            raise ValueError(f"the input is {values}")
        return values / values.sum(-1, keepdim=True)

    found = verdict_on(normalise, tells, "secret")
    assert (found.kind, found.public) == ("raised", False)
    assert "tensor" not in str(Card(found)) + repr(found)


def test_without_a_verdict_there_are_no_marks_and_no_zero(normalise):
    built = checks.build(normalise)
    assert stopped(built, Kind.INFRASTRUCTURE, "down").points is None


def test_checks_come_back_from_their_file_as_they_were(normalise, tmp_path):
    path = tmp_path / "checks.safetensors"
    path.write_bytes(checks_file.packed([checks.build(normalise)]))
    assert checks_file.packed([*checks_file.load(path).values()]) == path.read_bytes()


def test_the_same_seed_gives_the_same_cases_and_another_seed_others(normalise):
    one, same, other = (checks.build(normalise, seed).cases[-1] for seed in ("a", "a", "b"))
    assert torch.equal(one.case.inputs["values"], same.case.inputs["values"])
    assert not torch.equal(one.case.inputs["values"], other.case.inputs["values"])


def test_the_oracle_is_exact_to_the_dtype_of_the_case(normalise):
    half = next(item for item in checks.build(normalise).cases if "half" in item.case.name)
    exact = half.case.inputs["values"].double()
    assert half.expected.output.dtype == torch.float16
    assert torch.equal(half.expected.output, (exact / exact.sum(-1, keepdim=True)).half())


def test_every_observation_is_judged_whatever_it_claims(normalise):
    built = checks.build(normalise)
    empty = [Observation() for _ in built.cases]
    assert diagnosed(built, empty).kind == "wrong"
    lies = [replace(item.expected, output=torch.zeros(0)) for item in built.cases]
    assert diagnosed(built, lies).kind == "wrong"


def test_what_is_made_from_plain_numbers_may_stay_on_the_cpu():
    built = checks.build(load(REPOSITORY, "04_masks").exercises["causal_mask"])
    seen = [item.expected for item in built.cases]
    assert diagnosed(built, seen, device="cuda").kind == "passed"


def test_what_is_missing_behind_wrong_numbers_is_no_fault_of_ours():
    exercise = Exercise("two", 1, 1, 1, ("a", "b"), properties=(SumsTo(1, -1, "b sums to 1."),))

    @exercise.cases
    def cases(rng):
        yield Case("one", {"x": rng.normal(3)})

    @exercise.oracle
    def right(x):
        return x, x.softmax(-1)

    assert verdict_on(exercise, lambda x: (2 * x, None)).kind == "wrong"
