"""Cases, oracle and known mistakes of `score_statistics`."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.properties import Finite
from autograder.spec import Case, Exercise

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
    yield case("width 1", rng.normal(queries, 1) - 1, rng.normal(keys, 1) + 2)
    yield case("small means", rng.normal(queries, d_k) + 0.3, rng.normal(keys, d_k))
    yield case(
        "positive entries", rng.normal(2, queries, d_k).relu(), rng.normal(2, keys, d_k).abs()
    )


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


def of_products(
    query: Float[Tensor, "... queries d_k"], key: Float[Tensor, "... keys d_k"]
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Mean and variance of the product of an entry of each, drawn independently."""
    mean = query.mean() * key.mean()
    return mean, query.square().mean() * key.square().mean() - mean**2


def measured(scores: Float[Tensor, "... queries keys"]) -> Float[Tensor, " 2"]:
    """Mean and standard deviation."""
    return torch.stack([scores.mean(), scores.std(correction=0)])


@exercise.misconception(
    "You return the textbook's root of d_k. It needs mean 0 and variance 1; what have these "
    "entries?"
)
def trusts_the_root_rule(query, key):
    scores = query @ key.mT
    predicted = torch.tensor([0, math.sqrt(query.size(-1))]).to(scores)
    return predicted, measured(scores)


@exercise.misconception(
    "Your standard deviation is right only where the means are 0. Write a product of two entries "
    "as (mean + rest) times (mean + rest): which three terms vary?"
)
def multiplies_the_variances(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    mean, spread = query.mean() * key.mean(), query.var(correction=0) * key.var(correction=0)
    predicted = torch.stack([d_k * mean, (d_k * spread).sqrt()])
    return predicted, measured(scores)


@exercise.misconception(
    "Your standard deviation grows with d_k. Of independent terms it is the variances that add up."
)
def adds_standard_deviations(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    mean, spread = of_products(query, key)
    predicted = torch.stack([d_k * mean, d_k * spread.sqrt()])
    return predicted, measured(scores)


@exercise.misconception("You return variances. Asked for are standard deviations.")
def returns_variances(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    mean, spread = of_products(query, key)
    predicted = torch.stack([d_k * mean, d_k * spread])
    return predicted, torch.stack([scores.mean(), scores.var(correction=0)])


@exercise.misconception("You predict the mean of one product. A score is a sum of how many?")
def forgets_to_sum_the_means(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    mean, spread = of_products(query, key)
    predicted = torch.stack([mean, (d_k * spread).sqrt()])
    return predicted, measured(scores)


@exercise.misconception(
    "You predict a mean of 0. What is the mean of a product of independent numbers?"
)
def predicts_no_mean(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    spread = query.square().mean() * key.square().mean() - (query.mean() * key.mean()) ** 2
    predicted = torch.stack([0 * spread, (d_k * spread).sqrt()])
    return predicted, measured(scores)


@exercise.misconception(
    "You predict with the mean of the squares, not the variance: the square of the mean is missing."
)
def takes_squares_for_variances(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    spread = query.square().mean() * key.square().mean()
    predicted = torch.stack([d_k * query.mean() * key.mean(), (d_k * spread).sqrt()])
    return predicted, measured(scores)


@exercise.misconception(
    "You divide by n - 1, as `std` and `var` of torch do unless they are told otherwise. Asked for "
    "is a division by n."
)
def divides_by_n_minus_1(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    means, spreads = (query.mean(), key.mean()), (query.var(), key.var())
    spread = spreads[0] * spreads[1] + spreads[0] * means[1] ** 2 + spreads[1] * means[0] ** 2
    predicted = torch.stack([d_k * means[0] * means[1], (d_k * spread).sqrt()])
    return predicted, torch.stack([scores.mean(), scores.std()])


@exercise.misconception(
    "The prediction is right. Your measured standard deviation is slightly too large: by what does "
    "`std` divide unless it is told otherwise?"
)
def measures_with_n_minus_1(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    mean, spread = of_products(query, key)
    predicted = torch.stack([d_k * mean, (d_k * spread).sqrt()])
    return predicted, torch.stack([scores.mean(), scores.std()])


@exercise.misconception("You measure scaled scores. Here the plain dot products are asked for.")
def measures_scaled_scores(query, key):
    d_k = query.size(-1)
    scores = query @ key.mT / math.sqrt(d_k)
    mean, spread = of_products(query, key)
    predicted = torch.stack([d_k * mean, (d_k * spread).sqrt()])
    return predicted, measured(scores)


@exercise.misconception("You predict scaled scores. Here the plain dot products are asked for.")
def predicts_scaled_scores(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    mean, spread = of_products(query, key)
    predicted = torch.stack([math.sqrt(d_k) * mean, spread.sqrt()])
    return predicted, measured(scores)


@exercise.misconception(
    "You measure each query by itself and average. The spread between queries is lost that way: "
    "take all scores together."
)
def measures_row_by_row(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    mean, spread = of_products(query, key)
    predicted = torch.stack([d_k * mean, (d_k * spread).sqrt()])
    return predicted, torch.stack([scores.mean(), scores.std(-1, correction=0).mean()])


@exercise.misconception("Both pairs are there, in the other order: first the prediction.")
def measures_first(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    mean, spread = of_products(query, key)
    predicted = torch.stack([d_k * mean, (d_k * spread).sqrt()])
    return measured(scores), predicted


@exercise.misconception(
    "Your prediction looks at each feature by itself, which is more than was asked: the entries of "
    "`query` are taken to be alike, with one mean and one variance for all."
)
def predicts_feature_by_feature(query, key):
    scores = query @ key.mT
    q, k = query.reshape(-1, query.size(-1)), key.reshape(-1, key.size(-1))
    mean = q.mean(0) * k.mean(0)
    spread = q.square().mean(0) * k.square().mean(0) - mean**2
    predicted = torch.stack([mean.sum(), spread.sum().sqrt()])
    return predicted, measured(scores)


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
