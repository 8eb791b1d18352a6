"""Known mistakes of `masked_attention`."""

import math

import torch

from .masked_attention import exercise


@exercise.base
def right(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ value, weights


# fmt: off
@exercise.misconception(
    "The scores are not scaled. How does the spread of a dot product grow with d_k?"
)
def forgets_to_scale(query, key, value, mask):
    weights = (query @ key.mT).masked_fill(~mask, -math.inf).softmax(-1).masked_fill(~mask, 0)
    return weights @ value, weights


right.mistake("divides_by_d_k", {"math.sqrt(key.size(-1))": "key.size(-1)"},
    "You divide by d_k, which is the variance of a score. What is its standard deviation?")
right.mistake("scales_by_the_length", {"key.size(-1)": "key.size(-2)"},
    "You scale by the number of keys. A score is a sum of how many terms?")
right.mistake("normalises_over_queries", {"dim=-1": "dim=-2"},
    "Your softmax runs over the queries. Which axis holds the keys?")
right.mistake("normalises_over_axis_1", {"dim=-1": "dim=1"},
    "Your softmax runs along axis 1. With two axes that is the axis of the keys, but with more "
    "axes it is not. Count from the end: -1.")
right.mistake("attends_to_what_is_forbidden",
    {"~mask, -math.inf": "mask, -math.inf", "~mask, 0": "mask, 0"},
    "You attend to exactly what is forbidden. Here True means \"may attend\".")


@exercise.misconception(
    "You add the boolean to the scores, so allowed keys gain 1. What hides the others?"
)
def adds_the_boolean(query, key, value, mask):
    weights = (query @ key.mT / math.sqrt(key.size(-1)) + mask).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "Masked keys get the weight of a score of 0. Which score has the exponential 0?"
)
def fills_with_zero(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, 0).softmax(dim=-1)
    return weights @ value, weights


right.mistake("takes_0_for_masked",
    {"math.sqrt(key.size(-1))": "math.sqrt(key.size(-1)) * mask",
     "~mask, -math.inf": "scores == 0, -math.inf"},
    "A visible key whose score is exactly 0 gets no weight. If you use 0 to mark the masked "
    "scores, note that a real score may also be 0.")


@exercise.misconception(
    "The masked keys have taken their share, so the rest no longer sums to 1. If you mask after "
    "the softmax, hide the keys before the weights are shared out."
)
def masks_after_the_softmax(query, key, value, mask):
    weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1) * mask
    return weights @ value, weights


@exercise.misconception(
    "Where a masked score is far above the others, nothing is left of a row. If you mask after "
    "the softmax and divide by the sum, hide the keys before the softmax instead."
)
def renormalises_after_the_softmax(query, key, value, mask):
    weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1) * mask
    total = weights.sum(dim=-1, keepdim=True)
    weights = weights / total.masked_fill(total == 0, 1)
    return weights @ value, weights


@exercise.misconception(
    "A row without a key is averaged, and in half precision the call raises an exception. If you "
    "fill with -1e9, note that half precision ends at 65504. Which fill fits every dtype, and "
    "what remains to be done then?"
)
def fills_with_minus_1e9(query, key, value, mask):
    weights = (query @ key.mT / math.sqrt(key.size(-1))).masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "Everything is right except in half precision, where the call raises an exception. If you "
    "fill with -1e9, note that half precision ends at 65504. Which fill fits every dtype?"
)
def fills_with_minus_1e9_and_clears(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -1e9).softmax(-1) * mask
    return weights @ value, weights


right.mistake("fills_with_the_smallest_number",
    {"-math.inf).softmax(dim=-1).masked_fill(~mask, 0)":
        "torch.finfo(scores.dtype).min).softmax(dim=-1)"},
    "Where a query may attend to nothing, you return an average of what was masked, but the "
    "exercise asks for zeros. If you fill with the smallest number, what is the softmax of equal "
    "scores?")


@exercise.misconception(
    "Where all visible scores are far below 0, the visible keys get no weight. If your fill is a "
    "finite number, a visible score can be lower. Which number is below every score?"
)
def fills_with_too_little(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -1e4).softmax(-1) * mask
    return weights @ value, weights


