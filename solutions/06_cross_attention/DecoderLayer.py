"""Cases, oracle and variants of `DecoderLayer`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import EVERY, Case, Exercise, Finite, SumsTo

from .CrossAttention import Layers

exercise = Exercise(
    "DecoderLayer",
    points=5,
    difficulty=3,
    minutes=30,
    returns=("output", "weights"),
    read="06_cross_attention.html#two-caches",
    builds_on=("CrossAttention",),
    properties=(
        Finite(),
        SumsTo(1, -1, "A row of cross-attention weights should sum to 1, or to 0 without a key."),
    ),
)

# An earlier exercise: the notebook has it.
CrossAttention: Callable[..., Any]


def weights_of(rng, prefix, into, out):
    return {
        f"{prefix}.weight": rng.normal(out, into) / into**0.5,
        f"{prefix}.bias": rng.normal(out) / 2,
    }


def case(rng, name, sizes, widths, num_heads, masks=(True, True), **options):
    """sizes: batch, queries, keys. widths: d_model, d_memory, d_hidden. masks: which are given."""
    (batch, queries, keys), (d_model, d_memory, d_hidden) = sizes, widths
    state = {}
    for part, width in (("attend_self", d_model), ("attend_memory", d_memory)):
        for layer, into in {"q": d_model, "k": width, "v": width, "o": d_model}.items():
            state[f"{part}.W_{layer}.weight"] = rng.normal(d_model, into) / into**0.5
    for number in (1, 2, 3):
        state[f"norm_{number}.weight"] = 1 + rng.normal(d_model) / 4
        state[f"norm_{number}.bias"] = rng.normal(d_model) / 4
    state |= weights_of(rng, "W_1", d_model, d_hidden)
    state |= weights_of(rng, "W_2", d_hidden, d_model)
    x = 2 * rng.normal(batch, queries, d_model) + 0.5
    memory = rng.normal(batch, keys, d_memory)
    given = [torch.arange(n) < rng.integers(1, n + 1, batch, 1) for n in (queries, keys)]
    # each [batch, 1, 1, queries or keys]
    shaped = [m[:, None, None] if use else None for m, use in zip(given, masks, strict=True)]
    construct = {"d_model": d_model, "d_memory": d_memory, "num_heads": num_heads}
    inputs = {"x": x, "memory": memory, "mask": shaped[0], "memory_mask": shaped[1]}
    construct["d_hidden"] = d_hidden
    return Case(name, inputs, construct=construct, state=state, **options)


def of_dtype(made, dtype):
    """The case with inputs and weights of this dtype."""
    trees = made.inputs, made.state
    inputs, state = (
        {name: value.to(dtype) if is_float(value) else value for name, value in tree.items()}
        for tree in trees
    )
    return replace(made, inputs=inputs, state=state)


def is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


@exercise.cases
def cases(rng):
    nothing = case(rng, "where each part finds nothing", (2, 3, 4), (4, 6, 5), 2, (False, False))
    for name in ("attend_self.W_o.weight", "attend_memory.W_o.weight", "W_2.weight", "W_2.bias"):
        nothing.state[name].zero_()
    yield nothing
    yield case(rng, "no padding", (2, 4, 5), (6, 10, 9), 3, (False, False), gradient=True)
    yield case(rng, "padding in both", (3, 5, 4), (8, 6, 12), 2)
    yield case(rng, "as many of everything", (4, 4, 4), (8, 8, 8), 4)
    sizes, widths = (2, 3, 6), (6, 6, 5)
    yield case(
        rng, "padding in the memory and in training", sizes, widths, 2, (False, True), training=True
    )
    front = case(rng, "padding at the front of the target", (2, 4, 5), (6, 5, 7), 2, gradient=True)
    front.inputs["mask"] = (torch.arange(4) >= torch.tensor([[1], [2]]))[:, None, None]
    yield front
    nothing = case(rng, "a memory of nothing but padding", (2, 3, 4), (4, 6, 8), 2, gradient=True)
    nothing.inputs["memory_mask"][1] = False
    yield nothing
    small = case(rng, "small inputs", (2, 3, 4), (8, 4, 6), 2)
    small.inputs["x"] /= 500  # the variance is about eps
    yield small


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(5, 8), rng.integer(8, 11)
    yield case(rng, "one head", (2, queries, keys), (5, 4, 10), 1, gradient=True)
    one = case(rng, "one sequence in float64", (1, queries, keys), (6, 9, 4), 3)
    yield of_dtype(one, torch.float64)
    yield case(rng, "one query", (3, 1, keys), (6, 9, 4), 3)
    yield case(rng, "a memory of one", (2, queries, 1), (6, 4, 11), 2)
    yield case(rng, "more queries than keys", (3, keys, 3), (8, 5, 6), 4, (True, False))
    wide = case(rng, "wide and in half precision", (2, queries, keys), (12, 7, 20), 4)
    yield of_dtype(wide, torch.float16)
    large = case(rng, "large inputs", (2, queries, keys), (8, 8, 16), 2)
    large.inputs["x"] *= 100
    yield large
    nobody = case(
        rng, "nothing but padding in both", (2, queries, keys), (6, 4, 5), 2, gradient=True
    )
    nobody.inputs["mask"][:] = nobody.inputs["memory_mask"][:] = False
    yield nobody
    # with few columns one of so many rows would be nearly constant, and its norm mostly rounding
    yield case(rng, "a long target", (1, 140, 2), (8, 3, 4), 1)


exercise.promise("width of x and of the output.", "no padding")
exercise.promise("width of the memory", "no padding", "as many of everything")
exercise.promise("number of heads of both attentions", "no padding", "one head")
exercise.promise("width between `W_1`", "no padding")
exercise.promise("as in the table above.", EVERY)
exercise.promise(
    "of the dtype of the layer", "one sequence in float64", "wide and in half precision"
)
exercise.promise("No input is changed.", EVERY)
exercise.promise(
    "which tokens of the target", "padding in both", "no padding", "more queries than keys"
)
exercise.promise(
    "Padding may come first", "padding at the front of the target", "nothing but padding in both"
)
exercise.promise(
    "the same for the memory.", "padding in both", "padding in the memory and in training"
)
exercise.promise("Either mask may be False", "nothing but padding in both")
exercise.promise("output, and the weights", "one sequence in float64", "wide and in half precision")
exercise.promise("Gradients reach x, memory", "a memory of nothing but padding")


@exercise.oracle
class FromFunctions(nn.Module):
    """Built of torch's functions; attention over one-hot values returns the weights."""

    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.num_heads = num_heads
        for name, width in (("attend_self", d_model), ("attend_memory", d_memory)):
            into = {"W_q": d_model, "W_k": width, "W_v": width, "W_o": d_model}
            layers = {part: nn.Linear(n, d_model, bias=False) for part, n in into.items()}
            self.add_module(name, nn.ModuleDict(layers))
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def attended(self, layers, x, memory, mask):
        query, key, value = (
            layers[name](source).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, source in (("W_q", x), ("W_k", memory), ("W_v", memory))
        )
        one_hot = torch.eye(key.size(2), dtype=key.dtype).repeat(*key.shape[:2], 1, 1)
        weights = F.scaled_dot_product_attention(query, key, one_hot, attn_mask=mask)
        return layers["W_o"]((weights @ value).transpose(1, 2).flatten(2)), weights

    def forward(self, x, memory, mask=None, memory_mask=None):
        position = torch.arange(x.size(1))
        seen = position <= position[:, None]
        seen = seen if mask is None else seen & mask
        normed = self.norm_1(x)
        x = x + self.attended(self.attend_self, normed, normed, seen)[0]
        found, weights = self.attended(self.attend_memory, self.norm_2(x), memory, memory_mask)
        x = x + found
        return x + self.W_2(self.W_1(self.norm_3(x)).clamp(min=0)), weights


