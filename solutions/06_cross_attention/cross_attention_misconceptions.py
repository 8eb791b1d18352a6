"""Known mistakes of `cross_attention`."""

import math

import torch  # noqa: F401
from jaxtyping import Float
from torch import Tensor

from .cross_attention import exercise


def scaled(
    x: Float[Tensor, "batch queries d_model"],
    memory: Float[Tensor, "batch keys d_memory"],
    W_q: Float[Tensor, "d_model d_k"],
    W_k: Float[Tensor, "d_memory d_k"],
) -> Float[Tensor, "batch queries keys"]:
    return (x @ W_q) @ (memory @ W_k).mT / W_q.size(1) ** 0.5


@exercise.base
def right(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, memory, W_q, W_k)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ (memory @ W_v), weights


# fmt: off
right.mistake("asks_with_the_memory",
    {"scores = scaled(x, memory, W_q, W_k)":
        "query, key, value = memory @ W_q, x @ W_k, x @ W_v\n"
        "    scores = query @ key.mT / W_q.size(1) ** 0.5",
     "(memory @ W_v)": "value"},
    "Your queries come from the memory. The output has a row for each token of x. Where should "
    "the queries come from?")
right.mistake("makes_keys_of_x", {"scaled(x, memory": "scaled(x, x"},
    "Your keys are computed from x. A key describes what a token of the memory offers. Where "
    "should the keys come from?")
right.mistake("forgets_to_scale", {"scaled(x, memory, W_q, W_k)": "(x @ W_q) @ (memory @ W_k).mT"},
    "The scores are not scaled. How does the spread of a dot product grow with d_k?")
right.mistake("scales_by_the_width_of_x",
    {"scaled(x, memory, W_q, W_k)": "(x @ W_q) @ (memory @ W_k).mT / x.size(-1) ** 0.5"},
    "You divide by the root of the width of x or of the memory. After the projections, a score is "
    "a sum of how many products?")
right.mistake("normalises_over_queries", {"dim=-1": "dim=1"},
    "Your softmax runs over the queries. Which axis holds the memory's tokens?")
right.mistake("adds_a_causal_mask",
    {"weights = scores":
        "mask = mask & torch.ones_like(scores, dtype=torch.bool).tril()\n    weights = scores"},
    "Your attention has a causal mask. A target token may look at the whole memory, whatever its "
    "own position is.")
right.mistake("attends_to_what_is_forbidden", {"~mask, -": "mask, -", "~mask, 0": "mask, 0"},
    "You attend to exactly what the mask forbids. Here True means \"may attend\".")
right.mistake("takes_two_axes_for_sequences",
    {"scores =": "mask = mask[:, None] if mask.dim() == 2 else mask\n    scores ="},
    "The result is wrong for a mask of two axes. Its rows are queries, and it is the same for "
    "each sequence. Axes are aligned from the right.")
right.mistake("ignores_the_mask",
    {"scores.masked_fill(~mask, -math.inf).softmax(dim=-1).masked_fill(~mask, 0)":
        "scores.softmax(dim=-1)"},
    "The mask changes nothing. Which scores should not reach the softmax?")
right.mistake("masks_after_the_softmax",
    {"scores.masked_fill(~mask, -math.inf).softmax(dim=-1).masked_fill(~mask, 0)":
        "scores.softmax(dim=-1) * mask"},
    "You mask after the softmax, when the masked keys have already taken their share, so the rest "
    "does not sum to 1. Hide them before.")
right.mistake("renormalises_after_the_softmax",
    {"scores.masked_fill(~mask, -math.inf).softmax(dim=-1).masked_fill(~mask, 0)":
        "scores.softmax(dim=-1) * mask\n"
        "    weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)"},
    "Where a masked score is far above the others, nothing is left of the row. If you mask after "
    "the softmax and divide by the sum, hide the keys before the softmax instead.")
right.mistake("adds_too_little",
    {"scores.masked_fill(~mask, -math.inf)": "(scores + (~mask).to(x.dtype) * -1e4)"},
    "A masked score that is far above the others takes the whole row. If you add a finite number "
    "to it, how large may a score be?")


@exercise.misconception(
    "Large scores make numbers infinite. If you write the softmax yourself, what may be "
    "subtracted from all scores of a row without changing its weights?"
)
def exponentiates_large_scores(x, memory, W_q, W_k, W_v, mask):
    powers = scaled(x, memory, W_q, W_k).exp() * mask
    weights = powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-12)
    return weights @ (memory @ W_v), weights


right.mistake("fills_with_too_little",
    {"-math.inf).softmax(dim=-1).masked_fill(~mask, 0)": "-1e4).softmax(dim=-1) * mask"},
    "Where all visible scores are far below 0, they get no weight. If your fill is a finite "
    "number, a visible score can be lower. Which number is below every score?")
right.mistake("leaves_empty_rows_nan", {".masked_fill(~mask, 0)": ""},
    "A row of nothing but -inf becomes NaN in the softmax. A query without a key needs zeros.")
right.mistake("fills_with_minus_1e9",
    {"-math.inf).softmax(dim=-1).masked_fill(~mask, 0)": "-1e9).softmax(dim=-1)"},
    "A query without a key gets an average of the padding. If you fill with -1e9, all scores of "
    "such a row are equal, and half precision cannot represent that number.")
right.mistake("removes_nan_too_late",
    {".masked_fill(~mask, 0)": "",
     "weights @ (memory @ W_v), weights":
        "(weights @ (memory @ W_v)).nan_to_num(0), weights.nan_to_num(0)"},
    "You remove the NaN after the values have been multiplied by it. The result looks right, but "
    "its gradient is NaN. Mend the weights before they are used.")
