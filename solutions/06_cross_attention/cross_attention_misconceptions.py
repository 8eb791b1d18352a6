"""Known mistakes of `cross_attention`."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from .cross_attention import exercise


def scaled(
    x: Float[Tensor, "batch queries d_model"],
    memory: Float[Tensor, "batch keys d_memory"],
    W_q: Float[Tensor, "d_model d_k"],
    W_k: Float[Tensor, "d_memory d_k"],
) -> Float[Tensor, "batch queries keys"]:
    return (x @ W_q) @ (memory @ W_k).mT / W_q.size(1) ** 0.5


def shared_out(
    scores: Float[Tensor, "batch queries keys"], mask: Bool[Tensor, "#batch #queries keys"]
) -> Float[Tensor, "batch queries keys"]:
    """The right weights of these scores; zeros for a query without a key."""
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1).masked_fill(~mask, 0)


@exercise.misconception(
    "Your queries come from the memory. The output has a row for each token of x: it asks."
)
def asks_with_the_memory(x, memory, W_q, W_k, W_v, mask):
    query, key, value = memory @ W_q, x @ W_k, x @ W_v
    scores = query @ key.mT / W_q.size(1) ** 0.5
    weights = shared_out(scores, mask)
    return weights @ value, weights


@exercise.misconception(
    "Your keys are made of x. A key describes what a token of the memory offers: who answers?"
)
def makes_keys_of_x(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, x, W_q, W_k)
    weights = shared_out(scores, mask)
    return weights @ (memory @ W_v), weights


@exercise.misconception("The scores are not scaled. How does a dot product's spread grow with d_k?")
def forgets_to_scale(x, memory, W_q, W_k, W_v, mask):
    scores = (x @ W_q) @ (memory @ W_k).mT
    weights = shared_out(scores, mask)
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "You divide by the root of the width of x or of the memory. A score sums how many products, "
    "after the projections?"
)
def scales_by_the_width_of_x(x, memory, W_q, W_k, W_v, mask):
    scores = (x @ W_q) @ (memory @ W_k).mT / x.size(-1) ** 0.5
    weights = shared_out(scores, mask)
    return weights @ (memory @ W_v), weights


@exercise.misconception("Your softmax runs over the queries. Which axis holds the memory's tokens?")
def normalises_over_queries(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, memory, W_q, W_k)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=1).masked_fill(~mask, 0)
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "A causal mask has slipped in. A target token may look at the whole memory, whichever its own "
    "position is."
)
def adds_a_causal_mask(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, memory, W_q, W_k)
    mask = mask & torch.ones_like(scores, dtype=torch.bool).tril()
    weights = shared_out(scores, mask)
    return weights @ (memory @ W_v), weights


@exercise.misconception("You attend to exactly what the mask forbids: True means may attend.")
def attends_to_what_is_forbidden(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, memory, W_q, W_k)
    weights = scores.masked_fill(mask, -math.inf).softmax(dim=-1).masked_fill(mask, 0)
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "Wrong for a mask of two axes: its rows are queries, the same for each sequence. Axes line up "
    "from the right."
)
def takes_two_axes_for_sequences(x, memory, W_q, W_k, W_v, mask):
    mask = mask[:, None] if mask.dim() == 2 else mask
    weights = shared_out(scaled(x, memory, W_q, W_k), mask)
    return weights @ (memory @ W_v), weights


@exercise.misconception("The mask changes nothing. Which scores may not reach the softmax?")
def ignores_the_mask(x, memory, W_q, W_k, W_v, mask):
    weights = scaled(x, memory, W_q, W_k).softmax(dim=-1)
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "You mask after the softmax, when the masked keys have taken their share: the rest does not "
    "sum to 1. Hide them before."
)
def masks_after_the_softmax(x, memory, W_q, W_k, W_v, mask):
    weights = scaled(x, memory, W_q, W_k).softmax(dim=-1) * mask
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "Where a masked score is far above the others, nothing is left of the row. If you mask after "
    "the softmax and divide by the sum: hide the keys before the softmax."
)
def renormalises_after_the_softmax(x, memory, W_q, W_k, W_v, mask):
    weights = scaled(x, memory, W_q, W_k).softmax(dim=-1) * mask
    weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "A masked score that is far above the others takes the row. If you add a finite number to it: "
    "how large may a score be?"
)
def adds_too_little(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, memory, W_q, W_k) + (~mask).to(x.dtype) * -1e4
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "Large scores make numbers infinite. If you write the softmax yourself: what may be taken from "
    "all scores of a row without a change of its weights?"
)
def exponentiates_large_scores(x, memory, W_q, W_k, W_v, mask):
    powers = scaled(x, memory, W_q, W_k).exp() * mask
    weights = powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-12)
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "Where all visible scores are far below 0, they get no weight. If your fill is a finite "
    "number: a visible score can be lower still. Which score is below every other?"
)
def fills_with_too_little(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, memory, W_q, W_k).masked_fill(~mask, -1e4)
    weights = scores.softmax(dim=-1) * mask
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "A row of nothing but -inf becomes NaN in the softmax. A query without a key needs zeros."
)
def leaves_empty_rows_nan(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, memory, W_q, W_k)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "A query without a key gets an average of the padding. If you fill with -1e9: all scores of "
    "such a row are then equal, and half precision cannot hold that number."
)
def fills_with_minus_1e9(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, memory, W_q, W_k)
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ (memory @ W_v), weights


@exercise.misconception(
    "You remove the NaN after the values were multiplied by it. The result looks right, but its "
    "gradient is NaN: mend the weights before they are used."
)
def removes_nan_too_late(x, memory, W_q, W_k, W_v, mask):
    scores = scaled(x, memory, W_q, W_k)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return (weights @ (memory @ W_v)).nan_to_num(0), weights.nan_to_num(0)
