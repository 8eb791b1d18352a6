"""Cases, oracle and variants of `grouped_query_attention`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, CostAtMost, Exercise, Finite, Group

exercise = Exercise(
    "grouped_query_attention",
    points=5,
    difficulty=3,
    minutes=25,
    returns=("the output",),
    read="10_next_token.html#shared-keys",
    properties=(Finite(),),
    groups=(
        Group(
            "keys stay shared",
            2,
            properties=(CostAtMost("largest", 1.0, "A tensor has more entries than allowed."),),
        ),
    ),
)


def draw(rng, heads, lengths, widths, dtype=torch.float32, batch=2, chance=0.6):
    """heads: of the queries and of the keys. lengths: queries, keys. widths: d_k, d_v."""
    (many, few), (queries, keys), (d_k, d_v) = heads, lengths, widths
    mask = rng.bools(batch, 1, queries, keys, chance=chance)
    mask[..., 0] = True
    return {
        "query": rng.normal(batch, many, queries, d_k, dtype=dtype),
        "key": rng.normal(batch, few, keys, d_k, dtype=dtype),
        "value": rng.normal(batch, few, keys, d_v, dtype=dtype),
        "mask": mask,
    }


def example():
    """Four heads, two of keys: whose values they are can be read off the output."""
    value = torch.tensor([[[[1.0], [3]], [[10], [30]]]])
    zeros = torch.zeros(1, 4, 1, 2), torch.zeros(1, 2, 2, 2)
    mask = torch.ones(1, 1, 1, 2, dtype=torch.bool)
    return {"query": zeros[0], "key": zeros[1], "value": value, "mask": mask}


def empty_rows(inputs):
    inputs["mask"][:, :, 1] = False
    return inputs


def large(inputs, level):
    """Dot products near `level`, exact in any order. A hidden one is far above all others."""
    inputs["query"].zero_()[..., 0] = 1
    inputs["key"].zero_()[..., 0] = level * (1 - torch.arange(inputs["key"].size(2)) % 3 / 1024)
    inputs["key"][:, :, 1, 0] = level + abs(level)
    inputs["mask"][..., 1] = False
    return inputs


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("six heads, two of keys", draw(rng, (6, 2), (3, 5), (4, 7)), gradient=True)
    yield Case("one head of keys for all", draw(rng, (4, 1), (3, 6), (5, 2)))
    yield Case("as many as heads", draw(rng, (3, 3), (4, 5), (6, 2)))
    yield Case("a query that sees nothing", empty_rows(draw(rng, (4, 2), (3, 5), (6, 4))),
               gradient=True)  # fmt: skip
    yield Case("half precision", draw(rng, (6, 3), (4, 5), (8, 3), torch.float16))
    yield Case("scores far below 0", large(draw(rng, (4, 2), (2, 5), (16, 3)), -1e29))
    yield Case("one new token", draw(rng, (24, 3), (1, 100), (8, 6)))


@exercise.secret_cases
def secret_cases(rng):
    few, group = rng.integer(2, 4), rng.integer(2, 5)
    heads = (few * group, few)
    yield Case("other groups", draw(rng, heads, (4, 7), (5, 3), batch=3), gradient=True)
    yield Case("as many groups as heads of keys", draw(rng, (9, 3), (2, 4), (4, 5)))
    yield Case("float64", draw(rng, (6, 2), (5, 4), (3, 4), torch.float64))
    yield Case("bfloat16", draw(rng, (4, 2), (3, 6), (6, 5), torch.bfloat16))
    yield Case("as many of everything", draw(rng, (4, 2), (4, 4), (4, 4), batch=4))
    yield Case("a head for each", draw(rng, (5, 5), (3, 2), (4, 6)))
    half = large(draw(rng, (4, 2), (2, 5), (1, 3), torch.float16), -16000)
    yield Case("low scores in half precision", half)
    yield Case("nobody sees anything", draw(rng, (4, 2), (3, 4), (5, 2), chance=0.0) | {
        "mask": torch.zeros(2, 1, 3, 4, dtype=torch.bool)})  # fmt: skip
    yield Case("large scores", large(draw(rng, (4, 2), (2, 5), (16, 3)), 20000))
    yield Case("many heads and queries", draw(rng, (24, 3), (8, 24), (20, 22), batch=3))


exercise.promise(
    "of one dtype (any floating one)", "float64", "one head of keys for all", "as many as heads"
)
exercise.promise("No score, scaled or not, exceeds", "large scores", "scores far below 0")
exercise.promise(
    "True = may attend; the same for all heads.", "six heads, two of keys", "other groups"
)
exercise.promise("A query that may attend", "a query that sees nothing", "nobody sees anything")
exercise.promise("The four are not changed.", EVERY)
exercise.promise(
    "the output, in the dtype", "half precision", "float64", "bfloat16", "six heads, two of keys"
)
exercise.promise(
    "Half precision may be computed", "half precision", "bfloat16", "low scores in half precision"
)
exercise.promise(
    "Gradients flow to query", "six heads, two of keys", "a query that sees nothing", "other groups"
)
exercise.promise("no tensor that an operation", "many heads and queries", "one new token")


@exercise.oracle
def head_by_head(query, key, value, mask):
    """Each head with the keys of its group. What is allocated is all that is allowed."""
    batch, many, queries, _ = query.shape
    outputs = []
    for head in range(many):
        shared = head // (many // key.size(1))
        scores = torch.einsum("bqd,bkd->bqk", query[:, head], key[:, shared])
        scores = scores / query.size(-1) ** 0.5
        allowed = mask[:, 0]
        highest = scores.masked_fill(~allowed, -1e30).amax(-1, keepdim=True)
        shares = torch.where(allowed, (scores - highest).clamp(max=0).exp(), 0.0)
        weights = shares / shares.sum(-1, keepdim=True).clamp(min=1e-300)
        outputs.append(torch.einsum("bqk,bkv->bqv", weights, value[:, shared]))
    output = torch.stack(outputs, dim=1)
    sizes = [x.numel() for x in (query, key, value, output)]
    query.new_empty(2 * max(*sizes, batch * many * queries * key.size(2)))
    return output


def safe(scores, mask):
    """Gradients of rows that see nothing are zeros."""
    nothing = ~mask.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(~(mask | nothing), -math.inf).softmax(dim=-1)
    return weights.masked_fill(nothing, 0.0)


@exercise.variant
def group_by_group(query, key, value, mask):
    """The heads of a group after one another as one long row of queries."""
    group, outputs = query.size(1) // key.size(1), []
    for shared in range(key.size(1)):
        q = query[:, shared * group : (shared + 1) * group]  # [batch, group, queries, d_k]
        scores = q.flatten(1, 2) @ key[:, shared].mT / math.sqrt(q.size(-1))
        weights = safe(scores.unflatten(1, q.shape[1:3]), mask)
        outputs.append((weights.flatten(1, 2) @ value[:, shared]).unflatten(1, q.shape[1:3]))
    return torch.cat(outputs, dim=1)


@exercise.variant
def by_einsum(query, key, value, mask):
    batch, many, queries, d_k = query.shape
    q = query.reshape(batch, key.shape[1], -1, queries, d_k)
    scores = torch.einsum("bsgqd,bskd->bsgqk", q, key) * d_k**-0.5
    scores = torch.where(mask[:, :, None], scores, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, -1) * mask.any(-1)[:, None, :, :, None]
    output = torch.einsum("bsgqk,bskv->bsgqv", weights, value)
    return output.reshape(batch, many, queries, -1)


@exercise.variant
def torch_on_folded_heads(query, key, value, mask):
    """torch's own function: the heads of a group are further queries of the same head."""
    shape = (key.shape[1], query.shape[1] // key.shape[1])
    seen = mask.any(-1, keepdim=True)
    folded = query.unflatten(1, shape).flatten(2, 3)
    allowed = (mask | ~seen).repeat(1, 1, shape[1], 1)
    output = F.scaled_dot_product_attention(folded, key, value, attn_mask=allowed)
    output = output.unflatten(2, (shape[1], -1)).flatten(1, 2)
    return output.masked_fill(~seen, 0.0)


@exercise.variant
def one_head_at_a_time(query, key, value, mask):
    """Half precision in float32."""
    wide = torch.promote_types(query.dtype, torch.float32)
    rows = []
    for h, q in enumerate(query.to(wide).unbind(1)):
        j = h * key.shape[1] // query.shape[1]
        s = torch.bmm(q, key[:, j].to(wide).transpose(1, 2)) / q.shape[-1] ** 0.5
        rows.append(torch.bmm(safe(s, mask[:, 0]), value[:, j].to(wide)))
    return torch.stack(rows, 1).to(query.dtype)
