"""Cases, oracle and variants of `TransformerBlock`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import EVERY, Case, Exercise, Finite, Group

from .SelfAttention import SelfAttention

POST = "post-norm, "  # how the names of those cases begin
OF_POST = ("without a mask", "where no part finds anything", "padding", "small inputs",
           "other sizes", "half precision", "a query without a key",
           "no query has a key")  # fmt: skip
exercise = Exercise(
    "TransformerBlock",
    points=6,
    difficulty=4,
    minutes=40,
    returns=("the output",),
    read="07_block.html#norm-first",
    properties=(Finite(),),
    groups=(Group("post-norm", 2, cases=tuple(POST + name for name in OF_POST)),),
)

# An earlier exercise: the notebook has it.
layer_norm: Callable[..., Any]


def case(rng, name, sizes, widths, num_heads, mask=None, **options):
    """sizes: batch, length. widths: d_model, d_hidden. Pre-norm, unless the name says post-norm."""
    (batch, length), (d_model, d_hidden) = sizes, widths
    state = {}
    for layer in ("q", "k", "v", "o"):
        state[f"attend.W_{layer}.weight"] = rng.normal(d_model, d_model) / d_model**0.5
    for number in (1, 2):
        state[f"norm_{number}.weight"] = 1 + rng.normal(d_model) / 4
        state[f"norm_{number}.bias"] = rng.normal(d_model) / 4
    for number, (into, out) in enumerate([(d_model, d_hidden), (d_hidden, d_model)], start=1):
        state[f"W_{number}.weight"] = rng.normal(out, into) / into**0.5
        state[f"W_{number}.bias"] = rng.normal(out) / 2
    inputs = {"x": 2 * rng.normal(batch, length, d_model) + 0.5, "mask": mask}
    construct = {"d_model": d_model, "num_heads": num_heads, "d_hidden": d_hidden}
    construct["norm_first"] = not name.startswith(POST)
    return Case(name, inputs, construct=construct, state=state, **options)


def padding(rng, batch, length):
    """(batch, 1, 1, length); the first token of a sequence is always seen, the last not always."""
    lengths = rng.integers(1, length + 1, batch, 1)
    lengths[0] = length - 1
    return (torch.arange(length) < lengths)[:, None, None]


def causal(length):
    return torch.arange(length) <= torch.arange(length)[:, None]


def of_dtype(made, dtype):
    """The case with inputs and weights of this dtype."""
    inputs = {**made.inputs, "x": made.inputs["x"].to(dtype)}
    return replace(
        made, inputs=inputs, state={name: part.to(dtype) for name, part in made.state.items()}
    )


def idle(made):
    """The case with weights of 0 where a part ends, so that none finds anything."""
    for name in ("attend.W_o.weight", "W_2.weight", "W_2.bias"):
        made.state[name].zero_()
    return made


@exercise.cases
def cases(rng):
    yield idle(case(rng, "where no part finds anything", (2, 3), (4, 6), 2))
    yield case(rng, "without a mask", (2, 5), (6, 9), 3, gradient=True)
    yield case(rng, "causal", (2, 4), (8, 5), 2, causal(4), gradient=True)
    yield case(rng, "padding in training", (3, 5), (6, 7), 2, padding(rng, 3, 5), training=True)
    yield case(rng, "as many of everything", (4, 4), (4, 4), 4, training=True)
    small = case(rng, "small inputs", (2, 3), (8, 6), 2)
    small.inputs["x"] /= 500  # the variance is about eps
    yield small
    yield case(rng, f"{POST}without a mask", (2, 5), (6, 9), 3, gradient=True, training=True)
    yield idle(case(rng, f"{POST}where no part finds anything", (2, 3), (4, 6), 2))
    mask = padding(rng, 3, 4)
    yield case(rng, f"{POST}padding", (3, 4), (6, 8), 2, mask, gradient=True)
    small = idle(case(rng, f"{POST}small inputs", (2, 3), (8, 6), 2))
    small.inputs["x"] /= 500
    yield small


@exercise.secret_cases
def secret_cases(rng):
    length = rng.integer(5, 8)
    mask = causal(length) & padding(rng, 2, length)
    yield case(rng, "one head, causal and padding", (2, length), (5, 11), 1, mask, gradient=True)
    each = rng.bools(2, 3, length, length) | torch.eye(length, dtype=torch.bool)
    yield case(rng, "a mask for each head", (2, length), (6, 4), 3, each)
    nobody = padding(rng, 2, length).expand(-1, -1, length, -1).clone()
    nobody[:, :, 1] = False
    yield case(rng, "a query without a key", (2, length), (8, 6), 2, nobody, gradient=True)
    yield case(rng, f"{POST}a query without a key", (2, length), (8, 6), 2, nobody)
    for name in ("no query has a key", f"{POST}no query has a key"):
        yield case(rng, name, (2, 3), (6, 4), 2, torch.zeros(3, 3, dtype=torch.bool))
    double = case(rng, "one sequence in float64", (1, length), (6, 4), 3, causal(length))
    yield of_dtype(double, torch.float64)
    for name in ("half precision", f"{POST}half precision"):
        yield of_dtype(case(rng, name, (2, length), (12, 20), 4), torch.float16)
    yield case(rng, "one token", (3, 1), (6, 9), 2)
    mask = causal(length + 1)
    yield case(rng, f"{POST}other sizes", (1, length + 1), (10, 3), 5, mask, training=True)


exercise.promise("width of x and of the output.", "without a mask", "as many of everything")
exercise.promise(
    "number of heads; it divides", "one head, causal and padding", "as many of everything"
)
exercise.promise("width between `W_1`", "without a mask", "causal", "post-norm, other sizes")
exercise.promise(
    "True: pre-norm.", "where no part finds anything", "causal", "small inputs", "one token"
)
exercise.promise(
    "False: post-norm.", "post-norm, where no part finds anything", "post-norm, small inputs"
)
exercise.promise("as in the table above.", EVERY)
exercise.promise(
    "of the dtype of the block", "one sequence in float64", "post-norm, half precision"
)
exercise.promise("No input is changed.", EVERY)
exercise.promise("True = may attend; (queries, keys)", "padding in training", "post-norm, padding")
exercise.promise(
    "A query may have no key.", "post-norm, a query without a key", "no query has a key"
)
exercise.promise("None: every position", "without a mask", "post-norm, without a mask")
exercise.promise(
    "the output, in the dtype", "without a mask", "half precision", "one sequence in float64"
)
exercise.promise(
    "Gradients reach x and the parameters.", "post-norm, without a mask", "a query without a key"
)


@exercise.oracle
class FromFunctions(nn.Module):
    """Built of torch's functions, on weights that it looks up by name."""

    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__()
        self.num_heads, self.norm_first = num_heads, norm_first
        layers = {f"W_{part}": nn.Linear(d_model, d_model, bias=False) for part in "qkvo"}
        self.attend = nn.ModuleDict(layers)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def attended(self, x, mask):
        query, key, value = (
            self.attend[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name in ("W_q", "W_k", "W_v")
        )
        scores = query @ key.mT / query.size(-1) ** 0.5
        allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
        shares = (scores - scores.amax(-1, keepdim=True)).exp() * allowed
        weights = shares / shares.sum(-1, keepdim=True).clamp(min=1e-30)
        return self.attend["W_o"]((weights @ value).transpose(1, 2).flatten(2))

    def forward(self, x, mask=None):
        def transformed(y):
            return self.W_2(self.W_1(y).clamp(min=0))

        if self.norm_first:
            between = x + self.attended(self.norm_1(x), mask)
            return between + transformed(self.norm_2(between))
        between = self.norm_1(x + self.attended(x, mask))
        return self.norm_2(between + transformed(between))


@exercise.variant
class PartByPart(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__()
        self.norm_first = norm_first
        self.attend = SelfAttention(d_model=d_model, num_heads=num_heads)
        self.W_1 = nn.Linear(d_model, d_hidden)
        self.W_2 = nn.Linear(d_hidden, d_model)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)

    def forward(self, x, mask=None):
        parts = [
            (self.norm_1, lambda y: self.attend(y, mask)),
            (self.norm_2, lambda y: self.W_2(torch.relu(self.W_1(y)))),
        ]
        for norm, part in parts:
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x


@exercise.variant
class WithTheNormOfExerciseTwo(nn.Module):
    class Norm(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(width))
            self.bias = nn.Parameter(torch.zeros(width))

        def forward(self, x):
            return layer_norm(x, self.weight, self.bias, 1e-5)

    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__()
        self.attend = SelfAttention(d_model, num_heads=num_heads)
        self.norm_1, self.norm_2 = (self.Norm(d_model) for _ in range(2))
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)
        self.pre = norm_first

    def mlp(self, x):
        return self.W_2(self.W_1(x).clamp_min(0))

    def forward(self, x, mask=None):
        if not self.pre:
            first = self.norm_1(self.attend(x, mask=mask) + x)
            second = self.norm_2(self.mlp(first) + first)
        else:
            first = self.attend(self.norm_1(x), mask=mask) + x
            second = self.mlp(self.norm_2(first)) + first
        return second


