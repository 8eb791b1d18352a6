"""Cases, oracle and variants of `window_attention`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, CostAtMost, Exercise, Finite, Group

from .attention_by_chunks import MEMORY

exercise = Exercise(
    "window_attention",
    points=6,
    difficulty=4,
    minutes=35,
    read="09_pieces.html#linear-window",
    returns=("output",),
    properties=(Finite(),),
    groups=(
        Group("linear memory", 2, properties=MEMORY.properties),
        Group(
            "linear work",
            1,
            properties=(CostAtMost("flops", 20.0, "Most of the products are thrown away."),),
        ),
    ),
)


def draw(rng, shape, length, d_k, d_v, window, dtype=torch.float32):
    floats = {"query": d_k, "key": d_k, "value": d_v}
    drawn = {name: rng.normal(*shape, length, width, dtype=dtype) for name, width in floats.items()}
    return {**drawn, "window": window}


def example():
    zeros, value = torch.zeros(1, 3, 2), torch.tensor([[[1.0], [3], [8]]])
    return {"query": zeros, "key": zeros.clone(), "value": value, "window": 2}


def large(rng, level):
    """Dot products a few units above each query's level, exact in any order of operations.

    Those with the last key are near 0: where the others are far below, it is masked.
    """
    inputs = draw(rng, (2,), 8, 4, 5, 3)
    query, key = inputs["query"].zero_(), inputs["key"].zero_()
    query[..., 0], query[..., 1] = level * (torch.arange(8) % 3 - 1), 4
    key[..., :-1, 0], key[..., 1] = 1, rng.integers(0, 6, 2, 8)
    return inputs


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("a window that fits", draw(rng, (2,), 12, 5, 3, 4), gradient=True)
    yield Case("a ragged end", draw(rng, (2, 3), 11, 6, 4, 3), gradient=True)
    yield Case("a window of one", draw(rng, (3,), 5, 4, 2, 1), gradient=True)
    yield Case("a window larger than the length", draw(rng, (2,), 11, 5, 4, 13), gradient=True)
    yield Case("large scores", large(rng, 29000), gradient=True)
    yield Case("half precision", draw(rng, (2,), 10, 8, 5, 4, torch.float16))
    yield Case("a long sequence", draw(rng, (1,), 220, 3, 2, 2))


@exercise.secret_cases
def secret_cases(rng):
    window = rng.integer(3, 6)
    length = 3 * window + rng.integer(1, 3)
    yield Case("another window", draw(rng, (2,), length, 7, 4, window), gradient=True)
    yield Case("float64", draw(rng, (2,), length, 6, 3, window - 1, torch.float64))
    yield Case("bfloat16", draw(rng, (2,), length, 6, 3, window, torch.bfloat16))
    yield Case("as many of everything", draw(rng, (4, 4), 4, 4, 4, 4))
    yield Case("a window of two", draw(rng, (1, 2), 9, 4, 5, 2))
    yield Case("the window is the length", draw(rng, (2,), 7, 4, 5, 7), gradient=True)
    yield Case("one position", draw(rng, (1,), 1, 3, 2, 2))


exercise.promise(
    "of one dtype (float16, bfloat16, float32 or float64)", "a window that fits", "bfloat16"
)
exercise.promise("Dot products lie between", "large scores", "half precision", "bfloat16")
exercise.promise("They are not changed.", EVERY)
exercise.promise("how many positions", "a window of one", "a window of two", "another window")
exercise.promise(
    "It may be larger than the length", "a window larger than the length", "one position"
)
exercise.promise("the output, in the dtype", "a ragged end", "half precision", "float64")
exercise.promise(
    "Gradients of query", "a window that fits", "a ragged end", "the window is the length"
)
exercise.promise("no tensor has more", "a long sequence")
exercise.promise("All tensors alive at the same time", "a long sequence")
exercise.promise("Work, for windows of 2", "a long sequence")


@exercise.oracle
def query_by_query(query, key, value, window):
    """Products with what a query sees and no others. What is allocated is all that is allowed."""
    length, wide = query.size(-2), query.size(-1) + value.size(-1)
    query.new_empty(*query.shape[:-2], 2 * length, window, wide)
    rows = []
    for i in range(length):
        seen = slice(max(0, i - window + 1), i + 1)
        scores = torch.matmul(key[..., seen, :], query[..., i, :, None]).squeeze(-1)
        weights = F.softmax(scores / query.size(-1) ** 0.5, -1)
        rows.append(torch.matmul(weights[..., None, :], value[..., seen, :]).squeeze(-2))
    return torch.stack(rows, -2)


@exercise.variant
def views_of_the_keys(query, key, value, window):
    """Each query with the keys of its window, as views made by `unfold`."""
    k, v = (F.pad(x, (0, 0, window - 1, 0)).unfold(-2, window, 1) for x in (key, value))
    scores = (query[..., None, :] @ k).squeeze(-2) / math.sqrt(
        query.size(-1)
    )  # [..., length, window]
    position = torch.arange(query.size(-2), device=query.device)[:, None]
    before = torch.arange(1 - window, 1, device=query.device) + position < 0
    weights = scores.masked_fill(before, -math.inf).softmax(-1)
    return (v @ weights[..., None]).squeeze(-1)


@exercise.variant
def two_blocks_of_keys(query, key, value, window):
    """All blocks at once, each with its own keys and those of the block before."""
    length, missing = query.size(-2), -query.size(-2) % window
    q, k, v = (
        F.pad(x, (0, 0, 0, missing)).unflatten(-2, (-1, window)) for x in (query, key, value)
    )

    def with_previous(x):
        return torch.cat([torch.zeros_like(x[..., :1, :, :]), x], -3)[..., :-1, :, :], x

    k, v = (torch.cat(with_previous(x), -2) for x in (k, v))
    scores = torch.einsum("...qd,...kd->...qk", q, k).mul(q.size(-1) ** -0.5)
    i, j = torch.arange(window, device=q.device)[:, None], torch.arange(2 * window, device=q.device)
    allowed = ((j > i) & (j <= i + window)).expand(q.size(-3), -1, -1).clone()
    allowed[0, :, :window] = False
    weights = torch.where(allowed, scores, -torch.inf).softmax(dim=-1)
    return torch.matmul(weights, v).flatten(-3, -2)[..., :length, :]


@exercise.variant
def by_distance(query, key, value, window):
    """One shift of the keys for each distance."""
    length, scores = query.shape[-2], []
    for apart in range(min(window, length)):
        product = (query[..., apart:, :] * key[..., : length - apart, :]).sum(dim=-1)
        scores.append(F.pad(product / query.shape[-1] ** 0.5, (apart, 0), value=float("-inf")))
    weights = torch.softmax(torch.stack(scores, dim=-1), dim=-1)
    output = torch.zeros_like(value)
    for apart in range(min(window, length)):
        moved = F.pad(value[..., : length - apart, :], (0, 0, apart, 0))
        output = output + weights[..., apart, None] * moved
    return output


@exercise.variant
def torch_in_pieces_of_thirty_two(query, key, value, window):
    results = []
    for top in range(0, query.shape[-2], 32):
        q = query[..., top : top + 32, :]
        low = max(top + 1 - window, 0)
        k, v = key[..., low : top + 32, :], value[..., low : top + 32, :]
        ones = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device)
        band = ones.tril(top - low) & ones.triu(top - low - window + 1)
        results.append(F.scaled_dot_product_attention(q, k, v, attn_mask=band))
    return torch.concat(results, dim=-2)
