"""Known mistakes of `soft_lookup`."""

import torch

from .soft_lookup import exercise


@exercise.misconception(
    "You multiply by the temperature. A high temperature is to make the weights more equal: which "
    "operation brings scores closer together?"
)
def multiplies_by_the_temperature(query, key, value, temperature):
    weights = torch.softmax(query @ key.T * temperature, dim=-1)
    return weights @ value, weights


@exercise.misconception("Your result does not depend on the temperature.")
def ignores_the_temperature(query, key, value, temperature):
    weights = torch.softmax(query @ key.T, dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "You divide the weights by the temperature, so they do not sum to 1 any more. What is to be "
    "divided, before it becomes weights?"
)
def divides_the_weights(query, key, value, temperature):
    weights = torch.softmax(query @ key.T, dim=-1) / temperature
    return weights @ value, weights


@exercise.misconception(
    "Your columns sum to 1, so the queries compete for each key. Each query shares out its own "
    "weights: which axis holds the keys?"
)
def normalises_over_the_queries(query, key, value, temperature):
    weights = torch.softmax(query @ key.T / temperature, dim=0)
    return weights @ value, weights


@exercise.misconception("The exponentials are not divided by their sum.")
def leaves_the_exponentials(query, key, value, temperature):
    weights = torch.exp(query @ key.T / temperature)
    return weights @ value, weights


@exercise.misconception(
    "The exponential of a large score is infinite. The weights stay the same if you subtract one "
    "number from all scores of a row: which one makes the largest exponential 1?"
)
def overflows(query, key, value, temperature):
    shares = torch.exp(query @ key.T / temperature)
    weights = shares / shares.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@exercise.misconception(
    "You subtract the largest score of all queries. In a row that lies far below it every "
    "exponential is 0. Whose maximum is needed?"
)
def subtracts_the_largest_of_all(query, key, value, temperature):
    scores = query @ key.T / temperature
    shares = torch.exp(scores - scores.max())
    weights = shares / shares.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@exercise.misconception(
    "You cap the scores, so all that lie beyond the cap count the same. Finite is not yet right: "
    "what may be subtracted from a row without changing its weights?"
)
def caps_the_scores(query, key, value, temperature):
    weights = torch.softmax((query @ key.T / temperature).clamp(-80, 80), dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "Finite, but not exact: next to a large score, the logarithm of the sum is rounded to a few "
    "digits after the point. Take the largest score of the row off first."
)
def subtracts_a_rounded_logarithm(query, key, value, temperature):
    scores = query @ key.T / temperature
    weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True))
    return weights @ value, weights


@exercise.misconception(
    "You divide the scores by their sum. Scores may be negative, and so are your weights; what "
    "turns any number into a positive one and keeps the order?"
)
def divides_by_the_sum(query, key, value, temperature):
    scores = query @ key.T / temperature
    weights = scores / scores.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@exercise.misconception(
    "You divide by the root of d_k as well. That belongs to a later chapter; here the temperature "
    "is all that the scores are divided by."
)
def scales_by_the_width(query, key, value, temperature):
    weights = torch.softmax(query @ key.T / query.size(-1) ** 0.5 / temperature, dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "This is the hard lookup: one weight is 1 and the others 0 at every temperature. Every key is "
    "to have a share."
)
def looks_up_hard(query, key, value, temperature):
    best = (query @ key.T).argmax(dim=-1, keepdim=True)
    weights = (best == torch.arange(key.size(0), device=key.device)).to(value.dtype)
    return weights @ value, weights


@exercise.misconception(
    "The two results are right but the wrong way round. First comes the output."
)
def swaps_the_two(query, key, value, temperature):
    weights = torch.softmax(query @ key.T / temperature, dim=-1)
    return weights, weights @ value


@exercise.misconception(
    "You mix the keys. The weights come from comparing with the keys; what is mixed is what is "
    "stored under them."
)
def mixes_the_keys(query, key, value, temperature):
    weights = torch.softmax(query @ key.T / temperature, dim=-1)
    return weights @ key, weights


@exercise.misconception(
    "Rows sum to a little less than 1, by about a billionth. If you add a small number to what you "
    "divide by: how small can a sum of exponentials be whose largest is 1?"
)
def adds_a_billionth(query, key, value, temperature):
    scores = query @ key.T / temperature
    shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = shares / (shares.sum(dim=-1, keepdim=True) + 1e-9)
    return weights @ value, weights


@exercise.misconception(
    "Rows sum to a little less than 1, by about a millionth. If you add a small number to what you "
    "divide by: when could that sum be 0, if the largest exponential is 1?"
)
def adds_a_millionth(query, key, value, temperature):
    scores = query @ key.T / temperature
    shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = shares / (shares.sum(dim=-1, keepdim=True) + 1e-6)
    return weights @ value, weights


@exercise.misconception(
    "All weights together sum to 1. Each query shares out 1 among the keys: over which axis does "
    "its sum run?"
)
def shares_among_all(query, key, value, temperature):
    scores = query @ key.T / temperature
    weights = scores.flatten().softmax(dim=0).view_as(scores)
    return weights @ value, weights


@exercise.misconception(
    "If the message names sizes of tensors: the sums of the rows have the shape (queries,), and a "
    "division lines axes up from the last, the keys. Which axis was lost in the sum?"
)
def forgets_keepdim(query, key, value, temperature):
    scores = query @ key.T / temperature
    shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = shares / shares.sum(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "If the message names two shapes that cannot be multiplied: the scores are (queries, keys), "
    "and keys are rows of `key`. Which of its axes has to meet that of `query`?"
)
def forgets_to_transpose(query, key, value, temperature):
    weights = torch.softmax(query @ key / temperature, dim=-1)
    return weights @ value, weights