@exercise.variant
class WithIdentitiesForNorms(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__()
        self.attend, self.order = SelfAttention(d_model, num_heads), norm_first
        self.norm_1, self.norm_2 = nn.LayerNorm([d_model]), nn.LayerNorm([d_model])
        self.W_1, self.W_2 = (nn.Linear(*n) for n in ((d_model, d_hidden), (d_hidden, d_model)))

    def forward(self, x, mask=None):
        norms, nothing = (self.norm_1, self.norm_2), (nn.Identity(), nn.Identity())
        before, after = (norms, nothing) if self.order else (nothing, norms)
        found = self.attend(before[0](x), mask)
        x = after[0](torch.add(x, found))
        hidden = F.relu(F.linear(before[1](x), self.W_1.weight, self.W_1.bias))
        return after[1](torch.add(x, F.linear(hidden, self.W_2.weight, self.W_2.bias)))


@exercise.variant
class WithAnAttentionOfItsOwn(nn.Module):
    class Attend(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.W_q, self.W_k = (nn.Linear(width, width, bias=False) for _ in range(2))
            self.W_v, self.W_o = (nn.Linear(width, width, bias=False) for _ in range(2))

        def forward(self, x, allowed):
            q, k, v = (f(x).unflatten(2, (self.heads, -1)) for f in (self.W_q, self.W_k, self.W_v))
            scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(3) ** 0.5
            lowest = torch.finfo(scores.dtype).min
            weights = torch.softmax(torch.where(allowed, scores, lowest), dim=3) * allowed
            return self.W_o(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))

    def __init__(self, d_model, num_heads, d_hidden, norm_first):
        super().__init__()
        self.norm_first = bool(norm_first)
        self.attend = self.Attend(d_model, num_heads)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, 1e-5), nn.LayerNorm(d_model, 1e-5)
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def forward(self, x, mask=None):
        if mask is None:
            mask = torch.ones((), dtype=torch.bool, device=x.device)
        y = self.norm_1(x) if self.norm_first else x
        y = x + self.attend(y, mask)
        y = y if self.norm_first else self.norm_1(y)
        z = self.W_1(self.norm_2(y) if self.norm_first else y)
        z = y + self.W_2(torch.maximum(z, torch.zeros_like(z)))
        return z if self.norm_first else self.norm_2(z)
