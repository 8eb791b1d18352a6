"""Cases, oracle and variants of `scaled_dot_product_attention`."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import EVERY, Case, Exercise, Finite, SumsTo

exercise = Exercise(
    "scaled_dot_product_attention",
    points=1,
    difficulty=1,
    minutes=5,
    returns=("output", "weights"),
    read="03_scaling.html#the-formula",
    builds_on=("stable_softmax",),
    forbids=("scaled_dot_product", "multi_head_attention", "native_multi_head_attention",
             "flash_attention", "efficient_attention", "flex_attention"),
    properties=(Finite(), SumsTo(1, -1, "Each query's weights should sum to 1.")),
)  # fmt: skip

# An earlier exercise: the notebook has it.
stable_softmax: Callable[..., Any]


def draw(rng, batch, queries, keys, d_k, d_v, dtype=torch.float32):
    shapes = {"query": (queries, d_k), "key": (keys, d_k), "value": (keys, d_v)}
    return {name: rng.normal(*batch, *shape, dtype=dtype) for name, shape in shapes.items()}


def large(rng, *levels, dtype=torch.float32):
    """Scaled scores a few quarters above each query's level, exact in any order of operations.

    One key is far below the others. The level is in the query, so that a key's gradient is large
    and a query's does not cancel.
    """
    inputs = draw(rng, (2,), 3, 7, 16, 5, dtype)
    query, key = inputs["query"].zero_(), inputs["key"].zero_()  # [2, 3, 16], [2, 7, 16]
    query[..., 0], query[..., 1] = 4 * torch.tensor(levels), torch.arange(1, 4)
    key[..., 0], key[..., 1] = 1, rng.integers(0, 6, 2, 7)
    key[:, 3, 1] = -200
    return inputs


def example():
    query, key = torch.tensor([[2.0, 0, 0, 0]]), torch.tensor([[2.0, 0, 0, 0], [0, 0, 0, 0]])
    return {"query": query, "key": key, "value": torch.tensor([[10.0], [20]])}


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("one batch axis", draw(rng, (2,), 3, 5, 8, 4), gradient=True)
    yield Case("batch and heads", draw(rng, (2, 3), 5, 4, 6, 7), gradient=True)
    yield Case("large scores", large(rng, 30000, 20000, 10000), gradient=True)
    yield Case("queries far apart", large(rng, 30000, 0, -30000), gradient=True)
    yield Case("half precision", draw(rng, (2,), 3, 5, 8, 4, torch.float16), gradient=True)


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 6), rng.integer(7, 11)
    yield Case("no leading axis", draw(rng, (), queries, keys, 9, 5), gradient=True)
    yield Case("three leading axes", draw(rng, (2, 1, 3), queries, keys, 12, 5), gradient=True)
    yield Case("large scores in half precision",
               large(rng, 400, 300, -300, dtype=torch.float16), gradient=True)  # fmt: skip
    yield Case("bfloat16", draw(rng, (1,), queries, keys, 7, 5, torch.bfloat16), gradient=True)
    yield Case("wide", draw(rng, (2,), queries, keys, 130, 6))
    yield Case("one query and one key", draw(rng, (1,), 1, 1, 5, 2))
    yield Case("equal lengths and widths", draw(rng, (2,), 6, 6, 6, 6))


exercise.promise(
    "of one dtype (float16, bfloat16 or float32)", "no leading axis", "three leading axes"
)
exercise.promise("The numbers of queries", "batch and heads", "wide", "one query and one key")
exercise.promise("They are not changed.", EVERY)
exercise.promise("Their dot products", "large scores in half precision")
exercise.promise("output and weights", "the example of the text", "one batch axis")
exercise.promise("Each row of weights", EVERY)
exercise.promise("Both are finite, and so are their gradients", "large scores", "queries far apart")


@exercise.oracle
def torchs_own(query, key, value):
    """Attention over one-hot values returns the weights themselves."""
    one_hot = torch.eye(key.size(-2), dtype=key.dtype).expand(*key.shape[:-1], key.size(-2))
    weights = F.scaled_dot_product_attention(query, key, one_hot.contiguous())
    return F.scaled_dot_product_attention(query, key, value), weights


@exercise.variant
def fourth_root_on_both_sides(query, key, value):
    factor = query.shape[-1] ** -0.25
    scores = torch.einsum("...qd,...kd->...qk", query * factor, key * factor)
    weights = F.softmax(scores, dim=-1)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


@exercise.variant
def by_hand_in_float32(query, key, value):
    wide = torch.promote_types(query.dtype, torch.float32)
    root = query.to(wide).size(-1) ** -0.5
    scores = torch.matmul(query.to(wide) * root, key.to(wide).transpose(-1, -2))
    shares = torch.exp(scores - torch.amax(scores, dim=-1, keepdim=True))
    weights = shares / shares.sum(dim=-1, keepdim=True)
    return (weights @ value.to(wide)).to(value.dtype), weights.to(value.dtype)


@exercise.variant
def query_by_query(query, key, value):
    outputs, rows = [], []
    for one in query.unbind(-2):
        row = stable_softmax((key * one[..., None, :]).sum(-1) / math.sqrt(one.size(-1)), -1)
        outputs.append((row[..., None] * value).sum(-2))
        rows.append(row)
    return torch.stack(outputs, dim=-2), torch.stack(rows, dim=-2)


@exercise.variant
def flattened_to_batches(query, key, value):
    three = [x.reshape(-1, *x.shape[-2:]) for x in (query, key, value)]
    scores = torch.bmm(three[0], three[1].transpose(1, 2)) / torch.tensor(query.size(-1)).sqrt()
    weights = nn.Softmax(dim=2)(scores)
    lead = query.shape[:-1]
    return torch.bmm(weights, three[2]).view(*lead, -1), weights.view(*lead, -1)
