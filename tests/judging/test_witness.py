"""A result that is right because of what it does is tried on the trusted side, within bounds."""

from dataclasses import replace

import pytest
import torch
from diagnosed import diagnosed

from autograder.author import Case, Exercise, Finite, Model, Specimen, Witness
from autograder.common.errors import CourseError
from autograder.confined.observe import observe
from autograder.exercise import wire
from autograder.judging import checks, checks_file
from autograder.showing.card import Card

LEAKS = """
class Sums(nn.Module):
    def __init__(self, leak):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(5, 2))
        self.leak = leak  # the symbol that changes what stands before it

    def forward(self, tokens):
        seen = self.rows[tokens].cumsum(-2)
        return seen + (tokens == self.leak).any(-1)[..., None, None]
"""
CHANGES_THE_PAST = Specimen("""
def holds(tokens, model):
    tokens = tokens[0]
    whole = model(tokens)
    prefixes = [model(tokens[:n])[-1] for n in range(1, len(tokens))]
    return any(not torch.allclose(*pair) for pair in zip(prefixes, whole))
""")
SENTENCE = "A prefix of the tokens should get other outputs than it gets within them."
SEEN = Witness(0, CHANGES_THE_PAST, (1, 6), 0, 4, SENTENCE)


@pytest.fixture(scope="module")
def built():
    names, relations = ("the tokens", "the model"), (Finite(), SEEN)
    exercise = Exercise("witness", 2, 1, 1, names, properties=relations)

    def case(rng, leak):
        model = Model(LEAKS, {"rows": rng.normal(5, 2)}, {"leak": leak}, training=False)
        return Case(f"symbol {leak}", {"model": model})

    @exercise.cases
    def cases(rng):
        yield case(rng, 3)
        yield case(rng, 1)

    @exercise.secret_cases
    def secret_cases(rng):
        yield case(rng, 4)

    @exercise.oracle
    def right(model):
        return torch.tensor([[(model.leak + 1) % 5, model.leak]])

    @exercise.misconception("One token has no prefix.")
    def single(model):
        return torch.tensor([[model.leak]])

    @exercise.misconception("You give the symbol first. What stands before it?")
    def symbol_first(model):
        return torch.tensor([[model.leak, (model.leak + 1) % 5]])

    return checks.build(exercise, "s")


def verdict_on(built, target):
    return diagnosed(built, [observe(target, item.case) for item in built.cases])


@pytest.mark.parametrize(
    "target",
    [
        lambda model: torch.tensor([[0, model.leak]]),
        lambda model: torch.tensor([[2, 2, 0, 2, model.leak, 2]]),
        lambda model: torch.cat([torch.tensor([0, 2]), torch.tensor([model.leak])])[None],
    ],
)
def test_whatever_does_what_is_asked_for_is_right(built, target):
    assert verdict_on(built, target).kind == "passed"


def test_what_does_not_is_wrong_and_told_in_the_authors_words(built):
    found = verdict_on(built, lambda model: torch.tensor([[2, 2, 2]]))
    assert (found.kind, found.sentence, found.misconception) == ("wrong", SENTENCE, "")
    assert "expected" not in str(Card(found))  # what the oracle returned is one of many


def test_a_known_mistake_is_named(built):
    assert verdict_on(built, lambda model: torch.tensor([[model.leak]])).misconception == "single"
    first = verdict_on(built, lambda model: torch.tensor([[model.leak, (model.leak + 1) % 5]]))
    assert first.misconception == "symbol_first"


def test_what_is_right_in_public_cases_only_is_told_nothing_about_the_secret_one(built):
    def knows(model):
        return torch.tensor([[2, 3, 1]])

    found = verdict_on(built, knows)
    assert (found.kind, found.public, found.sentence) == ("wrong", False, SENTENCE)
    assert found.difference.expected is None and found.difference.actual is None


NAN, HUGE = float("nan"), 2**62
BOUND = "The result may have a shape of at most (1, 6)"
HOSTILE = [
    (torch.tensor([[0, HUGE]]), "All numbers of the result must lie between 0 and 4."),
    (torch.tensor([[0, -1]]), "All numbers of the result must lie between 0 and 4."),
    (torch.tensor([[0.0, NAN]]), "The dtype of the tokens is float32, expected int64."),
    (torch.tensor([[0, 1]], dtype=torch.uint8), "The dtype of the tokens is uint8"),
    (torch.tensor([[0, 1]], dtype=torch.complex64), "The dtype of the tokens is complex64"),
    (torch.zeros(1, 0, dtype=torch.int64), f"{BOUND}, and no axis is empty."),
    (torch.zeros(0, dtype=torch.int64), f"{BOUND}: 2 axes."),
    (torch.zeros((), dtype=torch.int64), f"{BOUND}: 2 axes."),
    (torch.zeros(1, 7, dtype=torch.int64), f"{BOUND}, and no axis is empty."),
    (torch.zeros(1, 1).long().expand(1000, 6), f"{BOUND}, and no axis is empty."),
    (torch.zeros(1, 1, 1, 1).long(), f"{BOUND}: 2 axes."),
    ([[0, 1]], "Expected the tokens to be a tensor, got a list"),
    (None, "Expected the tokens to be a tensor, got nothing"),
    (10**400, "Expected the tokens to be a tensor, got an int"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "said"), HOSTILE)
