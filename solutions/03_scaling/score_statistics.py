"""Cases, oracle and variants of `score_statistics`."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.author import EVERY, UNTRIED, Case, Exercise, Finite

exercise = Exercise(
    "score_statistics",
    points=4,
    difficulty=3,
    minutes=30,
    returns=("the prediction", "the measurement"),
    read="03_scaling.html#the-variance-is-not-d-k",
    properties=(Finite(),),
)


def case(name, query: Float[Tensor, "... queries d_k"], key: Float[Tensor, "... keys d_k"]):
    return Case(name, {"query": query, "key": key})


@exercise.cases
def cases(rng):
    query, key = torch.tensor([[1.0, 3]]), torch.tensor([[1.0, 1], [2, 4]])
    yield case("the example of the text", query, key)
    yield case("independent entries", rng.normal(2, 6, 16), rng.normal(2, 9, 16))
    yield case("other variances", 3 * rng.normal(5, 8), 0.5 * rng.normal(7, 8))
    yield case("entries with a mean", rng.normal(2, 4, 12) + 1, rng.normal(2, 5, 12) - 2)
    some = rng.normal(6, 10)
    yield case("each query is also a key", some, some.clone())
    loud = 1 + 6 * (torch.arange(9) == 4)
    yield case("one loud feature", rng.normal(5, 9) * loud, rng.normal(8, 9) * loud)


@exercise.secret_cases
def secret_cases(rng):
    queries, keys, d_k = rng.integer(3, 6), rng.integer(6, 10), rng.integer(11, 20)
    one = torch.ones(d_k)
    yield case("all features alike", rng.normal(queries, 1) * one, rng.normal(keys, 1) * one)
    yield case("heads", rng.normal(2, 3, queries, d_k), rng.normal(2, 3, keys, d_k) + 0.5)
    yield case("constant entries", torch.full((1, 2, 4), 2.0), torch.full((1, 3, 4), -3.0))
    yield case("width 1", rng.normal(queries, 1) - 1, rng.normal(keys, 1) + 2)
    yield case("small means", rng.normal(queries, d_k) + 0.3, rng.normal(keys, d_k))
    yield case(
        "positive entries", rng.normal(2, queries, d_k).relu(), rng.normal(2, keys, d_k).abs()
    )


exercise.promise(
    "float32, with the same leading", "independent entries", "other variances", "heads"
)
exercise.promise("Not changed.", EVERY)
exercise.promise("prediction and measurement", "the example of the text")
exercise.promise(
    "of a sum of d_k products", "entries with a mean", "small means", "constant entries", "width 1"
)
exercise.promise(
    "of all entries of `query @ key.mT`", "each query is also a key", "one loud feature", "heads"
)
exercise.promise("Variances are divided", "the example of the text", "other variances")
exercise.promise("The result need not carry", UNTRIED)


@exercise.oracle
def sums_over_all_pairs(query, key):
    """The prediction from every product of any entry of query with any entry of key."""
    products = torch.outer(query.flatten(), key.flatten())
    mean = products.mean()
    spread = (products - mean).square().mean()
    scores = torch.einsum("...qd,...kd->...qk", query, key)
    off = scores - scores.mean()
    predicted = torch.stack([query.size(-1) * mean, (query.size(-1) * spread).sqrt()])
    return predicted, torch.stack([scores.mean(), off.square().mean().sqrt()])


@exercise.variant
def three_terms(query, key):
    d_k = query.shape[-1]
    v_q, m_q = torch.var_mean(query, correction=0)
    v_k, m_k = torch.var_mean(key, unbiased=False)
    deviation = torch.sqrt(d_k * (v_q * v_k + v_q * m_k**2 + v_k * m_q**2))
    scores = torch.matmul(query, key.transpose(-2, -1))
    measured = torch.std_mean(scores, unbiased=False)
    return torch.stack((d_k * m_q * m_k, deviation)), torch.stack(measured[::-1])


@exercise.variant
def plain_numbers(query, key):
    rows = [float(x) for x in query.flatten()], [float(x) for x in key.flatten()]
    (m_q, s_q), (m_k, s_k) = ((sum(r) / len(r), sum(x * x for x in r) / len(r)) for r in rows)
    scores = [float(s) for s in torch.einsum("...qd,...kd->...qk", query, key).flatten()]
    mean = sum(scores) / len(scores)
    width = math.sqrt(sum((s - mean) ** 2 for s in scores) / len(scores))
    spread = math.sqrt(query.size(-1) * (s_q * s_k - (m_q * m_k) ** 2))
    predicted = torch.tensor([query.size(-1) * m_q * m_k, spread])
    return predicted.to(query), torch.tensor([mean, width]).to(query)


@exercise.variant
def in_float64_and_back(query, key):
    a, b = query.double(), key.double()
    scores = (a.unsqueeze(-2) * b.unsqueeze(-3)).sum(-1)
    mean = a.mean() * b.mean()
    spread = ((a**2).mean() * (b**2).mean() - mean**2).clamp(min=0)
    predicted = torch.hstack([a.size(-1) * mean, (a.size(-1) * spread) ** 0.5])
    return [
        x.to(query.dtype)
        for x in (predicted, torch.hstack([scores.mean(), scores.std(correction=0)]))
    ]
