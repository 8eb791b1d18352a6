"""Weights are loaded by name: a parameter may have several, and buffers may be there."""

import copy

import pytest
import torch
from torch import nn

from autograder.author import Case
from autograder.confined.observe import observe
from autograder.exercise.rounding import Exactness
from autograder.judging.compare import first_difference
from autograder.judging.expected import exact

STATE = {"embed.weight": torch.linspace(-1, 1, 12).reshape(4, 3)}
TOKENS = torch.tensor([[0, 3, 1], [2, 2, 0]])
CASE = Case("case", {"tokens": TOKENS}, construct={}, state=STATE, gradient=True, placed=True)


class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 3)

    def forward(self, tokens):
        return self.embed(tokens) @ self.embed.weight.T


class Tied(Right):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 4, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(self.embed(tokens))


class TiedTheOtherWayRound(Tied):
    def __init__(self):
        nn.Module.__init__(self)
        self.head = nn.Linear(3, 4, bias=False)
        self.embed = nn.Embedding(4, 3)
        self.embed.weight = self.head.weight


class Copied(nn.Module):
    def __new__(cls):
        return copy.deepcopy(Tied())


class WithBuffer(Right):
    def __init__(self):
        super().__init__()
        self.register_buffer("ones", torch.ones(3))

    def forward(self, tokens):
        return super().forward(tokens) * self.ones[0]


def told(target):
    return first_difference(exact(Right, CASE), observe(target, CASE), ("logits",), Exactness(1))


@pytest.mark.parametrize("right", [Tied, TiedTheOtherWayRound, Copied, WithBuffer])
def test_a_second_name_of_a_parameter_and_what_is_no_parameter_may_be_there(right):
    assert told(right) is None


def test_a_buffer_that_is_given_is_loaded_and_any_other_stays_as_it_was_made():
    given = {**STATE, "ones": torch.full((3,), 2.0)}
    case = Case("case", {"tokens": TOKENS}, construct={}, state=given)
    twice, once = observe(WithBuffer, case).output, observe(WithBuffer, CASE).output
    assert torch.equal(twice, 2 * once)


def test_a_head_whose_gradient_does_not_reach_the_table_is_told_from_one_that_shares_it():
    class Detached(Right):
        def forward(self, tokens):
            return self.embed(tokens) @ self.embed.weight.detach().T

    assert told(Detached).kind == "gradient"


def test_a_tensor_on_the_cpu_is_noticed_in_a_module_whose_layers_share_a_parameter():
    class OnTheCpu(Tied):
        def forward(self, tokens):
            return super().forward(tokens) + torch.zeros(4)

    assert told(OnTheCpu).kind == "device"


def test_a_parameter_that_was_not_given_is_refused_by_its_name():
    class WithHead(Right):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(3, 4, bias=False)

    assert "also has head.weight" in observe(WithHead, CASE).failure.message