def test_the_predicate_never_sees_what_is_out_of_bounds(built, value, said, monkeypatch):
    tried = []
    holds = Witness._failed
    monkeypatch.setattr(Witness, "_failed", lambda self, given, case: (
        tried.append(given) or holds(self, given, case)))  # fmt: skip
    seen = [replace(item.expected, output=(value, item.expected.output[1])) for item in built.cases]
    found = diagnosed(built, seen)
    assert found.kind == "wrong" and said in found.sentence
    assert not [given for given in tried if given is value]


@pytest.mark.parametrize("output", [(), 1, None, {}, [1], (1, 2, 3), torch.tensor([[0, 3]])])
def test_an_observation_of_another_form_is_wrong(built, output):
    seen = [replace(item.expected, output=output) for item in built.cases]
    assert diagnosed(built, seen).kind == "wrong"


def test_a_subclass_of_tensor_is_judged_by_its_numbers(built):
    class Liar(torch.Tensor):
        __eq__ = eq = equal = __ge__ = __le__ = lambda *_, **__: True
        __hash__ = torch.Tensor.__hash__

    def lies(model):
        return torch.tensor([[2, 2, 9]]).as_subclass(Liar)

    def seen(target):
        trees = wire.pack([observe(target, item.case).output for item in built.cases])
        return [replace(item.expected, output=output)
                for item, output in zip(built.cases, wire.unpack(trees), strict=True)]  # fmt: skip

    assert diagnosed(built, seen(lies)).kind == "wrong"


def floats(holds, **more):
    exercise = Exercise("root", 1, 1, 1, ("the number",), properties=(
        Witness(0, Specimen(holds), **{"shape": (1,), "least": -9, "most": 9,
                                       "sentence": "Its square should be the input."} | more),
    ))  # fmt: skip

    @exercise.cases
    def cases(rng):
        yield Case("a square", {"x": rng.normal(1) ** 2})

    @exercise.oracle
    def right(x):
        return x.sqrt()

    return exercise


SQUARE = "def holds(root, x):\n    return torch.allclose(root ** 2, x)"


def test_numbers_may_be_a_witness_too_and_are_tried_in_float64():
    built = checks.build(floats(SQUARE))
    assert verdict_on(built, lambda x: -x.sqrt()).kind == "passed"
    assert verdict_on(built, lambda x: x).kind == "wrong"
    assert verdict_on(built, lambda x: x * NAN).kind == "wrong"
    exact = floats("def holds(root, x):\n    return root.dtype == x.dtype == torch.float64")
    assert verdict_on(checks.build(exact), lambda x: x).kind == "passed"


def test_the_predicate_cannot_spoil_what_the_next_one_sees():
    source = "def holds(root, x):\n    x += 1\n    root.zero_()\n    return True"
    spoils = checks.build(floats(source))
    seen = [observe(lambda x: x, item.case) for item in spoils.cases]
    before = seen[0].output.clone()
    assert diagnosed(spoils, seen).kind == "passed"
    assert torch.equal(seen[0].output, before)
    assert torch.equal(spoils.cases[0].case.inputs["x"], before)


@pytest.mark.parametrize("raised", ["raise ValueError", "return torch.ones(2)", "return x[99]"])
def test_a_predicate_that_raises_does_not_hold_and_the_author_is_told(raised):
    with pytest.raises(CourseError, match="Trying it raised"):
        checks.build(floats(f"def holds(root, x):\n    {raised}"))


def test_an_oracle_that_is_out_of_its_own_bounds_is_told():
    with pytest.raises(CourseError, match="must lie between -9 and -8"):
        checks.build(floats(SQUARE, most=-8))


def test_where_the_oracle_returns_none_only_none_is_right():
    exercise = Exercise("witness", 1, 1, 1, ("the tokens", "the model"), properties=(SEEN,))

    @exercise.cases
    def cases(rng):
        yield Case("sound", {"model": Model(LEAKS, {"rows": rng.normal(5, 2)}, {"leak": -1})})

    exercise.oracle(lambda model: None)
    built = checks.build(exercise)
    assert verdict_on(built, lambda model: None).kind == "passed"
    assert verdict_on(built, lambda model: torch.tensor([[0, 1]])).kind == "wrong"


def test_learners_have_the_predicate_in_their_file(built, tmp_path):
    path = tmp_path / "checks.safetensors"
    path.write_bytes(checks_file.packed([built]))
    back = checks_file.load(path)["witness"]
    assert back.properties == built.properties
    assert verdict_on(back, lambda model: torch.tensor([[0, model.leak]])).kind == "passed"
