"""Known mistakes of `soft_lookup`."""

import torch

from .soft_lookup import exercise


@exercise.base
def right(query, key, value, temperature):
    weights = torch.softmax(query @ key.T / temperature, dim=-1)
    return weights @ value, weights


@exercise.base
def by_exponentials(query, key, value, temperature):
    scores = query @ key.T / temperature
    shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = shares / shares.sum(dim=-1, keepdim=True)
    return weights @ value, weights


# fmt: off
right.mistake("multiplies_by_the_temperature", {"key.T /": "key.T *"},
    "You multiply by the temperature. A high temperature should make the weights more equal. "
    "Which operation brings scores closer together?")
right.mistake("ignores_the_temperature", {"T / temperature": "T"},
    "Your result does not depend on the temperature.")
right.mistake("divides_the_weights", {"/ temperature, dim=-1)": ", dim=-1) / temperature"},
    "You divide the weights by the temperature, so they no longer sum to 1. What should be "
    "divided before it becomes weights?")
right.mistake("normalises_over_the_queries", {"dim=-1": "dim=0"},
    "Your columns sum to 1, so the queries compete for each key. Each query shares out its own "
    "weights. Which axis holds the keys?")
right.mistake("leaves_the_exponentials", {"softmax": "exp", "temperature, dim=-1": "temperature"},
    "The exponentials are not divided by their sum.")
by_exponentials.mistake("overflows",
    {"scores = query @ key.T / temperature\n"
     "    shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))":
        "shares = torch.exp(query @ key.T / temperature)"},
    "The exponential of a large score is infinite. The weights stay the same if you subtract one "
    "number from all scores of a row. Which number makes the largest exponential 1?")
by_exponentials.mistake("subtracts_the_largest_of_all", {"amax(dim=-1, keepdim=True)": "max()"},
    "You subtract the largest score of all queries. In a row that lies far below it, every "
    "exponential is 0. Which maximum does each row need?")
right.mistake("caps_the_scores",
    {"query @ key.T / temperature": "(query @ key.T / temperature).clamp(-80, 80)"},
    "You cap the scores, so all scores beyond the cap count the same. The result is finite but "
    "not right. What may be subtracted from a row without changing its weights?")
by_exponentials.mistake("subtracts_a_rounded_logarithm",
    {"shares =": "weights =",
     "amax": "logsumexp",
     "weights = shares / shares.sum(dim=-1, keepdim=True)\n    return": "return"},
    "The result is finite but not exact: next to a large score, the logarithm of the sum is "
    "rounded to a few decimal places. Subtract the largest score of the row first.")
by_exponentials.mistake("divides_by_the_sum",
    {"shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))\n"
     "    weights = shares / shares":
        "weights = scores / scores"},
    "You divide the scores by their sum. Scores may be negative, and then so are your weights. "
    "Which function makes any number positive and keeps the order?")
right.mistake("scales_by_the_width", {"key.T /": "key.T / query.size(-1) ** 0.5 /"},
    "You divide by the root of d_k as well. That belongs to a later chapter: here the scores are "
    "divided by the temperature alone.")
right.mistake("looks_up_hard",
    {"torch.softmax(query @ key.T / temperature, dim=-1)":
        "((query @ key.T).argmax(dim=-1, keepdim=True) == torch.arange(key.size(0), "
        "device=key.device)).to(value.dtype)"},
    "This is the hard lookup: one weight is 1 and the others are 0 at every temperature. Every "
    "key should have a share.")
right.mistake("swaps_the_two", {"@ value, weights": ", weights @ value"},
    "The two results are right but in the wrong order. The output comes first.")
right.mistake("mixes_the_keys", {"@ value": "@ key"},
    "You mix the keys. Keys are only compared with the query to get the weights. What should be "
    "mixed is stored under them.")
by_exponentials.mistake("adds_a_billionth",
    {"/ shares": "/ (shares", "sum(dim=-1, keepdim=True)": "sum(dim=-1, keepdim=True) + 1e-9)"},
    "Rows sum to a little less than 1, by about a billionth. If you add a small number to the "
    "divisor, how small can a sum of exponentials be when the largest of them is 1?")
by_exponentials.mistake("adds_a_millionth",
    {"/ shares": "/ (shares", "sum(dim=-1, keepdim=True)": "sum(dim=-1, keepdim=True) + 1e-6)"},
    "Rows sum to a little less than 1, by about a millionth. If you add a small number to the "
    "divisor, when could that sum be 0, given that the largest exponential is 1?")
right.mistake("shares_among_all",
    {"weights = torch.softmax(query @ key.T / temperature, dim=-1)":
        "scores = query @ key.T / temperature\n"
        "    weights = scores.flatten().softmax(dim=0).view_as(scores)"},
    "All weights together sum to 1. Each query shares out 1 among the keys. Over which axis "
    "should its sum run?")
by_exponentials.mistake("forgets_keepdim", {"sum(dim=-1, keepdim=True)": "sum(dim=-1)"},
    "If the message mentions tensor sizes, note that the sums of the rows have the shape "
    "(queries,), and a division aligns axes from the last one, the keys. Which axis was lost in "
    "the sum?")
right.mistake("forgets_to_transpose", {"key.T": "key"},
    "If the message mentions two shapes that cannot be multiplied, note that the scores are "
    "(queries, keys), and keys are rows of `key`. Which axis of `key` has to meet the features of "
    "`query`?")
