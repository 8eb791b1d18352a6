"""Cases, oracle and known mistakes of `masked_attention`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, CostAtMost, Exercise, Finite, Group, SumsTo

exercise = Exercise(
    "masked_attention",
    points=5,
    difficulty=3,
    minutes=30,
    returns=("output", "weights"),
    read="04_masks.html#empty-rows",
    properties=(
        Finite(),
        SumsTo(
            1, -1, "A row of weights should sum to 1, or to 0 where nothing may be attended to."
        ),
    ),
    groups=(
        Group(
            "half precision",
            1,
            cases=("large scores in half precision", "bfloat16 and an empty row"),
        ),
        Group(
            "memory",
            1,
            properties=(
                CostAtMost("largest", 4.0, "A tensor is much larger than the scores need to be."),
            ),
        ),
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
    """Scores near `visible` and `masked`: equal for the first query, far apart for the others, and
    exact in any order of sums."""
    inputs = draw(rng, (2,), 3, 7, 16, 5, dtype)
    mask = (torch.arange(7) % 3 != rng.integers(0, 3, 2, 1)).unsqueeze(1)  # [2, 1, 7]
    query, key = inputs["query"].zero_(), inputs["key"].zero_()  # [2, 3, 16], [2, 7, 16]
    size, step = abs(visible), max(20, abs(visible) / 1024)
    query[..., 0], query[..., 1] = 4 * size, torch.arange(3) * 4 * step
    key[..., 0] = torch.where(mask[:, 0], visible / size, masked / size)
    key[..., 1] = rng.normal(2, 7).argsort(dim=-1)
    return {**inputs, "mask": mask}


@exercise.cases
def cases(rng):
    yield Case("a mask for each sequence", draw(rng, (2,), 3, 5, 8, 4), gradient=True)
    inputs = draw(rng, (2, 3), 4, 5, 6, 7)
    inputs["mask"] = (torch.arange(5) < torch.tensor([3, 4])[:, None])[:, None, None]
    yield Case("heads that share a padding mask", inputs)
    inputs = draw(rng, (3,), 4, 5, 6, 7)
    inputs["mask"] = torch.arange(5) <= torch.arange(1, 5)[:, None]
    yield Case("one causal mask for all", inputs)
    rows = {"query": [[2, 0, 0, 0]], "key": [[2, 0, 0, 0], [0, 0, 0, 0], [4, 0, 0, 0]],
            "value": [[10], [20], [99]]}  # fmt: skip
    inputs = {name: torch.tensor(entries).float() for name, entries in rows.items()}
    mask = torch.tensor([[True, True, False]])
    yield Case("the example of the text", {**inputs, "mask": mask})
    yield Case("float64 and no batch axis", draw(rng, (), 5, 8, 6, 5, torch.float64), gradient=True)
    inputs = draw(rng, (2,), 4, 6, 8, 5)
    inputs["mask"][0, 1] = inputs["mask"][1, 3] = False
    yield Case("queries that may attend to nothing", inputs, gradient=True)
    half = large(rng, 500.0, 1000.0, torch.float16)
    yield Case("large scores in half precision", half, gradient=True)
    yield Case("large scores under larger masked ones", large(rng, 30000.0, 60000.0), gradient=True)
    yield Case("large negative scores", large(rng, -(2.0**100), 2.0**100))
    yield Case("few queries and many keys", draw(rng, (2,), 6, 96, 16, 12))


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 7), rng.integer(8, 12)
    inputs = draw(rng, (2, 1, 3), queries, keys, 12, 5)
    inputs["mask"] = inputs["mask"][1, 0]  # [heads, queries, keys]
    yield Case("a mask for each head", inputs, gradient=True)
    inputs = draw(rng, (3,), queries, keys, 7, 5, torch.bfloat16)
    inputs["mask"][2, 1] = False
    yield Case("bfloat16 and an empty row", inputs, gradient=True)
    inputs = draw(rng, (2, 3), queries, keys, 8, 4)
    nothing = {**inputs, "mask": torch.zeros(2, 1, 1, keys, dtype=torch.bool)}
    yield Case("nothing at all may be attended to", nothing, gradient=True)
    inputs = draw(rng, (1,), keys, keys, 5, 3)
    everything = {**inputs, "mask": torch.ones(1, 1, dtype=torch.bool)}
    yield Case("everything may be attended to", everything)
    inputs = {**inputs, "key": inputs["key"][:, :1], "value": inputs["value"][:, :1]}
    yield Case("one key", {**inputs, "mask": torch.arange(keys)[:, None] % 3 > 0})


exercise.promise("of one floating dtype", "float64 and no batch axis", "a mask for each sequence")
exercise.promise("They are not changed.", EVERY)
exercise.promise(
    "True = may attend; one axis", "heads that share a padding mask", "one causal mask for all"
)
exercise.promise("It is not changed.", EVERY)
exercise.promise("output and weights", "float64 and no batch axis", "bfloat16 and an empty row")
exercise.promise(
    "Each row of weights", "large scores in half precision", "queries that may attend to nothing"
)
exercise.promise("Gradients with respect", "large scores under larger masked ones")
exercise.promise("no tensor has more", "few queries and many keys")


@exercise.oracle
def shares_of_the_sum(query, key, value, mask):
    """Exponentials of what lies below the highest score that is seen, over their sum."""
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.size(-1) ** 0.5
    lowest = torch.finfo(scores.dtype).min
    highest = scores.detach().masked_fill(~mask, lowest).amax(dim=-1, keepdim=True)
    shares = (scores - highest).masked_fill(~mask, -math.inf).exp()
    weights = shares / shares.sum(dim=-1, keepdim=True).clamp(min=0.5)  # at least 1, or 0
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


@exercise.variant
def chosen_by_where(query, key, value, mask):
    scores = torch.einsum("...qd,...kd->...qk", query * query.shape[-1] ** -0.5, key)
    some = mask.any(dim=-1, keepdim=True)
    weights = torch.softmax(torch.where(mask | ~some, scores, -math.inf), dim=-1) * some
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


@exercise.variant
def exponentials_in_float64(query, key, value, mask):
    scores = torch.matmul(query.double(), key.double().transpose(-2, -1)) / key.size(-1) ** 0.5
    highest = scores.masked_fill(~mask, -1e300).amax(dim=-1, keepdim=True)
    shares = torch.exp((scores - highest).masked_fill(~mask, -torch.inf))
    weights = shares / shares.sum(dim=-1, keepdim=True).clamp(min=1)
    return (weights @ value.double()).to(value.dtype), weights.to(value.dtype)


@exercise.variant
def output_by_torch(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) * query.size(-1) ** -0.5
    weights = torch.where(mask, scores, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask), weights
