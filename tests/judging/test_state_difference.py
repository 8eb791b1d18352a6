"""What a call leaves of what it may change is judged as what it returns is."""

from dataclasses import replace
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from diagnosed import diagnosed

from autograder.author import Case, Exercise, Generator, Model, Optimizer
from autograder.chapters.drift import drift
from autograder.chapters.solutions import load
from autograder.common.files import REPOSITORY
from autograder.confined.observe import observe
from autograder.exercise import wire
from autograder.judging import checks, checks_file
from autograder.showing.card import Card


@pytest.fixture(scope="module")
def chapter():
    return load(REPOSITORY / "tests" / "toy_course", "03_changes")


@pytest.fixture(scope="module")
def known(chapter):
    return {name: checks.build(exercise, "s") for name, exercise in chapter.exercises.items()}


def verdict_on(built, target):
    return diagnosed(built, [observe(target, item.case) for item in built.cases])


def stepping(model, tokens, optimizer, before=None, after=None):
    optimizer.zero_grad()
    if before:
        before(model, optimizer)
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    if after:
        after(model, optimizer)
    return loss.detach()


def test_a_right_step_passes_and_each_mistake_has_its_own_name(chapter, known):
    for name, exercise in chapter.exercises.items():
        for variant in exercise.variants:
            assert verdict_on(known[name], variant.target).kind == "passed"
        for wrong in exercise.misconceptions:
            assert verdict_on(known[name], wrong.target).misconception == wrong.name


def rows(value):
    def change(model, optimizer):
        model.rows.data = value(model.rows.data)

    return change


def without(name):
    def change(model, optimizer):
        for entries in optimizer.state.values():
            entries.pop(name, None)

    return change