@exercise.variant
class InTheOrderOfTheText(nn.Module):
    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = CrossAttention(d_model, d_model, num_heads)
        self.attend_memory = CrossAttention(d_model, d_memory, num_heads)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.W_1 = nn.Linear(d_model, d_hidden)
        self.W_2 = nn.Linear(d_hidden, d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        length = x.size(1)
        allowed = torch.tril(torch.ones((length, length), dtype=torch.bool, device=x.device))
        if mask is not None:
            allowed = torch.logical_and(allowed, mask)
        y = self.norm_1(x)
        y, _ = self.attend_self(y, y, allowed)
        x = x + y
        y, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + y
        y = self.W_2(torch.relu(self.W_1(self.norm_3(x))))
        return x + y, weights


@exercise.variant
class WithPartsOfItsOwn(nn.Module):
    class Attend(Layers):
        def forward(self, x, memory, allowed):
            q = self.W_q(x).unflatten(2, (self.num_heads, -1))
            k, v = (f(memory).unflatten(2, (self.num_heads, -1)) for f in (self.W_k, self.W_v))
            scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(3) ** 0.5
            lowest = torch.finfo(scores.dtype).min
            weights = torch.softmax(torch.where(allowed, scores, lowest), dim=3) * allowed
            return self.W_o(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)), weights

    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = self.Attend(d_model, d_model, num_heads)
        self.attend_memory = self.Attend(d_model, d_memory, num_heads)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.norm_3 = nn.LayerNorm(d_model)
        self.W_1, self.W_2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        one = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=x.device)
        place = torch.arange(x.size(1), device=x.device)
        allowed = (place[:, None] >= place) & (one if mask is None else mask)
        normed = self.norm_1(x)
        x = x + self.attend_self(normed, normed, allowed)[0]
        across = one if memory_mask is None else memory_mask
        found, weights = self.attend_memory(self.norm_2(x), memory, across)
        x = x + found
        x = x + self.W_2(self.W_1(self.norm_3(x)).relu())
        return x, weights


@exercise.variant
class NormalisedByHand(nn.Module):
    class Norm(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(width))
            self.bias = nn.Parameter(torch.zeros(width))

        def forward(self, x):
            centred = x - x.mean(dim=-1, keepdim=True)
            variance = centred.square().mean(dim=-1, keepdim=True)
            return centred / (variance + 1e-5).sqrt() * self.weight + self.bias

    def __init__(self, d_model, d_memory, num_heads, d_hidden):
        super().__init__()
        self.attend_self = CrossAttention(d_model, d_model, num_heads=num_heads)
        self.attend_memory = CrossAttention(d_model, d_memory, num_heads=num_heads)
        self.norm_1, self.norm_2, self.norm_3 = (self.Norm(d_model) for _ in range(3))
        self.W_1 = nn.Linear(d_model, d_hidden)
        self.W_2 = nn.Linear(d_hidden, d_model)

    def forward(self, x, memory, mask=None, memory_mask=None):
        n = x.shape[1]
        later = torch.ones(n, n, device=x.device).triu(1).bool()
        keep = ~later[None, None] if mask is None else mask & ~later
        first = self.norm_1(x)
        x = self.attend_self(first, first, keep)[0] + x
        second, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = second + x
        return self.W_2(self.W_1(self.norm_3(x)).clamp_min(0)) + x, weights
