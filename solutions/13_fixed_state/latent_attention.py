"""Cases, oracle and variants of `latent_attention`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, CostAtMost, Exercise, Group

exercise = Exercise(
    "latent_attention",
    points=5,
    difficulty=4,
    minutes=30,
    returns=("the output",),
    read="13_fixed_state.html#a-latent-cache-and-its-turned-part",
    groups=(
        Group(
            "no keys of all heads",
            2,
            properties=(
                CostAtMost("largest", 1.0, "A tensor has more entries than allowed."),
                CostAtMost("flops", 2.0, "Matrix products take more operations than allowed."),
            ),
        ),
    ),
)


def draw(rng, shape, lengths, widths, dtype=torch.float32):
    """shape: batch, heads. lengths: queries, keys. widths: d_k, d_r, d_c, d_v."""
    (batch, heads), (queries, keys), (d_k, d_r, d_c, d_v) = shape, lengths, widths
    return {
        "query": rng.normal(batch, heads, queries, d_k, dtype=dtype),
        "turned_query": rng.normal(batch, heads, queries, d_r, dtype=dtype),
        "latent": rng.normal(batch, keys, d_c, dtype=dtype),
        "turned_key": rng.normal(batch, keys, d_r, dtype=dtype),
        "W_k": (rng.normal(heads, d_c, d_k) / 2).to(dtype),
        "W_v": (rng.normal(heads, d_c, d_v) / 2).to(dtype),
    }


def example():
    """One head and latent vectors of one number: the scores are 4 and 4, divided by 2."""
    return {
        "query": torch.tensor([[[[1.0, 5, 0]]]]),
        "turned_query": torch.tensor([[[[2.0]]]]),
        "latent": torch.tensor([[[2.0], [4]]]),
        "turned_key": torch.tensor([[[1.0], [0]]]),
        "W_k": torch.tensor([[[1.0, 0, 1]]]),
        "W_v": torch.tensor([[[1.0, 10]]]),
    }


def large(inputs, level):
    """Dot products near `level`, exact in any order. The last key is far above all others."""
    for name in ("query", "turned_query", "turned_key", "W_k"):
        inputs[name].zero_()
    inputs["query"][..., 0] = inputs["W_k"][:, 0, 0] = 1
    places = torch.arange(inputs["latent"].size(1))
    inputs["latent"][..., 0] = level * (1 - places % 3 / 1024)
    inputs["latent"][:, -1, 0] = level + abs(level)
    inputs["W_v"][:, 0] = 0
    return inputs


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("four new tokens", draw(rng, (2, 3), (4, 7), (6, 5, 8, 9)), gradient=True)
    yield Case("as many queries as keys", draw(rng, (3, 2), (5, 5), (7, 4, 6, 8)))
    yield Case("one head", draw(rng, (3, 1), (2, 6), (4, 8, 5, 7)))
    yield Case("as many heads as texts", draw(rng, (3, 3), (2, 5), (6, 4, 7, 8)))
    yield Case("half precision", draw(rng, (2, 4), (3, 6), (8, 5, 7, 9), torch.float16))
    yield Case("one new token", draw(rng, (2, 6), (1, 150), (8, 4, 10, 5)))


@exercise.secret_cases
def secret_cases(rng):
    d_r, fewer = rng.integer(2, 5), rng.integer(2, 4)
    other = draw(rng, (fewer, 4), (5, 9), (7, d_r, 6, 8))
    yield Case("other sizes", other, gradient=True)
    yield Case("a prompt", draw(rng, (2, 3), (6, 6), (4, 9, 5, 7)), gradient=True)
    yield Case("float64", draw(rng, (2, 3), (4, 6), (5, 7, 8, 9), torch.float64))
    yield Case("bfloat16", draw(rng, (3, 2), (4, 5), (6, 9, 7, 8), torch.bfloat16))
    yield Case("as many of everything", draw(rng, (4, 4), (4, 4), (4, 4, 4, 4)))
    yield Case("one token in all", draw(rng, (2, 3), (1, 1), (6, 4, 5, 7)))
    yield Case("a turned part of one number", draw(rng, (2, 3), (4, 6), (8, 1, 5, 7)))
    yield Case("large scores", large(draw(rng, (3, 2), (2, 5), (12, 4, 7, 6)), 20000))
    yield Case("scores far below 0", large(draw(rng, (3, 2), (2, 5), (12, 4, 7, 6)), -1e29))
    half = draw(rng, (3, 2), (2, 5), (12, 4, 7, 6), torch.float16)
    yield Case("low scores in half precision", large(half, -14000))
    yield Case("two new tokens and many before", draw(rng, (3, 7), (2, 160), (9, 4, 11, 6)))


exercise.promise("not rotated, of one dtype", "float64", "bfloat16", "one head")
exercise.promise("rotated already; d_r need not", "four new tokens", "a turned part of one number")
exercise.promise("the cache, at least as many keys", "as many queries as keys", "one token in all")
exercise.promise("one for all heads.", "as many heads as texts", "four new tokens")
exercise.promise("latent @ W_k[a] and latent @ W_v[a]", "as many of everything", "other sizes")
exercise.promise("Nothing is changed.", EVERY)
exercise.promise(
    "The two parts of a score", "large scores", "scores far below 0", "low scores in half precision"
)
exercise.promise("the output, in the dtype", "half precision", "float64", "bfloat16")
exercise.promise(
    "Half precision may be computed", "half precision", "bfloat16", "low scores in half precision"
)
exercise.promise("Gradients flow to all six", "four new tokens", "other sizes", "a prompt")
exercise.promise("no tensor that an operation", "one new token", "two new tokens and many before")
exercise.promise("The matrix products take", "one new token", "two new tokens and many before")


@exercise.oracle
def one_wide_key(query, turned_query, latent, turned_key, W_k, W_v):
    """A head at a time: latent vector and turned key together are one key of d_c + d_r numbers.

    What is allocated is all that is allowed.
    """
    cached, (queries, keys) = torch.cat([latent, turned_key], -1), (query.size(2), latent.size(1))
    place = torch.arange(keys, device=latent.device)
    allowed = place <= place[keys - queries :, None]
    outputs = []
    for head in range(query.size(1)):
        asked = torch.einsum("bqd,cd->bqc", query[:, head], W_k[head])
        asked = torch.cat([asked, turned_query[:, head]], -1)
        scores = torch.einsum("bqc,bkc->bqk", asked, cached)
        scores = scores / (query.size(-1) + turned_key.size(-1)) ** 0.5
        highest = scores.masked_fill(~allowed, -1e30).amax(-1, keepdim=True)
        shares = torch.where(allowed, (scores - highest).clamp(max=0).exp(), 0.0)
        mixed = torch.einsum("bqk,bkc->bqc", shares / shares.sum(-1, keepdim=True), latent)
        outputs.append(mixed @ W_v[head])
    output = torch.stack(outputs, dim=1)
    given = (query, turned_query, latent, turned_key, W_k, W_v, output)
    rows = query.size(0) * query.size(1) * queries
    latent.new_empty(2 * max(*(x.numel() for x in given), rows * keys, rows * latent.size(2)))
    return output


@exercise.variant
def folded_into_one_long_row(query, turned_query, latent, turned_key, W_k, W_v):
    """Heads and queries as rows of one product with what is cached."""
    (_, heads, queries, d_k), keys = query.shape, latent.shape[1]
    asked = torch.matmul(query, W_k.transpose(1, 2))
    left = torch.cat([asked, turned_query], dim=-1).reshape(len(latent), heads * queries, -1)
    scores = torch.bmm(left, torch.cat([latent, turned_key], dim=-1).transpose(1, 2))
    scores = scores.view(len(latent), heads, queries, keys) * (d_k + turned_key.shape[2]) ** -0.5
    future = torch.arange(keys, device=latent.device) > (
        torch.arange(queries, device=latent.device)[:, None] + keys - queries
    )
    weights = torch.softmax(scores.masked_fill(future, torch.finfo(scores.dtype).min), -1)
    mixed = torch.bmm(weights.flatten(1, 2), latent).unflatten(1, (heads, queries))
    return torch.matmul(mixed, W_v)


@exercise.variant
def as_multi_query_attention(query, turned_query, latent, turned_key, W_k, W_v):
    """torch's own function, with all heads as queries of one head whose values are the latent."""
    heads, queries, keys = query.size(1), query.size(2), latent.size(1)
    wide = torch.cat([query @ W_k.mT, turned_query], dim=-1).flatten(1, 2)
    seen = torch.ones(queries, keys, dtype=torch.bool, device=query.device).tril(keys - queries)
    scale = 1 / math.sqrt(query.size(-1) + turned_query.size(-1))
    cached = torch.cat([latent, turned_key], dim=-1)
    mixed = F.scaled_dot_product_attention(
        wide[:, None], cached[:, None], latent[:, None], seen.repeat(heads, 1), scale=scale
    )
    return mixed[:, 0].unflatten(1, (heads, queries)) @ W_v


