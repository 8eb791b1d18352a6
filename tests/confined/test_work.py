"""Counted work is all the work of a result, and a right answer may still look at numbers."""

import math

import pytest
import torch
from torch import nn

from autograder.author import Generator
from autograder.confined.observe import observe
from autograder.exercise.case import WORK, Case
from tests.confined.ways_back import BACK
from tests.confined.ways_out import OUT, mix

KEYS = 5
WAYS = OUT | BACK


def case(**more):
    noise = torch.Generator().manual_seed(3)
    shapes = {"query": (6, 4), "key": (KEYS, 4), "value": (KEYS, 3)}
    inputs = {name: torch.randn(shape, generator=noise) for name, shape in shapes.items()}
    return Case("c", inputs | more, traced=WORK)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_computed_elsewhere_is_never_counted_as_little_work(way):
    found, right = observe(WAYS[way], case()), observe(mix, case())
    assert torch.allclose(found.output, right.output, atol=0.02)
    assert found.cost is None


def test_what_was_remembered_of_an_earlier_call_is_not_the_result_of_this_one():
    known = []

    def remembers(query, key, value):
        if not known:
            known.append(torch.tensor(mix(query, key, value).tolist()))
        return known[0].clone()

    found, right = observe(remembers, case()), observe(mix, case())
    assert found.cost is None or not torch.allclose(found.output, right.output, rtol=1e-3)


def shifts_by_the_largest(query, key, value):
    scores = query @ key.mT
    weights = (scores - scores.max().item()).exp()
    return weights / weights.sum(-1, keepdim=True) @ value


def by_lengths(query, key, value):
    assert query.numpy().shape[1] == key.size(-1)
    rows = [query[i : i + 1] @ key.mT @ value for i in range(len(query.tolist()))]
    return torch.cat(rows)


def looks_while_it_works(query, key, value):
    scores = query @ key.mT
    print(scores, float(scores.mean()))
    if scores.isnan().any() or not bool((scores < 1e9).all()):
        raise ValueError(f"{scores}")
    return scores @ value


def into_place(query, key, value):
    result = torch.empty(len(query), value.size(1))
    for row, place in zip(query, result, strict=True):
        torch.mv(value.mT, key @ row, out=place)
    return result.mul_(1.0)


@torch.inference_mode()
def without_gradients(query, key, value):
    return torch.matmul(torch.matmul(query, key.transpose(0, 1)), value)


def with_constants(query, key, value):
    blocked = torch.tensor([[j > i for j in range(KEYS)] for i in range(len(query))])
    scores = torch.where(blocked, torch.tensor(-math.inf), query @ key.mT * torch.tensor([0.5]))
    return scores.softmax(-1) @ value.data


def through_gradients(query, key, value):
    weight = torch.zeros(len(query), len(key), requires_grad=True)
    (back,) = torch.autograd.grad((weight * (query @ key.mT)).sum(), weight)
    return torch.func.vjp(lambda one: one @ value, back)[0] @ torch.eye(3)


def of_each_row(query, key, value):
    return torch.vmap(lambda row: (key @ row) @ value)(query)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, one, other):
        return one @ other

    @staticmethod
    def backward(ctx, grad):
        raise NotImplementedError


def by_a_function_of_its_own(query, key, value):
    return Product.apply(Product.apply(query, key.mT), value)


def by_complex_numbers(query, key, value):
    both = torch.view_as_complex(query.unflatten(1, (2, 2)))
    other = torch.view_as_complex(key.unflatten(1, (2, 2)))
    return (both @ other.conj().mT).real @ value


def by_layers(query, key, value):
    layer = nn.Linear(4, KEYS, bias=False)
    layer.weight.data.copy_(key)
    return nn.functional.scaled_dot_product_attention(layer(query), torch.eye(KEYS), value)


def by_what_it_draws(query, key, value):
    return nn.functional.dropout(query @ key.mT, 0.5) @ value


RIGHT = [mix, shifts_by_the_largest, by_lengths, looks_while_it_works, into_place,
         without_gradients, with_constants, through_gradients, of_each_row, by_complex_numbers,
         by_a_function_of_its_own, by_layers, by_what_it_draws]  # fmt: skip


@pytest.mark.parametrize("answer", RIGHT)
def test_an_answer_may_look_at_numbers_as_long_as_its_result_is_made_by_torch(answer):
    found = observe(answer, case())
    assert found.failure is None
    assert found.cost.largest <= 96
    assert found.cost.matmuls or answer is into_place


def test_parts_of_operations_are_counted_in_inference_mode_too():
    assert observe(without_gradients, case()).cost == observe(mix, case()).cost


def test_a_module_and_a_generator_are_given_once_more():
    class Noisy(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(3, 3))
            self.register_buffer("calls", torch.zeros(()))
            self.seen = torch.zeros(2)

        def forward(self, x, generator):
            self.calls += 1
            self.seen[0] += x.sum()
            noise = torch.rand(3, generator=generator)
            return x @ self.weight + noise * self.calls + self.seen[0]

    def other(x, generator):
        return torch.rand(3, generator=torch.Generator().manual_seed(1)) + x

    inputs = {"x": torch.randn(4, 3), "generator": Generator(5)}
    state = {"weight": torch.randn(3, 3), "calls": torch.tensor(2.0)}
    made = Case("c", inputs, traced=WORK, construct={}, state=state)
    found = observe(Noisy, made)
    assert found.failure is None and found.cost.matmuls == 1
    assert observe(other, Case("c", inputs, traced=WORK)).cost is not None


def test_an_answer_that_raises_is_told_by_its_exception():
    found = observe(lambda query, key, value: query @ value, case())
    assert "cannot be multiplied" in found.failure.message and found.cost is None


def test_memory_of_many_small_tensors_is_counted_while_they_are_alive():
    def keeps(query, key, value):
        products = [query @ key.mT for _ in range(50)]
        return products[-1] @ value

    def frees(query, key, value):
        for _ in range(50):
            product = query @ key.mT
        return product @ value

    kept, freed = (observe(answer, case()).cost for answer in (keeps, frees))
    one = 4 * KEYS * 6
    assert 50 * one <= kept.peak < 60 * one and 2 * one <= freed.peak < 10 * one
    assert kept.largest == freed.largest
