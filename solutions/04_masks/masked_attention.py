"""Cases, oracle and known mistakes of `masked_attention`."""

import math

import torch
import torch.nn.functional as F

from autograder.properties import CostAtMost, Finite, SumsTo
from autograder.spec import Case, Exercise

exercise = Exercise(
    "masked_attention",
    points=5,
    difficulty=3,
    minutes=30,
    returns=("output", "weights"),
    read="04_masks.html#empty-rows",
    properties=(
        Finite(),
        SumsTo(1, -1, "A row of weights sums to 1, or to 0 where nothing may be attended to."),
        CostAtMost("largest", 4.0, "A tensor is much larger than the scores need to be."),
    ),
)


def draw(rng, batch, queries, keys, d_k, d_v, dtype=torch.float32):
    """Random inputs; every query may attend to some keys and not to others."""
    mask = rng.bools(*batch, queries, keys)
    mask[..., 1] = ~mask[..., 0]
    shapes = {"query": (queries, d_k), "key": (keys, d_k), "value": (keys, d_v)}
    floats = {name: rng.normal(*batch, *shape, dtype=dtype) for name, shape in shapes.items()}
    return {**floats, "mask": mask}


def large(rng, visible, masked, dtype=torch.float32):
    """Scores near `visible` and `masked`; far apart and exact in any order of sums."""
    inputs = draw(rng, (2,), 3, 7, 16, 5, dtype)
    mask = (torch.arange(7) % 3 != rng.integers(0, 3, 2, 1)).unsqueeze(1)  # [2, 1, 7]
    query, key = inputs["query"].zero_(), inputs["key"].zero_()  # [2, 3, 16], [2, 7, 16]
    query[..., 0], query[..., 1] = 4, torch.arange(1, 4) * 4
    key[..., 0] = torch.where(mask[:, 0], visible, masked)
    key[..., 1] = rng.normal(2, 7).argsort(dim=-1) * 20
    return {**inputs, "mask": mask}


@exercise.cases
def cases(rng):
    yield Case("a mask for each sequence", draw(rng, (2,), 3, 5, 8, 4), gradient=True)
    inputs = draw(rng, (2, 3), 4, 5, 6, 7)
    inputs["mask"] = (torch.arange(5) < torch.tensor([3, 4])[:, None])[:, None, None]
    yield Case("heads that share a padding mask", inputs, gradient=True)
    inputs = draw(rng, (2,), 4, 6, 8, 5)
    inputs["mask"][0, 1] = inputs["mask"][1, 3] = False
    yield Case("queries that may attend to nothing", inputs, gradient=True)
    yield Case("half precision", draw(rng, (2,), 3, 5, 8, 4, torch.float16), gradient=True)
    yield Case("large scores, masked ones larger", large(rng, 30000.0, 60000.0))
    yield Case("large negative scores", large(rng, -30000.0, 30000.0))
    yield Case("long sequences", draw(rng, (2,), 40, 48, 16, 12))


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 7), rng.integer(8, 12)
    yield Case("no batch axis", draw(rng, (), queries, keys, 6, 5), gradient=True)
    inputs = draw(rng, (3, 2), queries, keys, 12, 5)
    inputs["mask"] = torch.arange(keys) <= torch.arange(keys - queries, keys)[:, None]
    yield Case("one causal mask for all", inputs, gradient=True)
    inputs = draw(rng, (3,), queries, keys, 7, 5, torch.bfloat16)
    inputs["mask"][2, 1] = False
    yield Case("bfloat16 and an empty row", inputs, gradient=True)
    yield Case("large scores in half precision", large(rng, 500.0, -500.0, torch.float16))
    inputs = draw(rng, (2, 3), queries, keys, 8, 4)
    inputs["mask"] = torch.zeros(2, 1, 1, keys, dtype=torch.bool)
    yield Case("nothing at all may be attended to", inputs, gradient=True)


@exercise.oracle
def torch_own(query, key, value, mask):
    """Attention over one-hot values returns the weights themselves."""
    one_hot = torch.eye(key.size(-2), dtype=key.dtype).expand(*key.shape[:-1], key.size(-2))
    weights = F.scaled_dot_product_attention(query, key, one_hot.contiguous(), attn_mask=mask)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask), weights


@exercise.misconception("The scores are not scaled. How does a dot product's spread grow with d_k?")
def forgets_to_scale(query, key, value, mask):
    weights = (query @ key.mT).masked_fill(~mask, -math.inf).softmax(-1).masked_fill(~mask, 0)
    return weights @ value, weights


@exercise.misconception("You divide by d_k, a score's variance. What is its standard deviation?")
def divides_by_d_k(query, key, value, mask):
    scores = (query @ key.mT / key.size(-1)).masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ value, weights


@exercise.misconception("You scale by the number of keys. Along which axis does a score sum?")
def scales_by_the_length(query, key, value, mask):
    scores = (query @ key.mT / math.sqrt(key.size(-2))).masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ value, weights


@exercise.misconception("Your softmax runs over the queries. Which axis holds the keys?")
def normalises_over_queries(query, key, value, mask):
    scores = (query @ key.mT / math.sqrt(key.size(-1))).masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-2).masked_fill(~mask, 0)
    return weights @ value, weights