@exercise.variant
def by_einsum_alone(query, turned_query, latent, turned_key, W_k, W_v):
    """Half precision in float32."""
    parts = (query, turned_query, latent, turned_key, W_k, W_v)
    wide = torch.promote_types(query.dtype, torch.float32)
    q, t, c, r, keys_of, values_of = (x.to(wide) for x in parts)
    s = torch.einsum("bhqd,hcd->bhqc", q, keys_of)
    s = torch.einsum("bhqc,bkc->bhqk", s, c) + torch.einsum("bhqr,bkr->bhqk", t, r)
    mask = torch.full(s.shape[2:], -math.inf, dtype=wide, device=s.device)
    mask = mask.triu(1 + s.shape[3] - s.shape[2])
    w = (s / math.sqrt(q.shape[-1] + r.shape[-1]) + mask).softmax(-1)
    mixed = torch.einsum("bhqk,bkc->bhqc", w, c)
    return torch.einsum("bhqc,hcv->bhqv", mixed, values_of).to(query.dtype)


@exercise.variant
def query_by_query(query, turned_query, latent, turned_key, W_k, W_v):
    """Each query with the tokens that it sees, without a mask."""
    before, rows = latent.size(1) - query.size(2), []
    root = math.sqrt(query.size(-1) + turned_query.size(-1))
    for i in range(query.size(2)):
        c, r = latent[:, : before + i + 1], turned_key[:, : before + i + 1]
        asked = (W_k @ query[:, :, i, :, None]).squeeze(-1)  # (batch, heads, d_c)
        scores = asked @ c.mT + turned_query[:, :, i] @ r.mT
        rows.append(((scores / root).softmax(dim=-1) @ c)[:, :, None] @ W_v)
    return torch.cat(rows, dim=2)