CHANGES = [
    (rows(lambda rows: rows + 0.01), "25 of 25 entries of rows of the model afterwards differ"),
    (rows(lambda rows: rows[:4]), "The shape of rows of the model afterwards is (4, 5), expected"),
    (rows(lambda rows: rows.double()), "The dtype of rows of the model afterwards is float64"),
    (lambda model, optimizer: model.eval(), "The mode of the model afterwards is evaluation, "
     "expected training."),
    (lambda model, optimizer: model.register_buffer("more", torch.ones(2)),
     "There is too much in the model afterwards: 1 more than there should be."),
    (lambda model, optimizer: model._parameters.clear(),
     "Something of the model afterwards is missing: rows."),
    (lambda model, optimizer: optimizer.param_groups[0].update(lr=0.4),
     "The value of lr of the optimizer afterwards is wrong."),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_what_is_left_otherwise_is_told_by_its_name(known, change, said):
    found = verdict_on(known["step"], partial(stepping, after=change))
    assert found.kind == "wrong" and said in found.sentence and said in str(Card(found))


def test_only_a_secret_case_sees_the_moments_and_tells_no_name_within_the_optimizer(known):
    found = verdict_on(known["step"], partial(stepping, after=without("exp_avg")))
    assert (found.case, found.public) == ("moments", False)
    assert found.sentence == (
        "Something of the optimizer afterwards is missing, or there is too much."
    )


def test_no_name_of_a_parameter_tells_anything_about_a_secret_case(known):
    def spoils(model, optimizer):
        if isinstance(optimizer, torch.optim.AdamW):
            model.rows.data += 1

    found = verdict_on(known["step"], partial(stepping, after=spoils))
    assert found.sentence == "The values are wrong: the model afterwards."
    assert "rows" not in str(Card(found))


def writing(model, start, length, generator, draw=None):
    was, tokens = model.training, [start]
    model.eval()
    for _ in range(length):
        weights = model(torch.tensor(tokens[-1])).softmax(-1)
        drawn = draw(weights, generator) if draw else weights.argmax()
        tokens.append(drawn.item())
    model.train(was)
    return torch.tensor(tokens[1:])


def test_who_draws_nothing_or_from_elsewhere_gets_a_hint(known):
    built = replace(known["write"], hints={}, cases=[
        replace(item, wrong={}) for item in known["write"].cases
    ])  # fmt: skip
    nothing = verdict_on(built, writing)
    assert nothing.sentence == "Nothing was drawn from the generator, or it was put back."
    assert nothing.misconception == "draws_nothing"
    named = replace(built, returns=("the tokens", "the model", "the generator afterwards"))
    assert verdict_on(named, writing).sentence == nothing.sentence
    elsewhere = verdict_on(
        built, partial(writing, draw=lambda weights, _: torch.multinomial(weights, 1))
    )
    assert elsewhere.sentence.startswith("Something was drawn from torch's own generator")
    assert elsewhere.misconception == "draws_elsewhere"


def greedy(draws):
    exercise = Exercise("pick", 1, 1, 1, ("the token", "the generator"))

    @exercise.cases
    def cases(rng):
        inputs = {"logits": rng.normal(5), "generator": Generator(1, draws)}
        yield Case("greedy", inputs)

    @exercise.oracle
    def right(logits, generator):
        return logits.argmax()

    return exercise


def test_where_nothing_has_to_be_drawn_either_is_right_but_not_torchs_own_generator():
    def draws_first(logits, generator):
        torch.rand(3, generator=generator)
        return logits.argmax()

    def draws_elsewhere(logits, generator):
        torch.rand(3)
        return logits.argmax()

    built = checks.build(greedy(draws=False))
    assert verdict_on(built, lambda logits, generator: logits.argmax()).kind == "passed"
    assert verdict_on(built, draws_first).kind == "passed"
    assert verdict_on(built, draws_elsewhere).misconception == "draws_elsewhere"


DROPS = """
class Drops(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        return F.dropout(x * self.weight, 0.5, self.training)
"""


def test_a_right_answer_that_needs_torchs_own_generator_lets_others_use_it():
    exercise = Exercise("noisy", 1, 1, 1, ("the shape", "the model", "the generator"))

    @exercise.cases
    def cases(rng):
        yield Case("drops", {"model": Model(DROPS, {"weight": rng.normal(3)}), "x": rng.normal(3),
                             "generator": Generator(1)})  # fmt: skip

    @exercise.oracle
    def right(model, x, generator):
        noise = torch.rand(3, generator=generator, device=x.device)
        return [*(model(x) + noise).shape]

    def without_dropout(model, x, generator):
        return [*torch.rand(3, generator=generator, device=x.device).shape]

    built = checks.build(exercise)
    assert verdict_on(built, right).kind == "passed"
    assert verdict_on(built, without_dropout).kind == "passed"


def test_checks_with_what_a_call_may_change_come_back_from_their_file_as_they_were(known, tmp_path):
    path = tmp_path / "checks.safetensors"
    path.write_bytes(checks_file.packed([*known.values()]))
    back = checks_file.load(path)
    assert checks_file.packed([*back.values()]) == path.read_bytes()
    for name, exercise in back.items():
        right = [item.expected for item in exercise.cases]
        assert diagnosed(exercise, right).kind == "passed", name


def test_another_weight_or_setting_is_a_drift_and_a_last_bit_is_none(chapter):
    public = checks.build(chapter.exercises["step"])

    def changed(**parts):
        item = public.cases[0]
        inputs = item.case.inputs | {
            name: replace(item.case.inputs[name], **more) for name, more in parts.items()
        }
        case = replace(item, case=replace(item.case, inputs=inputs))
        return drift([public], [replace(public, cases=[case, *public.cases[1:]])])

    weights = public.cases[0].case.inputs["model"].state["rows"]
    assert changed(model={"state": {"rows": weights * (1 + 1e-7)}}) == ""
    assert "inputs" in changed(model={"state": {"rows": weights * 1.1}})
    assert "inputs" in changed(optimizer={"settings": {"lr": 0.4}})
    assert "'SGD'" in changed(optimizer={"kind": "Adam"})


def test_what_only_an_input_can_be_is_refused_where_it_is_claimed_as_an_output(known):
    from autograder.common.errors import WireError
    from autograder.judging.claims import claimed

    built = known["step"]
    for stray in (Model("", {}), Optimizer("SGD", "model", {}), Generator(1)):
        trees = [item.expected.to_tree() for item in built.cases]
        trees[1]["output"] = (trees[1]["output"][0], {"training": stray}, {})
        with pytest.raises(WireError, match="as a result"):
            claimed(wire.unpack(wire.pack(trees)), "step", len(trees), None)


@pytest.mark.parametrize(
    "output",
    [
        (), (1, 2, 3), (torch.ones(()), {}, {}), (None, {"training": torch.ones(2)}, {"lr": "0.5"}),
        (torch.ones(()), {"training": "training", "rows": {"rows": 1}}, {"lr": [0.5]}),
        (torch.ones(()), {"training": 10**400, "rows": None}, {"lr": 10**400}), {"training": 1},
    ],
)  # fmt: skip
def test_whatever_is_claimed_to_be_left_can_be_judged(known, output):
    built = known["step"]
    seen = [replace(item.expected, output=output) for item in built.cases]
    assert diagnosed(built, seen).kind == "wrong"


SHIFTED = """
class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(5, 5))
        self.shift = nn.Parameter(torch.zeros(1))  # of all scores, so that no loss depends on it

    def forward(self, tokens):
        return self.rows[tokens] + self.shift
"""


def shifted(optimizer):
    """An exercise with a parameter whose gradient is nothing but rounding."""
    exercise = Exercise("step", 1, 1, 1, ("the loss", "the model", "the optimizer"))

    @exercise.cases
    def cases(rng):
        for number in range(4):
            state = {"rows": rng.normal(5, 5), "shift": rng.normal(1)}
            inputs = {"model": Model(SHIFTED, state), "tokens": rng.integers(0, 5, 2, 9)}
            yield Case(str(number), inputs | {"optimizer": optimizer(rng)}, terms=18)

    exercise.oracle(stepping)
    return checks.build(exercise)


def held(rng):
    parts = {"rows": (5, 5), "shift": (1,)}
    state = {
        name: {"step": 1, "exp_avg": rng.normal(*shape), "exp_avg_sq": 1 + rng.normal(*shape) ** 2}
        for name, shape in parts.items()
    }
    return Optimizer("AdamW", "model", {"lr": 0.1}, state)


def test_the_first_step_of_adamw_magnifies_rounding_and_given_moments_do_not():
    first = shifted(lambda rng: Optimizer("AdamW", "model", {"lr": 0.1}))
    assert "shift of the model" in verdict_on(first, stepping).sentence
    assert verdict_on(shifted(held), stepping).kind == "passed"
