"""Cases, oracle and variants of `attention_gradients`."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite, Group

from .scaled_dot_product_attention import draw, example, large

exercise = Exercise(
    "attention_gradients",
    points=5,
    difficulty=4,
    minutes=35,
    returns=("the gradient of query", "the gradient of key", "the gradient of value"),
    read="03_scaling.html#scaling-jacobian",
    builds_on=("stable_softmax", "softmax_jacobian", "scaled_dot_product_attention"),
    forbids=("autograd", "make_dual", "softmax_backward"),
    properties=(Finite(),),
    groups=(
        Group(
            "half precision",
            1,
            cases=("half precision", "large scores in half precision", "bfloat16"),
        ),
    ),
)

TERMS = 512  # three sums in a row, and a difference of weights: more rounding than one sum leaves

# Earlier exercises: the notebook has them.
stable_softmax: Callable[..., Any]
softmax_jacobian: Callable[..., Any]
scaled_dot_product_attention: Callable[..., Any]


def case(name, inputs, grad_output):
    return Case(name, {**inputs, "grad_output": grad_output}, terms=TERMS)


def drawn(rng, name, batch, queries, keys, d_k, d_v, dtype=torch.float32):
    inputs = draw(rng, batch, queries, keys, d_k, d_v, dtype)
    return case(name, inputs, rng.normal(*batch, queries, d_v, dtype=dtype))


def far_from_0(rng, name, *levels, dtype=torch.float32):
    inputs = large(rng, *levels, dtype=dtype)
    return case(name, inputs, rng.normal(2, 3, 5, dtype=dtype))


@exercise.cases
def cases(rng):
    yield case("the example of the text", example(), torch.ones(1, 1))
    yield drawn(rng, "one batch axis", (2,), 3, 5, 8, 4)
    yield drawn(rng, "batch and heads", (2, 3), 5, 4, 6, 7)
    yield far_from_0(rng, "large scores", 30000, 0, -30000)
    yield drawn(rng, "half precision", (2,), 3, 5, 8, 4, torch.float16)


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 6), rng.integer(7, 11)
    yield drawn(
        rng, "three leading axes in float64", (2, 1, 3), queries, keys, 12, 5, torch.float64
    )
    yield drawn(rng, "equal lengths and widths", (2,), 6, 6, 6, 6)
    yield far_from_0(rng, "large scores in half precision", 400, 300, -300, dtype=torch.float16)
    yield drawn(rng, "bfloat16", (1,), queries, keys, 7, 5, torch.bfloat16)
    whole = {name: rng.integers(-3, 4, 3, 1, 2).float() for name in ("query", "key", "value")}
    yield case("one query and one key", whole, rng.integers(-3, 4, 3, 1, 2).float())


exercise.promise("as for `scaled_dot_product_attention`", "batch and heads", "bfloat16")
exercise.promise("the derivative of the loss", "one batch axis", "half precision")
exercise.promise("No argument is changed", EVERY)
exercise.promise(
    "the derivatives of the loss", "the example of the text", "three leading axes in float64"
)
exercise.promise("They are finite for scaled", "large scores", "large scores in half precision")


@exercise.oracle
def by_autograd(query, key, value, grad_output):
    inputs = [given.detach().requires_grad_() for given in (query, key, value)]
    output = F.scaled_dot_product_attention(*inputs)
    return torch.autograd.grad(output, inputs, grad_output)


@exercise.variant
def with_the_jacobian(query, key, value, grad_output):
    _, weights = scaled_dot_product_attention(query, key, value)
    changes = softmax_jacobian(weights)  # (..., queries, keys, keys)
    grad_weights = torch.einsum("...qv,...kv->...qk", grad_output, value)
    grad_scores = torch.einsum("...qi,...qij->...qj", grad_weights, changes)
    grad_scores = grad_scores / math.sqrt(query.size(-1))
    grad_key = torch.einsum("...qk,...qd->...kd", grad_scores, query)
    return grad_scores @ key, grad_key, torch.einsum("...qk,...qv->...kv", weights, grad_output)


@exercise.variant
def with_the_output(query, key, value, grad_output):
    """The sum over the keys is the product of the output and its gradient (FlashAttention)."""
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v, given = (x.to(wide) for x in (query, key, value, grad_output))
    root = q.size(-1) ** 0.5
    weights = stable_softmax(q @ k.mT / root, -1)
    shared = (given * (weights @ v)).sum(-1, keepdim=True)
    grad_scores = weights * (given @ v.mT - shared)
    parts = grad_scores @ (k / root), grad_scores.mT @ (q / root), weights.mT @ given
    return [part.to(query.dtype) for part in parts]


@exercise.variant
def query_by_query(query, key, value, grad_output):
    factor = query.size(-1) ** -0.5
    grad_query, grad_key, grad_value = [], torch.zeros_like(key), torch.zeros_like(value)
    for q, given in zip(query.unbind(-2), grad_output.unbind(-2), strict=True):
        weights = torch.softmax((key * q[..., None, :]).sum(-1) * factor, -1)
        slopes = (value * given[..., None, :]).sum(-1)
        slopes = weights * (slopes - (weights * slopes).sum(-1, keepdim=True)) * factor
        grad_query.append((slopes[..., None] * key).sum(-2))
        grad_key = grad_key + slopes[..., None] * q[..., None, :]
        grad_value = grad_value + weights[..., None] * given[..., None, :]
    return torch.stack(grad_query, -2), grad_key, grad_value


@exercise.variant
def flattened_to_batches(query, key, value, grad_output):
    q, k, v, given = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value, grad_output))
    weights = F.softmax(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(2)), dim=2)
    slopes = torch.bmm(given, v.transpose(1, 2)) * weights
    slopes = (slopes - weights * slopes.sum(dim=2, keepdim=True)) / math.sqrt(q.size(2))
    grad_value = torch.bmm(weights.transpose(1, 2), given)
    parts = torch.bmm(slopes, k), torch.bmm(slopes.transpose(1, 2), q), grad_value
    return tuple(part.reshape(x.shape) for part, x in zip(parts, (query, key, value), strict=True))