@exercise.misconception("You attend to exactly what is forbidden: here True means may attend.")
def attends_to_what_is_forbidden(query, key, value, mask):
    scores = (query @ key.mT / math.sqrt(key.size(-1))).masked_fill(mask, float("-inf"))
    weights = scores.softmax(dim=-1).masked_fill(mask, 0)
    return weights @ value, weights


@exercise.misconception("You add the boolean: allowed keys gain 1. What hides the others?")
def adds_the_boolean(query, key, value, mask):
    weights = (query @ key.mT / math.sqrt(key.size(-1)) + mask).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception("A score of 0 still has a share. Which score has the exponential 0?")
def fills_with_zero(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, 0).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "You mask after the softmax, so the masked keys have taken their share and the rest no longer "
    "sums to 1. Hide them before the weights are shared out."
)
def masks_after_the_softmax(query, key, value, mask):
    weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1) * mask
    return weights @ value, weights


@exercise.misconception(
    "You mask after the softmax and divide by what is left of the row. When a masked score is far "
    "above the others nothing is left. Hide the keys before the softmax."
)
def renormalises_after_the_softmax(query, key, value, mask):
    weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1) * mask
    weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)
    return weights @ value, weights


@exercise.misconception(
    "You fill with -1e9. Half precision ends at 65504, and a row in which all scores are equal is "
    "averaged. Which number fits every dtype, and what becomes of an empty row?"
)
def fills_with_minus_1e9(query, key, value, mask):
    weights = (query @ key.mT / math.sqrt(key.size(-1))).masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "All is right but half precision, where the call raises. If you fill with -1e9: half "
    "precision ends at 65504. Which fill fits every dtype?"
)
def fills_with_minus_1e9_and_clears(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -1e9).softmax(-1) * mask
    return weights @ value, weights


@exercise.misconception(
    "You fill with the smallest number of the dtype. Where nothing may be attended to, all scores "
    "are then equal and you return an average of what was masked; asked for are zeros."
)
def fills_with_the_smallest_number(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "Your fill is a finite number, and a visible score can be lower still. Which score is below "
    "every other?"
)
def fills_with_too_little(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -1e4).softmax(-1) * mask
    return weights @ value, weights


@exercise.misconception(
    "A row of nothing but -inf becomes NaN. Such queries need zeros, in the weights as well."
)
def leaves_empty_rows_nan(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "You remove the NaN only after the values were multiplied by it. The output looks right, but "
    "the gradient of the values is NaN: mend the weights before they are used."
)
def removes_nan_too_late(query, key, value, mask):
    weights = (query @ key.mT / key.size(-1) ** 0.5).masked_fill(~mask, -math.inf).softmax(-1)
    return (weights @ value).nan_to_num(0), weights.nan_to_num(0)


@exercise.misconception("You scale in place and change the caller's query. What does `/=` do?")
def scales_the_query_in_place(query, key, value, mask):
    query /= math.sqrt(query.size(-1))
    weights = (query @ key.mT).masked_fill(~mask, -math.inf).softmax(-1).masked_fill(~mask, 0)
    return weights @ value, weights


@exercise.misconception("You compute in float32, which is wise: return the caller's dtype.")
def returns_float32(query, key, value, mask):
    scores = query.float() @ key.float().mT / math.sqrt(key.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ value.float(), weights


@exercise.misconception(
    "The result is right, but you multiply every query with every key entry by entry and sum "
    "afterwards: d_k times the memory of the scores. A matrix product needs no such tensor."
)
def multiplies_entry_by_entry(query, key, value, mask):
    scores = (query[..., :, None, :] * key[..., None, :, :]).sum(-1) / math.sqrt(key.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).masked_fill(~mask, 0)
    return weights @ value, weights


@exercise.variant
def chosen_by_where(query, key, value, mask):
    scores = torch.einsum("...qd,...kd->...qk", query * query.shape[-1] ** -0.5, key)
    some = mask.any(dim=-1, keepdim=True)
    weights = torch.softmax(torch.where(mask | ~some, scores, -math.inf), dim=-1) * some
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


@exercise.variant
def exponentials_in_float32(query, key, value, mask):
    scores = torch.matmul(query.float(), key.float().transpose(-2, -1)) / key.size(-1) ** 0.5
    highest = scores.masked_fill(~mask, -3e38).amax(dim=-1, keepdim=True)
    shares = torch.exp((scores - highest).masked_fill(~mask, -torch.inf))
    weights = shares / shares.sum(dim=-1, keepdim=True).clamp(min=1)
    return (weights @ value.float()).to(value.dtype), weights.to(value.dtype)


@exercise.variant
def torch_with_one_hot_values(query, key, value, mask):
    one_hot = torch.eye(key.size(-2), dtype=key.dtype, device=key.device)
    values = torch.cat([value, one_hot.expand(*key.shape[:-1], -1)], dim=-1)
    both = F.scaled_dot_product_attention(query, key, values, attn_mask=mask)
    return both[..., : value.size(-1)], both[..., value.size(-1) :]
