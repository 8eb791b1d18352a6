"""Known mistakes of `attend`."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from .attend import exercise


def scaled(
    query: Float[Tensor, "*batch queries d_k"], key: Float[Tensor, "*batch keys d_k"]
) -> Float[Tensor, "*batch queries keys"]:
    return query @ key.mT / math.sqrt(key.size(-1))


def shared_out(
    scores: Float[Tensor, "*batch queries keys"], value: Float[Tensor, "*batch keys d_v"]
) -> tuple[Float[Tensor, "*batch queries d_v"], Float[Tensor, "*batch queries keys"]]:
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


@exercise.base
def right(query, key, value):
    weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)
    return weights @ value, weights


# fmt: off
right.mistake("forgets_to_scale", {" / math.sqrt(key.size(-1))": ""},
    "The scores are not scaled. By what does the formula divide them?")
right.mistake("divides_by_d_k", {"math.sqrt(key.size(-1))": "key.size(-1)"},
    "You divide by d_k. The formula divides by its square root.")
right.mistake("scales_by_the_number_of_keys", {"key.size(-1)": "key.size(-2)"},
    "You scale by the number of keys. Along which axis is a score a sum, and how long is "
    "that axis?")
right.mistake("scales_by_d_v", {"key.size(-1)": "value.size(-1)"},
    "You scale by the width of the values. They take no part in the scores: which width does?")
right.mistake("multiplies_by_the_root", {"/ math.sqrt(key.size(-1))": "* key.size(-1) ** 0.5"},
    "You multiply by the square root of d_k, so the scores spread more instead of less.")
right.mistake("scales_after_the_softmax",
    {"(query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "(query @ key.mT).softmax(dim=-1) / math.sqrt(key.size(-1))"},
    "You scale after the softmax, so the rows no longer sum to 1. It is the scores that "
    "are scaled.")
right.mistake("normalises_over_queries", {"dim=-1": "dim=-2"},
    "Your softmax runs over the queries: the columns sum to 1. A query shares out its attention "
    "among keys: which axis holds these?")


@exercise.misconception(
    "You count axes from the front: with one leading axis more or less they mean something else. "
    "Count from the end: the last two are the same in every case."
)
def expects_one_leading_axis(query, key, value):
    scores = torch.matmul(query, key.transpose(1, 2)) / key.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    return torch.matmul(weights, value), weights


right.mistake("normalises_over_everything",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "scores = query @ key.mT / math.sqrt(key.size(-1))\n"
        "    weights = scores.flatten(-2).softmax(dim=-1).view_as(scores)"},
    "Your softmax runs over all scores of a sequence together. Each query has a sum of its own.")
right.mistake("reshapes_the_keys",
    {"key.mT": "key.reshape(*key.shape[:-2], key.size(-1), key.size(-2))"},
    "The shape is right, but `reshape` and `view` only cut the keys into other rows. Which "
    "operation swaps two axes?")
right.mistake("reshapes_the_values",
    {"weights @ value,":
        "weights @ value.reshape(*value.shape[:-2], value.size(-1), value.size(-2)).mT,"},
    "The weights are right, the output is not. If you `reshape` or `view` the values: that only "
    "cuts the same numbers into other rows. As they come, they have a row for each key.")
right.mistake("takes_zero_for_masked",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "scores = query @ key.mT / math.sqrt(key.size(-1))\n"
        "    weights = scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1)"},
    "A key whose score is exactly 0 gets nothing. A score may be any number, and 0 is one of them: "
    "what is the exponential of 0?")
right.mistake("exponentials_overflow",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "shares = (query @ key.mT / math.sqrt(key.size(-1))).exp()\n"
        "    weights = shares / shares.sum(dim=-1, keepdim=True)"},
    "Large scores give NaN: the exponential of 100 is too large for float32, that of 12 for half "
    "precision. What may be subtracted from a row of scores without changing its softmax?")
right.mistake("subtracts_one_number_from_all",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "scores = query @ key.mT / math.sqrt(key.size(-1))\n"
        "    shares = (scores - scores.max()).exp()\n"
        "    weights = shares / shares.sum(dim=-1, keepdim=True)"},
    "You subtract one number from all scores. In a row that lies far below it every exponential is "
    "0, and 0 / 0 is NaN. Which number belongs to each row?")


@exercise.misconception("You return the scores in place of the weights. What comes in between?")
def returns_the_scores(query, key, value):
    scores = scaled(query, key)
    return shared_out(scores, value)[0], scores


right.mistake("returns_the_weights_first", {"weights @ value, weights": "weights, weights @ value"},
    "You return the weights first. The caller unpacks output, weights.")
right.mistake("scales_the_query_in_place",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1)))":
        "query /= math.sqrt(query.size(-1))\n    weights = (query @ key.mT)"},
    "You scale in place and change the caller's query. What does `/=` do?")
right.mistake("returns_float32",
    {"weights =": "query, key, value = query.float(), key.float(), value.float()\n    weights ="},
    "You compute in float32, which is wise: return the caller's dtype.")
right.mistake("returns_float32_weights",
    {"weights =":
        "dtype = value.dtype\n"
        "    query, key, value = query.float(), key.float(), value.float()\n"
        "    weights =",
     "weights @ value,": "(weights @ value).to(dtype),"},
    "The output has the caller's dtype, the weights are still float32. Both are returned in the "
    "dtype of the inputs.")
right.mistake("asks_the_softmax_for_float32",
    {"dim=-1": "dim=-1, dtype=torch.float32", "weights @ value": "weights.to(value.dtype) @ value"},
    "The softmax returns float32 here, and so are your weights. Both results are returned in the "
    "dtype of the inputs.")
right.mistake("hides_later_keys",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "scores = query @ key.mT / math.sqrt(key.size(-1))\n"
        "    later = torch.ones_like(scores, dtype=torch.bool).triu(1)\n"
        "    weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)"},
    "Each query sees the keys up to its own place only. There is no mask in this chapter: which "
    "keys may a query attend to?")
right.mistake("rounds_the_root_down", {"math.sqrt(key.size(-1))": "math.isqrt(query.size(-1))"},
    "The root of d_k is rounded down to a whole number, as `math.isqrt` and `//` do. What is it "
    "where d_k is no square?")
right.mistake("swaps_axes_1_and_2", {"key.mT": "key.transpose(1, 2)"},
    "You swap axes 1 and 2 of the keys, which are the last two only where there are three axes. "
    "Count from the end: -2 and -1.")
right.mistake("normalises_over_axis_2", {"dim=-1": "dim=2"},
    "Your softmax runs along axis 2: with three axes those are the keys, with four the queries, "
    "and two axes have none. Count from the end: -1.")
right.mistake("scales_by_axis_2", {"key.size(-1)": "key.size(2 if key.dim() > 2 else -1)"},
    "You scale by the length of axis 2 where there are three axes or more: with four, these are no "
    "features. Count from the end: -1.")
right.mistake("puts_zeros_for_nan",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "shares = (query @ key.mT / math.sqrt(key.size(-1))).exp()\n"
        "    weights = (shares / shares.sum(dim=-1, keepdim=True)).nan_to_num()"},
    "NaN becomes 0 in your weights: where exponentials overflow, a key that should have nearly all "
    "the weight has none. What may be subtracted from a row of scores before?")
