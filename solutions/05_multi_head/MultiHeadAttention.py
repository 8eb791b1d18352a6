"""Cases, oracle and variants of `MultiHeadAttention`."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from autograder.properties import CostAtMost, Finite, SumsTo
from autograder.spec import Case, Exercise

exercise = Exercise(
    "MultiHeadAttention",
    points=6,
    difficulty=4,
    minutes=40,
    returns=("output", "weights"),
    read="05_multi_head.html",
    builds_on=("split_heads", "merge_heads"),
    forbids=("scaled_dot_product", "multi_head_attention", "native_multi_head_attention"),
    properties=(
        Finite(),
        SumsTo(1, -1, "A row of weights sums to 1, or to 0 where no key may be attended to."),
        CostAtMost("matmuls", 1.5, "The heads are to be computed together, not one by one."),
        # room for three projections stacked into one; d_k is 4 where the weights are the largest
        CostAtMost("largest", 3.5, "A tensor is much larger than the weights of all heads."),
    ),
)

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
    if shape is not None:
        inputs["mask"][..., 1] = ~inputs["mask"][..., 0]
    state = {}
    for part in "qkvo":
        width = into.get(part, d_model)
        state[f"W_{part}.weight"] = rng.normal(d_model, width, dtype=dtype) / width**0.5
        if bias:
            state[f"W_{part}.bias"] = rng.normal(d_model, dtype=dtype)
    construct = {"d_model": d_model, "num_heads": num_heads, **more}
    return Case(name, inputs, gradient=gradient, construct=construct, state=state)


def far_apart(rng, name, allowed, masked, dtype=torch.float32):
    """Scores near `allowed` and `masked`, which every arithmetic gets exactly."""
    made = case(rng, name, (2, 3, 5), 8, 2, (2, 1, 3, 5), dtype=dtype)
    for part in "qk":
        made.state[f"W_{part}.weight"][:] = torch.eye(8)
        made.state[f"W_{part}.bias"][:] = 0
    visible = torch.tensor([True, True, False, True, False])
    query, key = made.inputs["query"].zero_(), made.inputs["key"].zero_()
    query[..., 0::4] = 2  # both heads have the width 4, so its root cancels this factor
    key[..., 0::4] = torch.where(visible, allowed, masked)[:, None]
    query[..., 1::4], key[..., 1::4] = 2, torch.tensor([0.0, 1, 3, 2, -1])[:, None]
    made.inputs["mask"][:] = visible
    return made


def hide(made, sequence):
    """The case with no key left to attend to in a sequence of its batch."""
    made.inputs["mask"][sequence] = False
    return made


@exercise.cases
def cases(rng):
    yield case(rng, "no mask", (2, 4, 5), 18, 3, None, gradient=True)
    yield case(rng, "one mask for all heads", (2, 4, 5), 6, 3, (2, 1, 4, 5), gradient=True)
    yield case(rng, "one mask for all, no batch axis", (3, 4, 6), 10, 2, (4, 6))
    yield case(rng, "as many of everything", (3, 3, 3), 9, 3, (3, 3, 3, 3), gradient=True)
    padding = case(rng, "a sequence without keys", (3, 2, 4), 6, 2, (3, 1, 1, 4), gradient=True)
    yield hide(padding, 1)
    yield case(rng, "no biases", (2, 3, 4), 10, 5, None, gradient=True, bias=False)
    yield case(rng, "keys and values of other widths", (2, 3, 4), 8, 2, None, kdim=7, vdim=5)
    yield case(rng, "dropout in evaluation mode", (2, 3, 5), 12, 2, (3, 5), dropout=0.5)
    yield far_apart(rng, "large scores, masked ones larger", 0.0, 10000.0)
    yield hide(case(rng, "half precision", (2, 3, 4), 6, 2, (2, 1, 1, 4), dtype=torch.float16), 0)
    yield case(rng, "many keys", (1, 13, 17), 16, 4, (1, 1, 13, 17))


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(3, 5), rng.integer(5, 7), rng.integer(8, 11)
    yield case(rng, "one head", (batch, queries, keys), 5, 1, (batch, 1, 1, keys), gradient=True)
    yield case(rng, "heads of width 1", (batch, queries, keys), 6, 6, (queries, keys))
    each = (batch, 3, queries, keys)
    yield case(rng, "a mask for each head", (batch, queries, keys), 9, 3, each, gradient=True)
    yield case(rng, "a mask for the keys alone", (batch, 4, keys), 6, 2, (keys,))
    empty = case(rng, "one head sees nothing", (2, queries, keys), 8, 4, (2, 4, queries, keys))
    empty.inputs["mask"][:, 1] = False
    yield empty
    yield case(rng, "one sequence, one query", (1, 1, keys), 12, 2, (1, keys), gradient=True)
    yield far_apart(rng, "large negative scores", -30000.0, 0.0)
    yield far_apart(rng, "large scores in half precision", 0.0, 5000.0, torch.float16)
    more = {"kdim": 3, "vdim": 12, "bias": False, "dropout": 0.9}
    yield hide(
        case(rng, "all at once", (2, queries, keys), 12, 3, (2, 1, 1, keys), True, **more), 0
    )
    yield case(rng, "float64", (2, queries, keys), 12, 4, (queries, keys), dtype=torch.float64)


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
            self.weight = nn.Parameter(torch.randn(out, into) / into**0.5)
            self.register_parameter("bias", nn.Parameter(torch.zeros(out)) if bias else None)

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
