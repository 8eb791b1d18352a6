"""Known mistakes of `score_statistics`."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from .score_statistics import exercise


def of_products(
    query: Float[Tensor, "... queries d_k"], key: Float[Tensor, "... keys d_k"]
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Mean and variance of the product of an entry of each, drawn independently."""
    mean = query.mean() * key.mean()
    return mean, query.square().mean() * key.square().mean() - mean**2


def measured(scores: Float[Tensor, "... queries keys"]) -> Float[Tensor, " 2"]:
    """Mean and standard deviation."""
    return torch.stack([scores.mean(), scores.std(correction=0)])


@exercise.base
def right(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    mean, spread = of_products(query, key)
    predicted = torch.stack([d_k * mean, (d_k * spread).sqrt()])
    return predicted, measured(scores)


# fmt: off
@exercise.misconception(
    "You return the textbook's root of d_k. It assumes mean 0 and variance 1. What are the mean "
    "and the variance of these entries?"
)
def trusts_the_root_rule(query, key):
    scores = query @ key.mT
    predicted = torch.tensor([0, math.sqrt(query.size(-1))]).to(scores)
    return predicted, measured(scores)


right.mistake("multiplies_the_variances",
    {"of_products(query, key)":
        "query.mean() * key.mean(), query.var(correction=0) * key.var(correction=0)"},
    "Your standard deviation is right only where the means are 0. Write a product of two entries "
    "as (mean + rest) times (mean + rest). Which three terms vary?")
right.mistake("adds_standard_deviations", {"(d_k * spread)": "d_k * spread"},
    "Your standard deviation grows in proportion to d_k. For a sum of independent terms, which "
    "quantity adds up?")
right.mistake("returns_variances",
    {"(d_k * spread).sqrt()": "d_k * spread",
     "measured(scores)": "torch.stack([scores.mean(), scores.var(correction=0)])"},
    "You return variances. The exercise asks for standard deviations.")
right.mistake("forgets_to_sum_the_means", {"d_k * mean": "mean"},
    "You predict the mean of one product. A score is a sum of how many products?")
right.mistake("predicts_no_mean",
    {"mean, spread = of_products(query, key)":
        "spread = query.square().mean() * key.square().mean() - (query.mean() * key.mean()) ** 2",
     "d_k * mean": "0 * spread"},
    "You predict a mean of 0. What is the mean of a product of independent numbers?")
right.mistake("takes_squares_for_variances",
    {"mean, spread = of_products(query, key)":
        "spread = query.square().mean() * key.square().mean()",
     "* mean": "* query.mean() * key.mean()"},
    "You use the mean of the squares in place of the variance. What is missing is the square of "
    "the mean.")


@exercise.misconception(
    "You divide by one less than the number of entries, as torch's `std` and `var` do by default. "
    "The exercise asks for a division by the number itself."
)
def divides_by_n_minus_1(query, key):
    scores, d_k = query @ key.mT, query.size(-1)
    means, spreads = (query.mean(), key.mean()), (query.var(), key.var())
    spread = spreads[0] * spreads[1] + spreads[0] * means[1] ** 2 + spreads[1] * means[0] ** 2
    predicted = torch.stack([d_k * means[0] * means[1], (d_k * spread).sqrt()])
    return predicted, torch.stack([scores.mean(), scores.std()])


right.mistake("measures_with_n_minus_1",
    {"measured(scores)": "torch.stack([scores.mean(), scores.std()])"},
    "The prediction is right, but your measured standard deviation is slightly too large. What "
    "does `std` divide by unless you say otherwise?")
right.mistake("measures_scaled_scores",
    {"scores, d_k = query @ key.mT, query.size(-1)":
        "d_k = query.size(-1)\n    scores = query @ key.mT / math.sqrt(d_k)"},
    "You measure scaled scores. The exercise asks for the plain dot products.")
right.mistake("predicts_scaled_scores",
    {"d_k * mean, (d_k * spread)": "math.sqrt(d_k) * mean, spread"},
    "You predict scaled scores. The exercise asks for the plain dot products.")
right.mistake("measures_row_by_row",
    {"measured(scores)": "torch.stack([scores.mean(), scores.std(-1, correction=0).mean()])"},
    "You measure each query separately and average, which loses the spread between queries. Take "
    "all scores together.")
right.mistake("measures_first", {"predicted, measured(scores)": "measured(scores), predicted"},
    "Both pairs are there, but in the wrong order. The prediction comes first.")


@exercise.misconception(
    "Your prediction treats each feature separately. The exercise assumes less detail: all "
    "entries of `query` share one mean and one variance."
)
def predicts_feature_by_feature(query, key):
    scores = query @ key.mT
    q, k = query.reshape(-1, query.size(-1)), key.reshape(-1, key.size(-1))
    mean = q.mean(0) * k.mean(0)
    spread = q.square().mean(0) * k.square().mean(0) - mean**2
    predicted = torch.stack([mean.sum(), spread.sum().sqrt()])
    return predicted, measured(scores)


right.mistake("measures_across_sequences",
    {"measured(scores)": "measured(query.reshape(-1, d_k) @ key.reshape(-1, d_k).mT)"},
    "You measure scores of queries with the keys of other sequences, too. With leading axes, "
    "which keys does `query @ key.mT` compare with a query?")
right.mistake("takes_axis_1_for_d_k", {"size(-1)": "shape[1]"},
    "You use `shape[1]` as d_k. Which axis that is, counted from the front, depends on the number "
    "of leading axes. Where is d_k, counted from the end?")
