"""Cases, oracle and variants of `stable_softmax`."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.author import EVERY, Case, Exercise, Finite

exercise = Exercise(
    "stable_softmax",
    points=3,
    difficulty=2,
    minutes=20,
    returns=("the weights",),
    read="03_scaling.html#scaling-stable",
    forbids=("softmax", "log_softmax", "safe_softmax", "masked_softmax", "sparse_softmax",
             "scaled_dot_product"),
    properties=(Finite(),),
)  # fmt: skip


def near(rng, level, *shape, dtype=torch.float32) -> Float[Tensor, "*shape"]:
    """Scores around `level`, a quarter to a few units apart, exact in `dtype`; never one alone."""
    steps = rng.integers(0, 9, *shape).to(torch.float64) / 4
    return (steps + level).to(dtype)


def case(name, scores: Float[Tensor, "..."], dim, gradient=False, terms=1):
    return Case(name, {"scores": scores, "dim": dim}, gradient=gradient, terms=terms)


def equal(dtype) -> Float[Tensor, "rows 6"]:
    """Rows of equal scores, large and small; the last has 3 of them and minus infinity."""
    scores = torch.tensor([500.0, -800.0, 30000.0, 0.0, -500.0])[:, None].repeat(1, 6).to(dtype)
    scores[-1, ::2] = -math.inf
    return scores


# In float64 an answer in float32 is as good as the text asks, and 1e-6 in a denominator is not.
AS_FLOAT32 = 3 * 10**15


@exercise.cases
def cases(rng):
    rows = [[1000, 1000, -math.inf], [-1000, -math.inf, -1000], [2, -math.inf, 2]]
    yield case("the rows of the text", torch.tensor(rows), -1, gradient=True)
    yield case("the last axis", rng.normal(2, 3, 5), -1, gradient=True)
    yield case("an axis in the middle", rng.normal(2, 4, 3, 5), 1, gradient=True)
    yield case("scores of some hundreds", rng.normal(3, 6) * 250, -1)
    yield case("large scores", near(rng, 30000.0, 2, 3, 7), -1, gradient=True)
    levels = torch.tensor([0.0, 3000.0, -30000.0, 90.0])[:, None]
    yield case("rows far apart", near(rng, 0.0, 2, 4, 5) + levels, 2)
    scores = rng.normal(3, 4, 6)
    scores[:, :, 1] = scores[1, :, 3:] = scores[2, 1, 4] = -math.inf
    yield case("entries of minus infinity", scores, -1, gradient=True)
    half = rng.normal(4, 5, dtype=torch.float16)
    yield case("half precision", half, 0, gradient=True)
    yield case("equal scores in half precision", equal(torch.float16), 1, gradient=True)
    scores = torch.tensor([-3e4, -1e9, -1e30])[:, None].repeat(1, 6)
    scores[0, :2] = scores[1, 3:] = scores[2, ::2] = -math.inf
    yield case("minus infinity beside scores far below zero", scores, -1)
    double = near(rng, -700.0, 3, 6, dtype=torch.float64)
    yield case("float64", double, 1, terms=AS_FLOAT32)


@exercise.secret_cases
def secret_cases(rng):
    yield case("an axis counted from the end", rng.normal(2, 6, 3, 5), -3, gradient=True)
    yield case("one axis", rng.normal(rng.integer(5, 9)), 0)
    yield case("the range of float32", rng.normal(3, 5).sign() * 3e38, -1)
    scores = near(rng, -65000.0, 3, 4, dtype=torch.float64)
    scores[0, 1], scores[1], scores[2, :3] = 65000, -math.inf, -math.inf
    scores[1, 2] = -60000
    yield case("half precision, far apart", scores.to(torch.float16), -1)
    yield case("bfloat16", rng.normal(3, 2, 5, dtype=torch.bfloat16) * 3, 0, gradient=True)
    yield case("equal scores in bfloat16", equal(torch.bfloat16).mT.contiguous(), 0)
    yield case("one entry", rng.normal(1, 3, 1) * 1000, 2)
    lowest = torch.full((2, 5), torch.finfo(torch.float32).min)
    lowest[0, 1:3] = lowest[1, 4] = -math.inf
    yield case("minus infinity beside the lowest numbers", lowest, -1)


exercise.promise(
    "float16, bfloat16, float32", "half precision", "bfloat16", "the last axis", "one axis"
)
exercise.promise("An entry may be any number", "the range of float32", "half precision, far apart")
exercise.promise("Not changed.", EVERY)
exercise.promise(
    "the axis along which the weights", "an axis in the middle", "an axis counted from the end"
)
exercise.promise(
    "exp(scores) / sum of exp(scores)", "the rows of the text", "scores of some hundreds"
)
exercise.promise("Here float64 may be computed", "float64")
exercise.promise("Gradients with respect", "large scores", "entries of minus infinity")


@exercise.oracle
def torchs_own(scores, dim):
    return scores.softmax(dim)


@exercise.variant
def in_float32_and_back(scores, dim):
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    highest = torch.max(wide, dim=dim, keepdim=True).values.detach()
    shares = torch.exp(wide - highest)
    return torch.div(shares, torch.sum(shares, dim=dim, keepdim=True)).to(scores.dtype)


@exercise.variant
def logarithm_of_the_sum_of_small_scores(scores, dim):
    small = scores - scores.amax(dim, keepdim=True)
    return torch.exp(small - small.exp().sum(dim, keepdim=True).log())


@exercise.variant
def row_by_row(scores, dim):
    rows = scores.movedim(dim, -1)
    done = []
    for row in rows.reshape(-1, rows.size(-1)):
        shares = torch.exp(row - max(row))
        done.append(shares / sum(shares))
    return torch.stack(done).reshape(rows.shape).movedim(-1, dim)


@exercise.variant
def sorted_and_unsqueezed(scores, dim):
    highest = torch.sort(scores, dim=dim, descending=True)[0].select(dim, 0).unsqueeze(dim)
    shares = math.e ** (scores - highest)
    return torch.einsum("...,...->...", shares, 1 / shares.sum(dim).unsqueeze(dim))
