"""Cases, oracle and variants of `MultiHeadAttention`."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import EVERY, Case, CostAtMost, Exercise, Finite, Group, SumsTo

NARROW = ("equal scores of 1000 in half precision", "half precision", "large scores in bfloat16")
CHEAP = (
    CostAtMost("matmuls", 1.5, "The heads are to be computed together, not one by one."),
    # room for three projections stacked into one; d_k is 4 where the weights are the largest
    CostAtMost("largest", 3.5, "A tensor is much larger than the weights of all heads."),
)
exercise = Exercise(
    "MultiHeadAttention",
    points=6,
    difficulty=4,
    minutes=40,
    returns=("output", "weights"),
    read="05_multi_head.html#in-code",
    builds_on=("split_heads", "merge_heads"),
    forbids=("scaled_dot_product", "multi_head_attention", "native_multi_head_attention"),
    properties=(
        Finite(),
        SumsTo(1, -1, "A row of weights should sum to 1, or to 0 where no key may be attended to."),
    ),
    groups=(Group("half precision", 1, NARROW), Group("cost", 1, properties=CHEAP)),
)

HALF = torch.float16
# Earlier exercises: the notebook has them.
split_heads: Callable[..., Any]
merge_heads: Callable[..., Any]


def case(rng, name, sizes, d_model, num_heads, shape, gradient=False, **more):
    """Random inputs and weights. sizes: batch, queries, keys. shape: of the mask, None for none.

    Of the keys that a mask is about, the first or the second may be attended to.
    """
    batch, queries, keys = sizes
    dtype, bias = more.pop("dtype", torch.float32), more.get("bias", True)
    into = {"q": d_model, "k": more.get("kdim") or d_model, "v": more.get("vdim") or d_model}
    lengths = {"query": queries, "key": keys, "value": keys}
    inputs = {part: rng.normal(batch, n, into[part[0]], dtype=dtype) for part, n in lengths.items()}
    inputs["mask"] = None if shape is None else rng.bools(*shape)
    if shape is not None and shape[-1] > 1:
        inputs["mask"][..., 1] = ~inputs["mask"][..., 0]
    state = {}
    for part in "qkvo":
        width = into.get(part, d_model)
        state[f"W_{part}.weight"] = rng.normal(d_model, width, dtype=dtype) / width**0.5
        if bias:
            state[f"W_{part}.bias"] = rng.normal(d_model, dtype=dtype)
    construct = {"d_model": d_model, "num_heads": num_heads, **more}
    return Case(name, inputs, gradient=gradient, construct=construct, state=state)


def far_apart(rng, name, allowed, masked, dtype=torch.float32, apart=1.0):
    """Scores near `allowed` and `masked`, or equal to them where `apart` is 0, in any arithmetic.

    Gradients are asked for where no large terms of theirs cancel. Nor do they where the mask is
    ignored: of the masked scores one is the largest by far, and all weight goes to it.
    """
    made = case(rng, name, (2, 3, 5), 8, 2, (2, 1, 3, 5), gradient=not allowed, dtype=dtype)
    for part in "qk":
        made.state[f"W_{part}.weight"][:] = torch.eye(8)
        made.state[f"W_{part}.bias"][:] = 0
    visible = torch.tensor([True, True, False, True, False])
    query, key = made.inputs["query"].zero_(), made.inputs["key"].zero_()
    query[..., 0::4] = 2  # both heads have the width 4, so its root cancels this factor
    hidden = masked * torch.tensor([0, 0, 1, 0, 1.5])
    key[..., 0::4] = torch.where(visible, allowed, hidden)[:, None]
    query[..., 1::4] = 2 * apart
    key[..., 1::4] = torch.tensor([0.0, 1, 3, 2, -1])[:, None]
    made.inputs["mask"][:] = visible
    return made


def hide(made, sequence):
    """The case with no key left to attend to in a sequence of its batch."""
    made.inputs["mask"][sequence] = False
    return made


def example():
    """That of the text."""
    query, key = torch.tensor([[[1.0, 0]]]), torch.tensor([[[2.0, 0], [0, 0]]])
    state = {f"W_{part}.weight": torch.eye(2) for part in "qkvo"}
    state |= {f"W_{part}.bias": torch.zeros(2) for part in "qkvo"}
    inputs = {"query": query, "key": key, "value": key.clone(), "mask": None}
    construct = {"d_model": 2, "num_heads": 1}
    return Case("the example of the text", inputs, construct=construct, state=state)


@exercise.cases
def cases(rng):
    yield case(rng, "no mask", (2, 4, 5), 18, 3, None, gradient=True)
    shared = case(rng, "one mask for all heads in training mode", (2, 4, 5), 6, 3, (2, 1, 4, 5))
    yield replace(shared, gradient=True, training=True)
    yield case(rng, "a mask of three axes", (2, 3, 4), 8, 2, (2, 3, 4))
    yield case(rng, "as many of everything", (3, 3, 3), 9, 3, (3, 3, 3, 3))
    padding = case(rng, "a sequence without keys", (3, 2, 4), 6, 2, (3, 1, 1, 4), gradient=True)
    yield hide(padding, 1)
    nothing = case(rng, "no key for any query", (2, 3, 4), 6, 2, (4,), gradient=True)
    yield hide(nothing, slice(None))
    more = {"gradient": True, "bias": False}
    yield case(rng, "equal lengths without a mask and biases", (2, 4, 4), 10, 5, None, **more)
    yield case(rng, "keys and values of other widths", (2, 3, 4), 8, 2, None, kdim=7, vdim=5)
    yield case(rng, "dropout in evaluation mode", (2, 3, 5), 12, 2, (3, 5), dropout=0.5)
    yield example()
    yield far_apart(rng, "large scores and masked ones that are larger", 0.0, 10000.0)
    yield far_apart(rng, "equal scores of 1000 in half precision", 1000.0, 5000.0, HALF, 0.0)
    yield hide(case(rng, "half precision", (2, 3, 4), 6, 2, (2, 1, 1, 4), dtype=HALF), 0)
    yield case(rng, "many keys and a mask of two axes", (1, 6, 40), 16, 4, (6, 40))


@exercise.secret_cases
def secret_cases(rng):
    sizes = (rng.integer(3, 5), rng.integer(5, 7), rng.integer(8, 11))
    batch, queries, keys = sizes
    padding = (batch, 1, 1, keys)
    yield case(rng, "one head and wider keys", sizes, 5, 1, padding, gradient=True, kdim=7)
    yield case(rng, "heads of width 1 and wider values", sizes, 6, 6, (queries, keys), vdim=8)
    yield case(rng, "a mask for the keys alone", (batch, keys, keys), 6, 2, (keys,))
    yield case(rng, "a mask for the queries alone", (batch, 4, keys), 6, 2, (batch, 1, 4, 1))
    each = (2, 4, queries, keys)
    empty = case(rng, "one head sees nothing", (2, queries, keys), 8, 4, each, gradient=True)
    empty.inputs["mask"][:, 1] = False
    yield empty
    yield case(rng, "one sequence, one query and one key", (1, 1, 1), 12, 2, None)
    yield far_apart(rng, "large negative scores", -(2.0**100), 0.0, apart=2.0**80)
    yield far_apart(rng, "large scores in bfloat16", 0.0, 5000.0, torch.bfloat16)
    more = {"kdim": 3, "vdim": 12, "bias": False, "dropout": 0.9}
    yield hide(
        case(rng, "all at once", (2, queries, keys), 12, 3, (2, 1, 1, keys), True, **more), 0
    )
    yield case(rng, "float64", (2, queries, keys), 12, 4, (queries, keys), dtype=torch.float64)


exercise.promise("width of the queries", "one head and wider keys")
exercise.promise("number of heads; it divides", "heads of width 1 and wider values")
exercise.promise("probability that a weight", "dropout in evaluation mode")
exercise.promise("whether the four layers", "no mask", "equal lengths without a mask and biases")
exercise.promise("widths of the inputs key and value", "heads of width 1 and wider values")
exercise.promise("`W_q`, `W_k` and `W_v`", "keys and values of other widths")
exercise.promise("of one floating dtype", "half precision", "large scores in bfloat16", "float64")
exercise.promise("No score, scaled or not, exceeds", "large negative scores")
exercise.promise("No input is changed.", EVERY)
exercise.promise("True = may attend; it has one to four axes", "many keys and a mask of two axes")
exercise.promise("So one of three axes", "a mask of three axes", "as many of everything")
exercise.promise("It may be False everywhere.", "no key for any query")
exercise.promise("None: every key may", "no mask", "equal lengths without a mask and biases")
exercise.promise("output, and the weights", EVERY)
exercise.promise(
    "A row of weights sums", "a sequence without keys", "equal scores of 1000 in half precision"
)
exercise.promise("Gradients flow through", "large scores and masked ones that are larger")
exercise.promise("In training mode weights", "one mask for all heads in training mode")


@exercise.oracle
class StraightIntoTheHeads(nn.Module):
    """No split and no merge: weights with an axis of heads, and exponentials instead of fills."""

    W_o: nn.Linear

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True, kdim=None, vdim=None):
        super().__init__()
        self.num_heads, self.p = num_heads, dropout
        widths = {"q": d_model, "k": kdim or d_model, "v": vdim or d_model, "o": d_model}
        for part, width in widths.items():
            self.add_module(f"W_{part}", nn.Linear(width, d_model, bias=bias))

    def projected(self, layer, x):
        weight = layer.weight.unflatten(0, (self.num_heads, -1))
        bias = 0 if layer.bias is None else layer.bias.view(self.num_heads, 1, -1)
        return torch.einsum("bnm,hkm->bhnk", x, weight) + bias

    def forward(self, query, key, value, mask=None):
        query, key = self.projected(self.W_q, query), self.projected(self.W_k, key)
        scores = torch.einsum("bhqk,bhnk->bhqn", query, key) / query.size(-1) ** 0.5
        allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
        lowest = torch.finfo(scores.dtype).min
        top = scores.masked_fill(~allowed, lowest).amax(dim=-1, keepdim=True)
        shares = (scores - top).masked_fill(~allowed, -torch.inf).exp()
        weights = shares / shares.sum(dim=-1, keepdim=True).clamp(min=0.5)
        dropped = F.dropout(weights, self.p, self.training)
        heads = torch.einsum("bhqn,bhnk->bhqk", dropped, self.projected(self.W_v, value))
        matrices = self.W_o.weight.unflatten(1, (self.num_heads, -1))
        output = torch.einsum("bhqk,mhk->bqm", heads, matrices)
        return output if self.W_o.bias is None else output + self.W_o.bias, weights


@exercise.variant
class BuiltFromTheParts(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True, kdim=None, vdim=None):
        super().__init__()
        self.num_heads, self.drop = num_heads, nn.Dropout(dropout)
        self.W_q = nn.Linear(d_model, d_model, bias)
        self.W_k = nn.Linear(kdim or d_model, d_model, bias)
        self.W_v = nn.Linear(vdim or d_model, d_model, bias)
        self.W_o = nn.Linear(d_model, d_model, bias)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.W_q(query), self.num_heads)
        k = split_heads(self.W_k(key), self.num_heads)
        v = split_heads(self.W_v(value), self.num_heads)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            scores = torch.where(mask, scores, torch.tensor(-math.inf, dtype=q.dtype).to(q))
            weights = torch.nan_to_num(torch.softmax(scores, dim=-1)) * mask
        return self.W_o(merge_heads(torch.matmul(self.drop(weights), v))), weights


@exercise.variant
class BatchTimesHeads(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True, kdim=None, vdim=None):
        super().__init__()
        self.h, self.d_k, self.p = num_heads, d_model // num_heads, dropout
        self.W_o, self.W_q = (nn.Linear(d_model, d_model, bias=bias) for _ in range(2))
        self.W_v = nn.Linear(vdim or d_model, d_model, bias=bias)
        self.W_k = nn.Linear(kdim or d_model, d_model, bias=bias)

    def rows(self, x):
        x = x.reshape(x.shape[0], x.shape[1], self.h, self.d_k)
        return x.permute(0, 2, 1, 3).reshape(-1, x.shape[1], self.d_k)

    def forward(self, query, key, value, mask=None):
        batch, queries, keys = query.shape[0], query.shape[1], key.shape[1]
        q = self.rows(self.W_q(query)) * self.d_k**-0.5
        scores = torch.bmm(q, self.rows(self.W_k(key)).transpose(1, 2))
        if mask is not None:
            mask = torch.broadcast_to(mask, (batch, self.h, queries, keys)).flatten(0, 1)
            scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
        weights = F.softmax(scores, dim=2)
        weights = weights if mask is None else weights * mask.to(weights.dtype)
        mixed = torch.bmm(F.dropout(weights, self.p, self.training), self.rows(self.W_v(value)))
        mixed = mixed.view(batch, self.h, queries, self.d_k).transpose(1, 2)
        output = self.W_o(mixed.reshape(batch, queries, self.h * self.d_k))
        return output, weights.view(batch, self.h, queries, keys)


@exercise.variant
class PackedInOneProduct(nn.Module):
    class Matrix(nn.Module):
        bias: nn.Parameter | None

        def __init__(self, into, out, bias):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(out, into))
            self.register_parameter("bias", nn.Parameter(torch.empty(out)) if bias else None)

    W_o: Matrix

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True, kdim=None, vdim=None):
        super().__init__()
        self.num_heads, self.dropout = num_heads, nn.Dropout(p=dropout)
        widths = (d_model, kdim or d_model, vdim or d_model, d_model)
        for name, width in zip("qkvo", widths, strict=True):
            self.add_module(f"W_{name}", self.Matrix(width, d_model, bias))

    def forward(self, query, key, value, mask=None):
        projected = []
        for name, x in (("W_q", query), ("W_k", key), ("W_v", value)):
            layer = getattr(self, name)
            rows = F.linear(x, layer.weight, layer.bias)
            projected.append(rows.unflatten(-1, (self.num_heads, -1)))
        q, k, v = projected
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            nobody = ~mask.any(-1, keepdim=True)
            scores = scores.masked_fill(~(mask | nobody), float("-inf"))
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(nobody, 0)
        output = torch.einsum("bhqk,bkhd->bqhd", self.dropout(weights), v).flatten(2)
        return F.linear(output, self.W_o.weight, self.W_o.bias), weights
