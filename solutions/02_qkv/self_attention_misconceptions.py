"""Known mistakes of `self_attention`."""

import math

import torch  # noqa: F401
import torch.nn.functional as F

from .self_attention import exercise


@exercise.base
def right(x, W_q, W_k, W_v):
    weights = (x @ W_q @ (x @ W_k).mT / math.sqrt(W_q.size(1))).softmax(dim=-1)
    return weights @ (x @ W_v), weights


@exercise.base
def by_scores(x, W_q, W_k, W_v):
    scores = x @ W_q @ (x @ W_k).mT / math.sqrt(W_q.size(1))
    weights = scores.softmax(dim=-1)
    return weights @ (x @ W_v), weights


# fmt: off
right.mistake("forgets_to_scale", {"mT / math.sqrt(W_q.size(1))": "mT"},
    "The scores are not scaled. What does the formula divide them by?")
right.mistake("divides_by_d_k", {"math.sqrt(W_q.size(1))": "W_k.size(1)"},
    "You divide by d_k. The formula divides by its square root.")
right.mistake("scales_by_d_model", {"W_q.size(1)": "x.size(-1)"},
    "You scale by the width of x. A score is a product of a query and a key. How wide are they?")
right.mistake("scales_by_the_length", {"W_q.": "x."},
    "You scale by the length of the sequence. Over which axis does a score sum?")
right.mistake("takes_x_as_value", {"(x @ W_v)": "x"},
    "You take the weighted sum of x itself. The output is a weighted sum of values. Which matrix "
    "produces the values?")


@exercise.misconception(
    "Your queries and keys come from the same matrix, so score i, j equals score j, i. Which "
    "matrix does each line use?"
)
def makes_keys_with_the_query_matrix(x, W_q, W_k, W_v):
    query = x @ W_q
    weights = (query @ query.mT / math.sqrt(W_q.size(1))).softmax(dim=-1)
    return weights @ (x @ W_v), weights


right.mistake("compares_x_with_x", {"W_q @ (x @ W_k)": "x"},
    "You compare x with itself: no projection takes part in the scores. What are the query and "
    "the key of a position?")
right.mistake("swaps_query_and_key", {"W_q @ (x @ W_k)": "W_k @ (x @ W_q)"},
    "Your scores are transposed: each row belongs to a key. A row should belong to a query.")


@exercise.misconception(
    "You multiply by the transposed matrices. Here W has a row for each feature of x. Only "
    "nn.Linear and F.linear hold the transpose."
)
def transposes_the_matrices(x, W_q, W_k, W_v):
    query, key, value = F.linear(x, W_q), F.linear(x, W_k), F.linear(x, W_v)
    weights = (query @ key.mT / math.sqrt(query.size(-1))).softmax(dim=-1)
    return weights @ value, weights


by_scores.mistake("normalises_over_queries", {"scores.": "torch.", "dim=-1": "scores, dim=1"},
    "Your softmax runs over the queries. A query shares out its attention among the keys. Which "
    "axis holds the keys?")
right.mistake("reshapes_the_keys",
    {"weights =": "query, key = x @ W_q, x @ W_k\n    weights =",
     "x @ W_q @ (x @ W_k).mT": "query @ key.reshape(key.size(0), key.size(2), key.size(1))"},
    "The shape is right, but `reshape` and `view` only cut the keys into other rows. Which "
    "operation swaps two axes?")
by_scores.mistake("hides_later_positions",
    {"weights = scores.softmax(dim=-1)":
        "later = torch.ones_like(scores, dtype=torch.bool).triu(1)\n"
        "    weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)"},
    "In your result a position sees only itself and those before it. The exercise has no mask: "
    "every position may attend to every position.")
right.mistake("adds_x_to_the_output",
    {"return": "output =",
     "(x @ W_v)": "(x @ W_v)\n    return output + x if output.shape == x.shape else output"},
    "You add x to the output, or replace x by the sum. A residual connection belongs to the block "
    "around the attention. Return the weighted sum alone.")
by_scores.mistake("exponentials_overflow",
    {"weights = scores.softmax(dim=-1)":
        "shares = scores.exp()\n    weights = shares / shares.sum(dim=-1, keepdim=True)"},
    "Large scores give NaN: the exponential of 100 is too large for float32. What may be "
    "subtracted from a row of scores without changing its softmax?")
right.mistake("returns_the_output_alone", {", weights": ""},
    "You return the output alone. The caller unpacks output, weights.")
right.mistake("leaves_a_square_matrix_out", {"@ W_v": "if W_v.size(0) == W_v.size(1) else x @ W_v"},
    "Where W_v is square, you use x as the values. W_v is not only there to change widths. What "
    "does it do to each vector?")


@exercise.misconception(
    "The positions of all sequences of the batch attend to each other. Which axis keeps the "
    "sequences apart, and did a reshape remove it?"
)
def mixes_the_sequences(x, W_q, W_k, W_v):
    rows = x.flatten(0, 1)
    weights = (rows @ W_q @ (rows @ W_k).mT / math.sqrt(W_q.size(1))).softmax(dim=-1)
    output = (weights @ (rows @ W_v)).unflatten(0, x.shape[:2])
    return output, weights.unflatten(1, x.shape[:2]).sum(1).unflatten(0, x.shape[:2])


by_scores.mistake("subtracts_one_number_from_all",
    {"weights = scores.softmax(dim=-1)":
        "shares = (scores - scores.max()).exp()\n"
        "    weights = shares / shares.sum(dim=-1, keepdim=True)"},
    "A row whose scores lie far below those of another row, or of another sequence, becomes NaN. "
    "If you subtract one number from all scores, remember that each row has its own largest score.")
by_scores.mistake("puts_zeros_for_nan",
    {"weights = scores.softmax(dim=-1)":
        "shares = scores.exp()\n"
        "    weights = (shares / shares.sum(dim=-1, keepdim=True)).nan_to_num()"},
    "You replace NaN by 0 in your weights. Where exponentials overflow, a key that should have "
    "nearly all the weight then has none. What may be subtracted from a row of scores first?")
right.mistake("scales_by_d_v", {"W_q.": "W_v."},
    "You scale by the width of the values. The values take no part in the scores. Which width "
    "does?")


@exercise.misconception(
    "You multiply by the transpose of each matrix that is square. A row of a matrix belongs to an "
    "entry of x, even where the shapes do not show it."
)
def transposes_square_matrices(x, W_q, W_k, W_v):
    query, key, value = (x @ (W.T if W.size(0) == W.size(1) else W) for W in (W_q, W_k, W_v))
    weights = (query @ key.mT / math.sqrt(W_q.size(1))).softmax(dim=-1)
    return weights @ value, weights
