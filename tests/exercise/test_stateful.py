"""What a call may change is built afresh for it, and what it is afterwards is observed."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import Case, Generator, Model, Optimizer
from autograder.confined.observe import observe
from autograder.exercise import wire

NEXT = """
class Inner(nn.Module):
    def __init__(self, symbols):
        super().__init__()
        self.rows = nn.Parameter(torch.zeros(symbols, symbols))

class Leaky(nn.Module):
    def __init__(self, symbols):
        super().__init__()
        self.inner = Inner(symbols)
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))

    def forward(self, tokens):
        self.seen += 1
        return self.inner.rows[tokens]
"""
ROWS = torch.linspace(-1, 1, 9).reshape(3, 3)
WIDE = """
class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 5, bias=False)

    def forward(self, x):
        return self.layer(x)
"""
PAIR = """
class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2))

    def forward(self):
        return self.first.sum() + self.second.sum()
"""
STATE = {"inner.rows": ROWS, "seen": torch.tensor(4)}
TOKENS = torch.tensor([[0, 1, 2, 1], [2, 2, 0, 1]])
ROW = "inner.rows"


def model(**more):
    return Model(NEXT, STATE, {"symbols": 3}, **more)


def loss_of(model, tokens):
    return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


def train_step(model, tokens, optimizer):
    optimizer.zero_grad()
    loss = loss_of(model, tokens)
    loss.backward()
    optimizer.step()
    return loss


def seen(target, traced=False, placed=False, gradient=False, **inputs):
    return observe(target, Case("c", inputs, gradient=gradient, traced=traced, placed=placed))


def step(target=train_step, of_model=None, kind="SGD", state=None, **settings):
    optimizer = Optimizer(kind, "model", {"lr": 0.5} | settings, state or {})
    return seen(target, model=of_model or model(), tokens=TOKENS, optimizer=optimizer)


def test_an_optimizer_may_have_several_groups_with_settings_of_their_own():
    wide = Model(PAIR, {"first": torch.ones(2), "second": torch.ones(2)})
    groups = [{"params": ["second"]}, {"params": ["first"], "lr": 0.25}]

    def steps(model, optimizer):
        model().backward()
        optimizer.step()
        optimizer.param_groups[1]["lr"] = 4.0

    optimizer = Optimizer("SGD", "model", {"lr": 0.5, "params": groups})
    _, after, held = seen(steps, model=wide, optimizer=optimizer).output
    assert (after["first"].tolist(), after["second"].tolist()) == ([0.75] * 2, [0.5] * 2)
    assert held == {"lr": 0.5, "lr of group 1": 4.0}


def test_a_model_has_its_weights_and_its_mode_and_its_class_has_a_name_that_says_nothing():
    def looks(model):
        return model.inner.rows * 1, model.training, type(model).__name__

    (rows, training, name), _ = seen(looks, model=model(training=False)).output
    assert torch.equal(rows, ROWS) and (training, name) == (False, "Model")


def test_what_a_model_is_after_the_call_stands_behind_what_was_returned():
    def trains(model):
        model.inner.rows.data += 1
        model.seen.zero_()
        return "done"

    returned, after = seen(trains, model=model()).output
    assert returned == "done"
    assert {*after} == {"training", ROW, "seen"}
    assert torch.equal(after[ROW], ROWS + 1) and after["seen"] == 0


def test_no_call_can_spoil_what_the_next_is_given():
    def spoils(model):
        model.inner.rows.data.zero_()

    assert torch.equal(seen(spoils, model=model()).output[1][ROW], torch.zeros(3, 3))
    assert torch.equal(seen(lambda model: 0, model=model()).output[1][ROW], ROWS)


def test_the_mode_of_a_model_is_that_of_all_its_parts():
    def part(model):
        model.inner.eval()

    modes = [seen(target, model=model()).output[1]["training"]
             for target in (lambda model: None, lambda model: model.eval(), part)]  # fmt: skip
    assert modes == ["training", "evaluation", "training in parts"]


def test_a_model_is_no_input_that_must_stay_as_it_was():
    assert step().changed == []


def test_a_step_moves_the_model_that_the_optimizer_is_of():
    loss, after, optimizer = step().output
    rows = ROWS.clone().requires_grad_()
    right = F.cross_entropy(rows[TOKENS[:, :-1]].flatten(0, 1), TOKENS[:, 1:].flatten())
    (slope,) = torch.autograd.grad(right, rows)
    assert torch.allclose(loss, right) and torch.allclose(after[ROW], ROWS - 0.5 * slope)
    assert optimizer == {"lr": 0.5}


def test_stale_gradients_are_found_by_the_call():
    def keeps(model, tokens, optimizer):
        loss_of(model, tokens).backward()
        optimizer.step()

    stale = model(gradients={ROW: torch.ones(3, 3)})
    apart = step(of_model=stale).output[1][ROW] - step(keeps, of_model=stale).output[1][ROW]
    assert torch.allclose(apart, torch.full((3, 3), 0.5))


def test_gradients_that_are_left_are_observed_where_the_author_says_so_and_none_is_zero():
    counted = model(leaves_gradients=True)
    left = [seen(target, model=counted, tokens=TOKENS).output[1][f"grad of {ROW}"]
            for target in (lambda model, tokens: loss_of(model, tokens).backward(),
                           lambda model, tokens: None)]  # fmt: skip
    assert left[0].abs().sum() > 0 and torch.equal(left[1], torch.zeros(3, 3))
    assert f"grad of {ROW}" not in seen(lambda model: 0, model=model()).output[1]


def test_what_an_optimizer_holds_before_the_call_matters_and_what_it_holds_after_is_observed():
    fresh = step(kind="AdamW").output[2]
    held = {ROW: {"step": 3, "exp_avg": ROWS, "exp_avg_sq": ROWS.square()}}
    later = step(kind="AdamW", state=held).output[2]
    names = ["lr", f"exp_avg of {ROW}", f"exp_avg_sq of {ROW}", f"step of {ROW}"]
    assert [*fresh] == [*later] == names
    assert (fresh[names[3]], later[names[3]]) == (1.0, 4.0)
    assert not torch.allclose(fresh[names[1]], later[names[1]])


def test_a_setting_that_the_call_changes_is_observed():
    def slower(model, tokens, optimizer):
        optimizer.param_groups[0]["lr"] /= 2

    assert step(slower).output[2] == {"lr": 0.25}


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta"])
def test_an_optimizer_of_any_usual_kind_can_be_given_and_sent(kind):
    found = step(kind=kind)
    assert found.failure is None
    assert repr(wire.unpack(wire.pack(found.to_tree()))) == repr(found.to_tree())


def test_gradients_with_respect_to_the_parameters_of_a_model_can_be_asked_for():
    found = seen(loss_of, gradient=True, model=model(), tokens=TOKENS).gradients
    assert [*found] == [f"{ROW} of model"] and found[f"{ROW} of model"].abs().sum() > 0


def test_the_work_of_a_training_step_is_counted():
    def one(model, x, optimizer, times):
        for _ in range(times):
            model(x).sum().backward()
        optimizer.step()

    wide = Model(WIDE, {"layer.weight": torch.ones(5, 4)})
    optimizer = Optimizer("SGD", "model", {"lr": 1.0})
    x = torch.ones(2, 3, 4)
    flops = [
        seen(
            partial(one, times=times), traced=True, model=wide, x=x, optimizer=optimizer
        ).cost.flops
        for times in (1, 2)
    ]
    product = 2 * 6 * 4 * 5
    assert flops == [2 * product, 4 * product]  # forward, and back to the weight


def test_what_was_left_stands_in_the_order_of_the_inputs():
    inputs = {"generator": Generator(1), "optimizer": Optimizer("SGD", "model", {"lr": 1.0}),
              "model": model()}  # fmt: skip
    _, *left = observe(lambda *_: 0, Case("c", inputs)).output
    assert [next(iter(state)) for state in left] == ["drawn elsewhere", "lr", "training"]


def test_an_answer_that_spoils_what_models_are_built_with_pays_for_it_itself(monkeypatch):
    def refuse(*_, **__):
        raise RuntimeError("no more models")

    def spoils(model, tokens):
        monkeypatch.setattr(nn.Module, "load_state_dict", refuse)
        return loss_of(model, tokens)

    found = seen(spoils, gradient=True, model=model(), tokens=TOKENS)
    assert found.failure is None and found.gradient_failure.message == "no more models"
