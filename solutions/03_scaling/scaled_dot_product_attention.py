"""Cases, oracle and known mistakes of `scaled_dot_product_attention`."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from autograder.properties import Finite, SumsTo
from autograder.spec import Case, Exercise

exercise = Exercise(
    "scaled_dot_product_attention",
    points=4,
    difficulty=2,
    minutes=8,
    returns=("output", "weights"),
    read="03_scaling.html#the-formula",
    builds_on=("stable_softmax",),
    forbids=("scaled_dot_product", "multi_head_attention", "native_multi_head_attention",
             "flash_attention", "efficient_attention", "flex_attention"),
    properties=(Finite(), SumsTo(1, -1, "Each query's weights sum to 1.")),
)  # fmt: skip

# An earlier exercise: the notebook has it.
stable_softmax: Callable[..., Any]


def draw(rng, batch, queries, keys, d_k, d_v, dtype=torch.float32):
    shapes = {"query": (queries, d_k), "key": (keys, d_k), "value": (keys, d_v)}
    return {name: rng.normal(*batch, *shape, dtype=dtype) for name, shape in shapes.items()}


def large(rng, *levels, dtype=torch.float32):
    """Scaled scores a few quarters above each query's level, exact in any order of operations."""
    inputs = draw(rng, (2,), 3, 7, 16, 5, dtype)
    query, key = inputs["query"].zero_(), inputs["key"].zero_()  # [2, 3, 16], [2, 7, 16]
    query[..., 0], query[..., 1] = torch.tensor(levels) / 100, torch.arange(1, 4)
    key[..., 0], key[..., 1] = 400, rng.integers(0, 6, 2, 7)
    return inputs


@exercise.cases
def cases(rng):
    yield Case("one batch axis", draw(rng, (2,), 3, 5, 8, 4), gradient=True)
    yield Case("batch and heads", draw(rng, (2, 3), 5, 4, 6, 7), gradient=True)
    yield Case("large scores", large(rng, 30000, 20000, 10000))
    yield Case("large negative scores", large(rng, -10000, -30000, -20000))
    yield Case("queries far apart", large(rng, 30000, 0, -30000))
    yield Case("half precision", draw(rng, (2,), 3, 5, 8, 4, torch.float16), gradient=True)
    yield Case("no leading axis", draw(rng, (), 4, 6, 9, 5), gradient=True)


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 6), rng.integer(7, 11)
    yield Case("three leading axes", draw(rng, (2, 1, 3), queries, keys, 12, 5), gradient=True)
    yield Case("large scores in half precision", large(rng, 400, 300, -300, dtype=torch.float16))
    yield Case("bfloat16", draw(rng, (3,), queries, keys, 7, 5, torch.bfloat16), gradient=True)
    yield Case("wide", draw(rng, (2,), queries, keys, 130, 6), gradient=True)
    yield Case("width 1", draw(rng, (2,), queries, keys, 1, 3))
    yield Case("one query and one key", draw(rng, (3,), 1, 1, 5, 2))
    yield Case("equal lengths and widths", draw(rng, (2,), 6, 6, 6, 6))


@exercise.oracle
def torchs_own(query, key, value):
    """Attention over one-hot values returns the weights themselves."""
    one_hot = torch.eye(key.size(-2), dtype=key.dtype).expand(*key.shape[:-1], key.size(-2))
    weights = F.scaled_dot_product_attention(query, key, one_hot.contiguous())
    return F.scaled_dot_product_attention(query, key, value), weights


@exercise.misconception("The scores are not scaled. How does a dot product's spread grow with d_k?")
def forgets_to_scale(query, key, value):
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "In all you divide by d_k, a score's variance. What is its standard deviation?"
)
def divides_by_d_k(query, key, value):
    weights = (query @ key.mT / query.size(-1)).softmax(-1)
    return weights @ value, weights


@exercise.misconception("You multiply by the root of d_k. Should the scores become larger?")
def multiplies_by_the_root(query, key, value):
    weights = (query @ key.mT * math.sqrt(query.size(-1))).softmax(-1)
    return weights @ value, weights


@exercise.misconception("You scale by the number of keys. Over which axis does a score sum?")
def scales_by_the_length(query, key, value):
    weights = (query @ key.mT / math.sqrt(key.size(-2))).softmax(-1)
    return weights @ value, weights


@exercise.misconception("You scale by the width of the values. They are in no dot product.")
def scales_by_d_v(query, key, value):
    weights = (query @ key.mT / math.sqrt(value.size(-1))).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "You scale the weights, after the softmax. They no longer sum to 1. What was to be kept small?"
)
def scales_after_the_softmax(query, key, value):
    weights = (query @ key.mT).softmax(-1) / math.sqrt(query.size(-1))
    return weights @ value, weights


@exercise.misconception("Your softmax runs over the queries. Which axis holds the keys?")
def normalises_over_queries(query, key, value):
    weights = (query @ key.mT / math.sqrt(query.size(-1))).softmax(-2)
    return weights @ value, weights


@exercise.misconception("All scores share one softmax. Each query needs its own.")
def normalises_over_everything(query, key, value):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    weights = scores.flatten(-2).softmax(-1).view(scores.shape)
    return weights @ value, weights


@exercise.misconception(
    "You reshape the keys where they should be transposed: the shape fits, the numbers are "
    "elsewhere."
)
def reshapes_the_keys(query, key, value):
    turned = key.reshape(*key.shape[:-2], key.size(-1), key.size(-2))
    weights = (query @ turned / math.sqrt(query.size(-1))).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "`key.T` turns round all axes, the batch too. Which two axes does a matrix product need?"
)
def transposes_all_axes(query, key, value):
    turned = key.permute(*range(key.dim() - 1, -1, -1))
    weights = (query @ turned / math.sqrt(query.size(-1))).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "The exponential of a score above 89 is infinite, and a row far below 0 has only zeros left. "
    "Your `stable_softmax` knows what to do."
)
def overflows(query, key, value):
    shares = (query @ key.mT / math.sqrt(query.size(-1))).exp()
    weights = shares / shares.sum(-1, keepdim=True)
    return weights @ value, weights


@exercise.misconception("You scale in place and change the caller's query. What does `/=` do?")
def scales_the_query_in_place(query, key, value):
    query /= math.sqrt(query.size(-1))
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights


@exercise.misconception("You compute in float32, which is wise: return the caller's dtype.")
def returns_float32(query, key, value):
    scores = query.float() @ key.float().mT / math.sqrt(query.size(-1))
    weights = scores.softmax(-1)
    return weights @ value.float(), weights


@exercise.misconception("Both results are there, in the other order: first the output.")
def returns_the_weights_first(query, key, value):
    weights = (query @ key.mT / math.sqrt(query.size(-1))).softmax(-1)
    return weights, weights @ value


@exercise.misconception("You return the output alone. The weights are asked for as well.")
def returns_the_output_only(query, key, value):
    return (query @ key.mT / math.sqrt(query.size(-1))).softmax(-1) @ value


@exercise.misconception(
    "The numbers are right, but the weights are cut off from query and key, which then learn "
    "nothing."
)
def detaches_the_weights(query, key, value):
    weights = (query @ key.mT / math.sqrt(query.size(-1))).softmax(-1).detach()
    return weights @ value, weights


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
