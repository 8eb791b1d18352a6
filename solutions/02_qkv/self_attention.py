"""Cases, oracle and known mistakes of `self_attention`."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite, SumsTo

exercise = Exercise(
    "self_attention",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("output", "weights"),
    read="02_qkv.html#self-attention",
    builds_on=("attend",),
    properties=(
        Finite(),
        SumsTo(
            1,
            -1,
            "Each row of attention weights, one row per query, should sum to 1 over the keys.",
        ),
    ),
)

# An earlier exercise: the notebook has it.
attend: Callable[..., Any]


def draw(rng, batch, length, d_model, d_k, d_v, dtype=torch.float32):
    """Matrices whose products with x have entries of about 1."""
    shapes = {"W_q": d_k, "W_k": d_k, "W_v": d_v}
    matrices = {
        name: (rng.normal(d_model, width) / math.sqrt(d_model)).to(dtype)
        for name, width in shapes.items()
    }
    return {"x": rng.normal(batch, length, d_model, dtype=dtype), **matrices}


def large(rng, batch):
    """Scaled scores of a row near 114 or near -114, exact in any order of operations."""
    inputs = draw(rng, batch, 49, 8, 4, 5)
    W_q, W_k = rng.integers(-2, 3, 2, 8, 4).float()  # each [d_model, d_k]
    W_q[::2, 0], W_q[1::2, 0], W_k[:, 0] = 19, -19, 12
    x = torch.eye(8)[rng.integers(0, 8, batch, 49)]  # [batch, length, d_model]
    return {**inputs, "x": x, "W_q": W_q, "W_k": W_k}


def equal(rng, batch):
    """Scaled scores of 114 everywhere, exact in any order of operations."""
    inputs = draw(rng, batch, 15, 8, 4, 5, torch.bfloat16)
    W_q, W_k = torch.zeros(2, 8, 4, dtype=torch.bfloat16)  # each [d_model, d_k]
    W_q[:, 0], W_k[:, 0] = 19, 12
    x = torch.eye(8)[rng.integers(0, 8, batch, 15)]  # [batch, length, d_model]
    return {**inputs, "x": x.bfloat16(), "W_q": W_q, "W_k": W_k}


def of_the_text():
    """Three of the four scores are exactly 0."""
    x, W_v = torch.eye(2)[None], torch.tensor([[10.0, 0, 1], [20, 0, 1]])
    return {
        "x": x,
        "W_q": torch.tensor([[0.0], [2]]),
        "W_k": torch.tensor([[1.0], [0]]),
        "W_v": W_v,
    }


@exercise.cases
def cases(rng):
    yield Case("three different widths", draw(rng, 2, 3, 6, 4, 5), gradient=True)
    yield Case("all widths the same", draw(rng, 2, 3, 5, 5, 5), gradient=True)
    yield Case("as many positions as features", draw(rng, 3, 4, 4, 7, 2), gradient=True)
    yield Case("half precision", draw(rng, 2, 4, 6, 3, 5, torch.float16), gradient=True)
    yield Case("the example of the text", of_the_text(), gradient=True)


@exercise.secret_cases
def secret_cases(rng):
    batch, length, width = rng.integer(2, 5), rng.integer(7, 12), rng.integer(2, 6)
    inputs = draw(rng, batch, length, 12, 6, width, torch.float64)
    yield Case("float64, longer", inputs, gradient=True)
    yield Case("values as wide as the model", draw(rng, batch, length, 6, width, 6), gradient=True)
    yield Case("one position", draw(rng, batch, 1, 5, 3, width), gradient=True)
    yield Case("one sequence, keys of width 1", draw(rng, 1, length, 5, 1, width))
    yield Case("equal large scores in bfloat16", equal(rng, batch), gradient=True)
    yield Case("large scores", large(rng, batch), gradient=True)


exercise.promise("one vector for each position.", EVERY)
exercise.promise("x is multiplied by them", "three different widths", "all widths the same")
exercise.promise("All four have one floating", "half precision", "float64, longer")
exercise.promise("The three widths d_model", "three different widths")
exercise.promise("Nothing is changed.", EVERY)
exercise.promise("Scaled scores may lie", "large scores", "equal large scores in bfloat16")
exercise.promise("output and attention", EVERY)
exercise.promise("Rows of the attention", EVERY)
exercise.promise("The scores are divided", EVERY)
exercise.promise("Finite gradients reach", "large scores", "equal large scores in bfloat16")


@exercise.oracle
def torch_own(x, W_q, W_k, W_v):
    """Attention over one-hot values returns the weights themselves."""
    query, key = x @ W_q, x @ W_k
    one_hot = torch.eye(x.size(1), dtype=x.dtype).expand(x.size(0), -1, -1).contiguous()
    weights = F.scaled_dot_product_attention(query, key, one_hot)
    return F.scaled_dot_product_attention(query, key, x @ W_v), weights


@exercise.variant
def one_matrix_between(x, W_q, W_k, W_v):
    compare = W_q @ W_k.T * W_q.shape[-1] ** -0.5
    weights = torch.einsum("bid,de,bje->bij", x, compare, x).softmax(-1)
    return torch.einsum("bij,bjd,dv->biv", weights, x, W_v), weights


@exercise.variant
def position_by_position(x, W_q, W_k, W_v):
    outputs, rows = [], []
    for sequence in x:
        key, value = sequence @ W_k, sequence @ W_v
        scores = [key @ (one @ W_q) / math.sqrt(W_k.shape[1]) for one in sequence]
        rows.append(torch.stack([F.softmax(row, dim=0) for row in scores]))
        outputs.append(torch.stack([row @ value for row in rows[-1]]))
    return torch.stack(outputs), torch.stack(rows)


@exercise.variant
def torch_with_one_hot_values(x, W_q, W_k, W_v):
    one_hot = torch.eye(x.size(1), dtype=x.dtype, device=x.device).expand(x.size(0), -1, -1)
    values = torch.cat([x @ W_v, one_hot], dim=-1)
    both = F.scaled_dot_product_attention(x @ W_q, x @ W_k, values)
    return both.split([W_v.size(1), x.size(1)], dim=-1)


@exercise.variant
def through_attend(x, W_q, W_k, W_v):
    return attend(*(torch.matmul(x, W) for W in (W_q, W_k, W_v)))
