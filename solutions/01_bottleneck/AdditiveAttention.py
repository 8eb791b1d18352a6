"""Cases, oracle and variants of `AdditiveAttention`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograder.author import EVERY, UNTRIED, Case, Exercise, Finite, Group, SumsTo

exercise = Exercise(
    "AdditiveAttention",
    points=5,
    difficulty=4,
    minutes=35,
    returns=("output", "weights"),
    read="01_bottleneck.html#in-code",
    builds_on=("additive_score", "attention_context"),
    properties=(
        Finite(),
        SumsTo(1, -1, "A row of weights should sum to 1, or to 0 where no key may be attended to."),
    ),
    groups=(
        Group("half precision", 1, cases=("half precision", "large scores in half precision")),
    ),
)

# Earlier exercises: the notebook has them.
additive_score: Callable[..., Any]
attention_context: Callable[..., Any]


def case(rng, name, batch, queries, keys, widths, dtype=torch.float32, **more):
    """Random inputs and weights; of each sequence some keys count and some do not.

    widths: d_q, d_k, d_v and d_hidden.
    """
    d_q, d_k, d_v, d_hidden = widths
    mask = rng.bools(batch, keys)
    mask[:, 1 % keys] = ~mask[:, 0] | (keys == 1)
    shapes = {"query": (queries, d_q), "key": (keys, d_k), "value": (keys, d_v)}
    inputs = {part: rng.normal(batch, *shape, dtype=dtype) for part, shape in shapes.items()}
    sizes = {"W_q": (d_hidden, d_q), "W_k": (d_hidden, d_k), "v": (1, d_hidden)}
    # small, so that no weight is nearly 1: its gradient would be little but rounding errors
    state = {f"{part}.weight": rng.normal(*size, dtype=dtype) / 2 for part, size in sizes.items()}
    construct = {"d_q": d_q, "d_k": d_k, "d_hidden": d_hidden}
    return Case(name, {**inputs, "mask": mask}, construct=construct, state=state, **more)


def far_apart(rng, name, masked, dtype=torch.float32, **more):
    """Scores thousands apart, those of masked keys the highest of all; one sequence has no key.

    masked: whether they are; otherwise all scores are the same, far below many a fill.
    """
    made = case(rng, name, 3, 3, 6, (4, 4, 5, 4), dtype, **more)
    made.inputs["mask"][:] = torch.tensor([4, 3, 0])[:, None] > torch.arange(6)
    # every tanh is of a number beyond 20, so it is 1 or -1 exactly
    made.state["W_q.weight"][:] = torch.eye(4) * 40
    made.state["W_k.weight"][:] = torch.eye(4) * 20
    # sums are exact in every dtype
    made.state["v.weight"][:] = torch.tensor([1, 1, 2, 4]) * (1024 if masked else 2**30)
    made.inputs["query"][:] = rng.integers(0, 2, 3, 3, 4) * 2 - 1
    made.inputs["key"][:] = -3
    if masked:
        made.inputs["key"][0] = rng.integers(-1, 3, 6, 4) * 2 - 1
        made.inputs["key"][0, :2] = torch.tensor([[3, 3, 3, 3], [-3, 3, 3, 3]])  # 8192 and 6144
        made.inputs["key"][:, 4:] = 3
    return made


def example():
    """That of the text: v is 0, and so is every score."""
    sizes = {"W_q": (3, 2), "W_k": (3, 1), "v": (1, 3)}
    state = {f"{part}.weight": torch.zeros(size).double() for part, size in sizes.items()}
    inputs = {"query": [[[1, 0], [2, 1]]], "key": [[[1], [2], [3], [4]]],
              "value": [[[1, 0], [5, 2], [6, 6], [8, 4]]]}  # fmt: skip
    tensors = {part: torch.tensor(rows).double() for part, rows in inputs.items()}
    mask = torch.tensor([[True, True, False, False]])
    construct = {"d_q": 2, "d_k": 1, "d_hidden": 3}
    name = "the example above in float64"
    return Case(name, {**tensors, "mask": mask}, construct=construct, state=state)


def hide(made, *sequences):
    """The case with no key left to attend to in some sequences of its batch."""
    made.inputs["mask"][list(sequences)] = False
    return made


@exercise.cases
def cases(rng):
    first = "every dimension different"
    yield case(rng, first, 2, 3, 5, (4, 6, 7, 8), gradient=True)
    made = case(rng, "as many sequences as queries", 3, 3, 4, (5, 2, 6, 7), torch.float64)
    made.inputs["mask"][:] = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0]]).bool()
    yield made
    yield hide(case(rng, "a sequence without keys", 3, 2, 4, (3, 5, 2, 6), gradient=True), 1)
    yield example()
    yield far_apart(rng, "equal scores far below 0", False)
    yield far_apart(rng, "large scores and masked ones larger", True, gradient=True)
    yield case(rng, "half precision", 2, 4, 5, (3, 4, 2, 6), torch.float16)
    yield case(rng, "training mode", 2, 4, 4, (3, 4, 5, 6), training=True)


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(4, 6), rng.integer(6, 8), rng.integer(8, 12)
    made = case(rng, "no key is masked", batch, queries, keys, (5, 3, 4, 9), gradient=True)
    made.inputs["mask"][:] = True
    yield made
    nothing = case(rng, "one sequence without keys", 1, queries, keys, (3, 4, 5, 6), gradient=True)
    yield hide(nothing, 0)
    yield hide(case(rng, "one key", batch, queries, 1, (4, 3, 2, 5)), 0)
    yield far_apart(rng, "large scores in half precision", True, torch.float16, gradient=True)
    yield hide(case(rng, "every axis the same", 4, 4, 4, (4, 4, 4, 4), gradient=True), 2)


exercise.promise("widths of the queries", "every dimension different")
exercise.promise("number of hidden units", "every dimension different")
exercise.promise("Parameters, without biases", EVERY)
exercise.promise("How they start is up to you.", UNTRIED)
exercise.promise("in the dtype and on the device", "half precision", "no key is masked")
exercise.promise(
    "Scores may lie thousands", "equal scores far below 0", "large scores and masked ones larger"
)
exercise.promise("True = may attend, the same for all queries", "every axis the same")
exercise.promise("output and weights", "training mode")
exercise.promise(
    "Each row of weights", "as many sequences as queries", "the example above in float64"
)
exercise.promise(
    "Gradients reach query", "a sequence without keys", "large scores in half precision"
)


class Layers(nn.Module):
    """The weights, as the task asks for them."""

    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q = nn.Linear(d_q, d_hidden, bias=False)
        self.W_k = nn.Linear(d_k, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)


@exercise.oracle
class OnlyTheKeysThatCount(Layers):
    """No mask at all: sequence by sequence, the keys that do not count are left out."""

    def forward(self, query, key, value, mask):
        rows = []
        for asked, offered, counts in zip(query, key, mask, strict=True):
            hidden = torch.tanh(self.W_q(asked)[:, None] + self.W_k(offered[counts]))
            shares = self.v(hidden)[..., 0].softmax(dim=1)
            places = torch.eye(len(counts), dtype=shares.dtype)[counts]
            rows.append(shares @ places)
        weights = torch.stack(rows)
        return torch.einsum("bqk,bkv->bqv", weights, value), weights


@exercise.variant
class BuiltFromTheParts(Layers):
    def forward(self, query, key, value, mask):
        v = self.v.weight.squeeze(0)
        scores = additive_score(query, key, self.W_q.weight, self.W_k.weight, v)
        allowed = mask.unsqueeze(1)
        weights = torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)
        weights = torch.where(allowed, weights, torch.zeros_like(weights))
        return attention_context(weights, value), weights


@exercise.variant
class FilledWithTheSmallestNumber(nn.Module):
    W_q: nn.Linear
    W_k: nn.Linear

    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        for name, width in (("W_q", d_q), ("W_k", d_k)):
            self.add_module(name, nn.Linear(width, d_hidden, bias=False))
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, key, value, mask):
        hidden = torch.tanh(self.W_q(query).unsqueeze(2) + self.W_k(key).unsqueeze(1))
        scores = torch.einsum("bqkh,h->bqk", hidden, self.v.weight[0])
        scores = torch.where(mask[:, None, :], scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1) * mask[:, None, :].to(scores.dtype)
        return torch.bmm(weights, value), weights


@exercise.variant
class ParametersWithoutLinear(nn.Module):
    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q, self.W_k, self.v = nn.Module(), nn.Module(), nn.Module()
        self.W_q.weight = nn.Parameter(torch.randn(d_hidden, d_q))
        self.W_k.weight = nn.Parameter(torch.randn(d_hidden, d_k))
        self.v.weight = nn.Parameter(torch.randn(1, d_hidden))

    def forward(self, query, key, value, mask):
        left, right = query @ self.W_q.weight.T, key @ self.W_k.weight.T
        hidden = torch.tanh(left[:, :, None] + right[:, None])
        scores = (hidden * self.v.get_parameter("weight")).sum(dim=-1)
        scores = scores.masked_fill(~mask[:, None], -torch.inf)
        highest = scores.amax(dim=-1, keepdim=True).nan_to_num(neginf=0.0)
        shares = torch.exp(scores - highest)
        weights = shares / shares.sum(-1, keepdim=True).clamp(min=0.5)
        return weights @ value, weights