@exercise.misconception(
    "Masked keys get the weight where all visible scores are far below 0, and a row without a key "
    "is averaged. If your fill is a finite number, which number would be below every score?"
)
def fills_with_too_little_and_averages(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -1e4).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "A masked score that is far above the others takes the whole row. If you subtract a number "
    "from the masked scores, they may be larger than that number. Replace them by another score."
)
def subtracts_a_number(query, key, value, mask):
    hidden = (~mask).to(query.dtype) * 1e4
    weights = (query @ key.mT / math.sqrt(key.size(-1)) - hidden).softmax(dim=-1) * mask
    return weights @ value, weights


@exercise.misconception(
    "Large masked scores take the whole row, and a query without a key attends as if there were "
    "no mask. If you subtract a number from the masked scores, it may be too small, or subtracted "
    "from every score of a row."
)
def subtracts_a_number_from_all(query, key, value, mask):
    hidden = (~mask).to(query.dtype) * 1e4
    weights = (query @ key.mT / math.sqrt(key.size(-1)) - hidden).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "The result is right, but the gradient is NaN where a row has no key. If you add -inf, the "
    "gradient flows through the sum to the scores. Which function passes no gradient to what it "
    "replaces?"
)
def adds_minus_infinity(query, key, value, mask):
    bias = torch.zeros_like(mask, dtype=query.dtype).masked_fill(~mask, -math.inf)
    weights = (query @ key.mT / key.size(-1) ** 0.5 + bias).softmax(-1).nan_to_num(0)
    return weights @ value, weights


@exercise.misconception(
    "The output of a query without a key is zero, but its weights are NaN. The exercise asks for "
    "zeros in both, and the gradient of the values is NaN, too. Mend the weights before they are "
    "used."
)
def clears_the_output_only(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -math.inf).softmax(-1)
    return (weights @ value).masked_fill(~mask.any(-1, keepdim=True), 0), weights


right.mistake("clears_the_output_of_an_average",
    {"-math.inf).softmax(dim=-1).masked_fill(~mask, 0)":
        "torch.finfo(scores.dtype).min).softmax(dim=-1)",
     "weights @ value": "(weights @ value).masked_fill(~mask.any(-1, keepdim=True), 0)"},
    "The output of a query without a key is zero, but its weights are not. The exercise asks for "
    "zeros in both. What if you clear the weights before multiplying by the values?")
right.mistake("adds_a_little_to_the_sum",
    {"weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1).masked_fill(~mask, 0)":
        "scores = scores.masked_fill(~mask, -math.inf)\n"
        "    shares = (scores - scores.amax(-1, keepdim=True).nan_to_num()).exp()\n"
        "    weights = shares / (shares.sum(dim=-1, keepdim=True) + 1e-9)"},
    "The sum of a row differs from 1 by more than rounding. If you add a small number to the "
    "divisor, it changes every row. Which rows need care, and how could you tell them apart?")
right.mistake("scales_by_the_values", {"key.size(-1)": "value.size(-1)"},
    "You scale by the width of the values. Over which axis does a score sum?")


@exercise.misconception(
    "A row of nothing but -inf becomes NaN. Such queries need zeros, in the weights as well."
)
def leaves_empty_rows_nan(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "You remove the NaN only after the values have been multiplied by it. The output looks right, "
    "but the gradient of the values is NaN. Mend the weights before they are used."
)
def removes_nan_too_late(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -math.inf).softmax(-1)
    return (weights @ value).nan_to_num(0), weights.nan_to_num(0)


@exercise.misconception(
    "You change the caller's query. If you scale it with `/=` or `*=`, what do these do to a "
    "tensor?"
)
def scales_the_query_in_place(query, key, value, mask):
    query /= math.sqrt(query.size(-1))
    weights = (query @ key.mT).masked_fill(~mask, -math.inf).softmax(-1).masked_fill(~mask, 0)
    return weights @ value, weights


right.mistake("multiplies_entry_by_entry",
    {"query @ key.mT": "(query[..., :, None, :] * key[..., None, :, :]).sum(-1)"},
    "The result is right, but a tensor is far larger than needed. If it has an entry for each "
    "query, key and feature, a matrix product does not need it. If it has one for each pair of "
    "keys, which step requires that?")
