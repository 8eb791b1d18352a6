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
    "The scores are not scaled. What does the formula divide them by?")
right.mistake("divides_by_d_k", {"math.sqrt(key.size(-1))": "key.size(-1)"},
    "You divide by d_k. The formula divides by its square root.")
right.mistake("scales_by_the_number_of_keys", {"key.size(-1)": "key.size(-2)"},
    "You scale by the number of keys. Over which axis does a score sum, and how long is that axis?")
right.mistake("scales_by_d_v", {"key.size(-1)": "value.size(-1)"},
    "You scale by the width of the values. The values take no part in the scores. Which width "
    "does?")
right.mistake("multiplies_by_the_root", {"/ math.sqrt(key.size(-1))": "* key.size(-1) ** 0.5"},
    "You multiply by the square root of d_k, so the scores become more spread out instead of less.")
right.mistake("scales_after_the_softmax",
    {"(query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "(query @ key.mT).softmax(dim=-1) / math.sqrt(key.size(-1))"},
    "You scale after the softmax, so the rows no longer sum to 1. The formula scales the scores.")
right.mistake("normalises_over_queries", {"dim=-1": "dim=-2"},
    "Your softmax runs over the queries, so the columns sum to 1. A query shares out its "
    "attention among the keys. Which axis holds the keys?")


@exercise.misconception(
    "You count axes from the front, where an index means another axis as soon as there is one "
    "leading axis more or less. Count from the end: the last two axes are the same in every case."
)
def expects_one_leading_axis(query, key, value):
    scores = torch.matmul(query, key.transpose(1, 2)) / key.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    return torch.matmul(weights, value), weights


right.mistake("normalises_over_everything",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "scores = query @ key.mT / math.sqrt(key.size(-1))\n"
        "    weights = scores.flatten(-2).softmax(dim=-1).view_as(scores)"},
    "Your softmax runs over all scores of a sequence together. Each query has its own sum.")
right.mistake("reshapes_the_keys",
    {"key.mT": "key.reshape(*key.shape[:-2], key.size(-1), key.size(-2))"},
    "The shape is right, but `reshape` and `view` only cut the keys into other rows. Which "
    "operation swaps two axes?")
right.mistake("reshapes_the_values",
    {"weights @ value,":
        "weights @ value.reshape(*value.shape[:-2], value.size(-1), value.size(-2)).mT,"},
    "The weights are right, but the output is not. If you `reshape` or `view` the values, that "
    "only cuts the same numbers into other rows. Without that they already have one row per key.")
right.mistake("takes_zero_for_masked",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "scores = query @ key.mT / math.sqrt(key.size(-1))\n"
        "    weights = scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1)"},
    "A key whose score is exactly 0 gets no weight. A score may be any number, including 0. What "
    "is the exponential of 0?")
right.mistake("exponentials_overflow",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "shares = (query @ key.mT / math.sqrt(key.size(-1))).exp()\n"
        "    weights = shares / shares.sum(dim=-1, keepdim=True)"},
    "Large scores give NaN: the exponential of 100 is too large for float32, and that of 12 is "
    "too large for half precision. What may be subtracted from a row of scores without changing "
    "its softmax?")
right.mistake("subtracts_one_number_from_all",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "scores = query @ key.mT / math.sqrt(key.size(-1))\n"
        "    shares = (scores - scores.max()).exp()\n"
        "    weights = shares / shares.sum(dim=-1, keepdim=True)"},
    "You subtract one number from all scores. In a row that lies far below it, every exponential "
    "is 0, and 0 / 0 is NaN. Which number should each row use?")


@exercise.misconception(
    "You return the scores in place of the weights. Which step comes between the two?"
)
def returns_the_scores(query, key, value):
    scores = scaled(query, key)
    return shared_out(scores, value)[0], scores


right.mistake("returns_the_weights_first", {"weights @ value, weights": "weights, weights @ value"},
    "You return the weights first. The caller unpacks output, weights.")
right.mistake("scales_the_query_in_place",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1)))":
        "query /= math.sqrt(query.size(-1))\n    weights = (query @ key.mT)"},
    "You scale in place, which changes the caller's query. What does `/=` do?")
right.mistake("returns_float32",
    {"weights =": "query, key, value = query.float(), key.float(), value.float()\n    weights ="},
    "You compute in float32, which is a good idea, but you have to return the caller's dtype.")
right.mistake("returns_float32_weights",
    {"weights =":
        "dtype = value.dtype\n"
        "    query, key, value = query.float(), key.float(), value.float()\n"
        "    weights =",
     "weights @ value,": "(weights @ value).to(dtype),"},
    "The output has the caller's dtype, but the weights are still float32. Return both in the "
    "dtype of the inputs.")
right.mistake("asks_the_softmax_for_float32",
    {"dim=-1": "dim=-1, dtype=torch.float32", "weights @ value": "weights.to(value.dtype) @ value"},
    "The softmax returns float32 here, so your weights are float32. Return both results in the "
    "dtype of the inputs.")
right.mistake("hides_later_keys",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "scores = query @ key.mT / math.sqrt(key.size(-1))\n"
        "    later = torch.ones_like(scores, dtype=torch.bool).triu(1)\n"
        "    weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)"},
    "Each query sees only the keys up to its own position. There is no mask in this chapter. "
    "Which keys may a query attend to?")
right.mistake("rounds_the_root_down", {"math.sqrt(key.size(-1))": "math.isqrt(query.size(-1))"},
    "The root of d_k is rounded down to a whole number, as `math.isqrt` and `//` do. What happens "
    "when d_k is not a square?")
right.mistake("swaps_axes_1_and_2", {"key.mT": "key.transpose(1, 2)"},
    "You swap axes 1 and 2 of the keys. These are the last two axes only if there are three in "
    "all. Count from the end: -2 and -1.")
right.mistake("normalises_over_axis_2", {"dim=-1": "dim=2"},
    "Your softmax runs along axis 2. With three axes, axis 2 holds the keys, with four the "
    "queries, and with two it does not exist. Count from the end: -1.")
right.mistake("scales_by_axis_2", {"key.size(-1)": "key.size(2 if key.dim() > 2 else -1)"},
    "You scale by the length of axis 2 where there are three axes or more. With four axes, axis 2 "
    "does not hold the features. Count from the end: -1.")
right.mistake("puts_zeros_for_nan",
    {"weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)":
        "shares = (query @ key.mT / math.sqrt(key.size(-1))).exp()\n"
        "    weights = (shares / shares.sum(dim=-1, keepdim=True)).nan_to_num()"},
    "You replace NaN by 0 in your weights. Where exponentials overflow, a key that should have "
    "nearly all the weight then has none. What may be subtracted from a row of scores first?")
