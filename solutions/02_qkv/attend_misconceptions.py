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


def normalised(
    shares: Float[Tensor, "*batch queries keys"], value: Float[Tensor, "*batch keys d_v"]
) -> tuple[Float[Tensor, "*batch queries d_v"], Float[Tensor, "*batch queries keys"]]:
    weights = shares / shares.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@exercise.misconception("The scores are not scaled. By what does the formula divide them?")
def forgets_to_scale(query, key, value):
    return shared_out(query @ key.mT, value)


@exercise.misconception("You divide by d_k. The formula divides by its square root.")
def divides_by_d_k(query, key, value):
    return shared_out(query @ key.mT / key.size(-1), value)


@exercise.misconception(
    "You scale by the number of keys. Along which axis is a score a sum, and how long is that axis?"
)
def scales_by_the_number_of_keys(query, key, value):
    return shared_out(query @ key.mT / math.sqrt(key.size(-2)), value)


@exercise.misconception(
    "You scale by the width of the values. They take no part in the scores: which width does?"
)
def scales_by_d_v(query, key, value):
    return shared_out(query @ key.mT / math.sqrt(value.size(-1)), value)


@exercise.misconception(
    "You multiply by the square root of d_k, so the scores spread more instead of less."
)
def multiplies_by_the_root(query, key, value):
    return shared_out(query @ key.mT * key.size(-1) ** 0.5, value)


@exercise.misconception(
    "You scale after the softmax, so the rows no longer sum to 1. It is the scores that are scaled."
)
def scales_after_the_softmax(query, key, value):
    weights = (query @ key.mT).softmax(dim=-1) / math.sqrt(key.size(-1))
    return weights @ value, weights


@exercise.misconception(
    "Your softmax runs over the queries: the columns sum to 1. A query shares out its attention "
    "among keys: which axis holds these?"
)
def normalises_over_queries(query, key, value):
    weights = scaled(query, key).softmax(dim=-2)
    return weights @ value, weights


@exercise.misconception(
    "You count axes from the front: with one leading axis more or less they mean something else. "
    "Count from the end: the last two are the same in every case."
)
def expects_one_leading_axis(query, key, value):
    scores = torch.matmul(query, key.transpose(1, 2)) / key.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    return torch.matmul(weights, value), weights


@exercise.misconception(
    "Your softmax runs over all scores of a sequence together. Each query has a sum of its own."
)
def normalises_over_everything(query, key, value):
    scores = scaled(query, key)
    weights = scores.flatten(-2).softmax(dim=-1).view_as(scores)
    return weights @ value, weights


@exercise.misconception(
    "The shape is right, but `reshape` and `view` only cut the keys into other rows. Which "
    "operation swaps two axes?"
)
def reshapes_the_keys(query, key, value):
    scores = query @ key.reshape(*key.shape[:-2], key.size(-1), key.size(-2))
    weights = (scores / math.sqrt(key.size(-1))).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "The weights are right, the output is not. If you `reshape` or `view` the values: that only "
    "cuts the same numbers into other rows. As they come, they have a row for each key."
)
def reshapes_the_values(query, key, value):
    weights = scaled(query, key).softmax(dim=-1)
    cut = value.reshape(*value.shape[:-2], value.size(-1), value.size(-2))
    return weights @ cut.mT, weights


@exercise.misconception(
    "A key whose score is exactly 0 gets nothing. A score may be any number, and 0 is one of them: "
    "what is the exponential of 0?"
)
def takes_zero_for_masked(query, key, value):
    scores = scaled(query, key)
    return shared_out(scores.masked_fill(scores == 0, -math.inf), value)


@exercise.misconception(
    "Large scores give NaN: the exponential of 100 is too large for float32, that of 12 for half "
    "precision. What may be subtracted from a row of scores without changing its softmax?"
)
def exponentials_overflow(query, key, value):
    return normalised(scaled(query, key).exp(), value)


@exercise.misconception(
    "You subtract one number from all scores. In a row that lies far below it every exponential is "
    "0, and 0 / 0 is NaN. Which number belongs to each row?"
)
def subtracts_one_number_from_all(query, key, value):
    scores = scaled(query, key)
    return normalised((scores - scores.max()).exp(), value)


@exercise.misconception("You return the scores in place of the weights. What comes in between?")
def returns_the_scores(query, key, value):
    scores = scaled(query, key)
    return shared_out(scores, value)[0], scores


@exercise.misconception("You return the weights first. The caller unpacks output, weights.")
def returns_the_weights_first(query, key, value):
    output, weights = shared_out(scaled(query, key), value)
    return weights, output


@exercise.misconception("You scale in place and change the caller's query. What does `/=` do?")
def scales_the_query_in_place(query, key, value):
    query /= math.sqrt(query.size(-1))
    return shared_out(query @ key.mT, value)


@exercise.misconception("You compute in float32, which is wise: return the caller's dtype.")
def returns_float32(query, key, value):
    return shared_out(scaled(query.float(), key.float()), value.float())


@exercise.misconception(
    "The output has the caller's dtype, the weights are still float32. Both are returned in the "
    "dtype of the inputs."
)
def returns_float32_weights(query, key, value):
    output, weights = shared_out(scaled(query.float(), key.float()), value.float())
    return output.to(value.dtype), weights


@exercise.misconception(
    "The softmax returns float32 here, and so are your weights. Both results are returned in the "
    "dtype of the inputs."
)
def asks_the_softmax_for_float32(query, key, value):
    weights = scaled(query, key).softmax(dim=-1, dtype=torch.float32)
    return weights.to(value.dtype) @ value, weights


@exercise.misconception(
    "Each query sees the keys up to its own place only. There is no mask in this chapter: which "
    "keys may a query attend to?"
)
def hides_later_keys(query, key, value):
    scores = scaled(query, key)
    later = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return shared_out(scores.masked_fill(later, -math.inf), value)


@exercise.misconception(
    "The root of d_k is rounded down to a whole number, as `math.isqrt` and `//` do. What is it "
    "where d_k is no square?"
)
def rounds_the_root_down(query, key, value):
    return shared_out(query @ key.mT / math.isqrt(query.size(-1)), value)


@exercise.misconception(
    "You swap axes 1 and 2 of the keys, which are the last two only where there are three axes. "
    "Count from the end: -2 and -1."
)
def swaps_axes_1_and_2(query, key, value):
    return shared_out(query @ key.transpose(1, 2) / math.sqrt(key.size(-1)), value)


@exercise.misconception(
    "Your softmax runs along axis 2: with three axes those are the keys, with four the queries, "
    "and two axes have none. Count from the end: -1."
)
def normalises_over_axis_2(query, key, value):
    weights = scaled(query, key).softmax(dim=2)
    return weights @ value, weights


@exercise.misconception(
    "You scale by the length of axis 2 where there are three axes or more: with four, these are no "
    "features. Count from the end: -1."
)
def scales_by_axis_2(query, key, value):
    width = key.size(2) if key.dim() > 2 else key.size(-1)
    return shared_out(query @ key.mT / math.sqrt(width), value)


@exercise.misconception(
    "NaN becomes 0 in your weights: where exponentials overflow, a key that should have nearly all "
    "the weight has none. What may be subtracted from a row of scores before?"
)
def puts_zeros_for_nan(query, key, value):
    shares = scaled(query, key).exp()
    weights = (shares / shares.sum(dim=-1, keepdim=True)).nan_to_num()
    return weights @ value, weights
