"""Cases, oracle and variants of `linear_attention`."""

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, CostAtMost, Exercise, Finite, Group, Specimen

exercise = Exercise(
    "linear_attention",
    points=5,
    difficulty=3,
    minutes=25,
    returns=("the output",),
    read="13_fixed_state.html#two-orders",
    properties=(Finite(),),
    groups=(
        Group(
            "linear work",
            2,
            properties=(
                CostAtMost("flops", 1.0, "Matrix products take more work than allowed."),
                CostAtMost("largest", 1.0, "A tensor has more entries than allowed."),
            ),
        ),
    ),
)

# One case is counted, the largest one. So that both orders count, it is called with both.
BOTH_WAYS = Specimen("""
def both_ways(linear_attention, query, key, value, causal):
    ways = causal, not causal
    return torch.stack([linear_attention(query, key, value, way) for way in ways])
""")


def draw(rng, shape, lengths, widths, causal, dtype=torch.float32, least=0.0):
    """lengths: queries, keys. widths: d_k, d_v. No feature is below `least`."""
    (queries, keys), (d_k, d_v) = lengths, widths
    return {
        "query": rng.normal(*shape, queries, d_k, dtype=dtype).abs() + least,
        "key": rng.normal(*shape, keys, d_k, dtype=dtype).abs() + least,
        "value": rng.normal(*shape, keys, d_v, dtype=dtype),
        "causal": causal,
    }


def half(rng, dtype, causal):
    """Sums that are far from 0, so that no order of operations underflows."""
    lengths = (7, 7) if causal else (5, 9)
    return draw(rng, (2,), lengths, (8, 3), causal, dtype, least=0.5)


def example(causal):
    return {
        "query": torch.tensor([[1.0, 0], [0, 1], [1, 1]]),
        "key": torch.tensor([[1.0, 0], [1, 1], [0, 2]]),
        "value": torch.tensor([[1.0], [3], [6]]),
        "causal": causal,
    }


def tiny(inputs):
    """The size of a query cancels in its output."""
    inputs["query"] *= 2.0**-50
    return inputs


def starting_with_zeros(inputs):
    """Query and key are zeros for the first two tokens: no gradient reaches these from them."""
    inputs["query"][..., :2, :] = inputs["key"][..., :2, :] = 0
    return inputs


def empty_sequence(inputs):
    """One sequence of the batch has zeros only."""
    inputs["query"][0] = inputs["key"][0] = 0
    return inputs


def without(inputs, name, rows):
    inputs[name][..., rows, :] = 0
    return inputs


def apart(inputs):
    """The first keys and the odd queries have no feature in common."""
    inputs["query"][..., 1::2, :2] = inputs["key"][..., :4, 2:] = 0
    return inputs


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example(False))
    yield Case("the example of the text, causal", example(True))
    yield Case("all keys", draw(rng, (2,), (4, 6), (5, 3), False), gradient=True)
    yield Case("causal", draw(rng, (2,), (6, 6), (4, 5), True), gradient=True)
    yield Case("batch and heads", draw(rng, (2, 3), (7, 7), (5, 4), True))
    yield Case("a query of zeros", without(draw(rng, (2,), (4, 6), (3, 5), False), "query", 1))
    yield Case("tokens of zeros first",
               starting_with_zeros(draw(rng, (2,), (5, 5), (3, 4), True)),
               gradient=True)  # fmt: skip
    yield Case("tiny queries", tiny(draw(rng, (2,), (4, 5), (6, 3), False)))
    yield Case("half precision", half(rng, torch.float16, False))
    yield Case("a long sequence, causal and not", draw(rng, (1,), (150, 150), (4, 5), True),
               through=BOTH_WAYS)  # fmt: skip


@exercise.secret_cases
def secret_cases(rng):
    length = rng.integer(7, 11)
    yield Case("other lengths", draw(rng, (3,), (length, length - 2), (4, 2), False), gradient=True)
    yield Case("more tokens than a chunk", draw(rng, (2,), (66, 66), (3, 6), True), gradient=True)
    yield Case("no leading axis, causal", draw(rng, (), (5, 5), (4, 6), True))
    yield Case("float64", draw(rng, (2,), (3, 5), (4, 6), False, torch.float64))
    yield Case(
        "tiny queries in float64", tiny(draw(rng, (2,), (6, 6), (4, 3), True, torch.float64))
    )
    yield Case("causal in half precision", half(rng, torch.float16, True))
    yield Case("bfloat16", half(rng, torch.bfloat16, True))
    yield Case("keys of zeros", without(draw(rng, (2,), (4, 6), (3, 5), False), "key", slice(None)))
    yield Case("keys of zeros first", without(draw(rng, (2,), (6, 6), (4, 3), True), "key",
                                              slice(3)))  # fmt: skip
    yield Case("queries and keys without a common feature",
               apart(draw(rng, (2,), (6, 6), (4, 5), True)))  # fmt: skip
    yield Case("a sequence of zeros", empty_sequence(draw(rng, (2, 3), (4, 5), (3, 6), False)),
               gradient=True)  # fmt: skip
    yield Case("as many of everything", draw(rng, (4, 4), (4, 4), (4, 4), True))
    yield Case("one token", draw(rng, (2,), (1, 1), (4, 3), True))


exercise.promise("no entry is negative", "all keys", "causal")
exercise.promise(
    "of one dtype (any floating one)", "half precision", "bfloat16", "float64", "all keys"
)
exercise.promise("There may be none.", "no leading axis, causal", "the example of the text")
exercise.promise("There are as many queries as keys", "causal", "all keys", "other lengths")
exercise.promise("They are not changed.", EVERY)
exercise.promise(
    "whether query i may attend", "causal", "the example of the text, causal", "all keys"
)
exercise.promise("the output: for query i", "all keys", "causal", "batch and heads")
exercise.promise(
    "Where the second sum is 0",
    "a query of zeros",
    "keys of zeros",
    "keys of zeros first",
    "queries and keys without a common feature",
)
exercise.promise("Otherwise that sum is at least", "tiny queries", "tiny queries in float64")
exercise.promise("The output is in the dtype", "half precision", "float64", "bfloat16", "all keys")
exercise.promise("Half precision may be computed", "half precision", "causal in half precision")
exercise.promise(
    "Gradients flow to query", "all keys", "causal", "tokens of zeros first", "a sequence of zeros"
)
exercise.promise("all matrix products together", "a long sequence, causal and not")
exercise.promise("no tensor that an operation", "a long sequence, causal and not")
exercise.promise("Both are counted for 150 tokens", "a long sequence, causal and not")


@exercise.oracle
def query_by_query(query, key, value, causal):
    """All weights of one query after the other. What comes first is all that is allowed."""
    for _ in range(16):
        torch.matmul(key.mT, value)
    query.new_empty(5 * value.numel() * key.size(-1))
    rows = []
    for i in range(query.size(-2)):
        seen = slice(0, i + 1 if causal else key.size(-2))
        scores = (key[..., seen, :] * query[..., i : i + 1, :]).sum(-1, keepdim=True)
        total = scores.sum(-2)
        weighted = (scores * value[..., seen, :]).sum(-2)
        rows.append(torch.where(total > 0, weighted / torch.where(total > 0, total, 1.0), 0.0))
    return torch.stack(rows, -2)


@exercise.variant
def a_state_for_each_token(query, key, value, causal):
    """A loop that keeps one state and one sum of keys."""
    state = key.new_zeros(*key.shape[:-2], key.size(-1), value.size(-1))
    total, states = key.new_zeros(*key.shape[:-2], key.size(-1)), []
    for k, v in zip(key.unbind(-2), value.unbind(-2), strict=True):
        state, total = state + k.unsqueeze(-1) * v.unsqueeze(-2), total + k
        states.append((state, total))
    rows = []
    for i, q in enumerate(query.unbind(-2)):
        state, total = states[i if causal else -1]
        summed = torch.einsum("...d,...dv->...v", q, state)
        below = (q * total).sum(-1, keepdim=True)
        rows.append(torch.where(below == 0, 0.0, summed / torch.where(below == 0, 1.0, below)))
    return torch.stack(rows, dim=-2)


@exercise.variant
def in_chunks(query, key, value, causal):
    """Scores within a chunk, a state for what came before it."""
    if not causal:
        summed, below = query @ (key.mT @ value), query @ key.sum(-2).unsqueeze(-1)
        return summed / (below + (below == 0))
    state, total = key.mT @ value * 0, key.sum(-2).unsqueeze(-1) * 0
    outputs = []
    for q, k, v in zip(*(x.split(64, -2) for x in (query, key, value)), strict=True):
        scores = (q @ k.mT).tril()
        summed, below = q @ state + scores @ v, q @ total + scores.sum(-1, keepdim=True)
        outputs.append(summed / torch.where(below > 0, below, torch.ones_like(below)))
        state, total = state + k.mT @ v, total + k.sum(-2).unsqueeze(-1)
    return torch.cat(outputs, -2)


@exercise.variant
def padded_chunks_at_once(query, key, value, causal):
    """The normaliser as one more column of the values; half precision in float32."""
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(wide), key.to(wide), F.pad(value.to(wide), (0, 1), value=1.0)
    if causal:
        length, size = q.size(-2), 50
        q, k, v = (F.pad(x, (0, 0, 0, -length % size)).unflatten(-2, (-1, size)) for x in (q, k, v))
        states = torch.einsum("...nd,...nv->...dv", k, v)
        before = states.cumsum(-3) - states
        both = torch.tril(q @ k.transpose(-1, -2)) @ v + q @ before
        both = both.flatten(-3, -2)[..., :length, :]
    else:
        both = torch.einsum("...qd,...dv->...qv", q, torch.einsum("...nd,...nv->...dv", k, v))
    return (both[..., :-1] / both[..., -1:].clamp(min=1e-30)).to(query.dtype)


@exercise.variant
def by_einsum(query, key, value, causal):
    """Outer products, summed up to each token or over all."""
    outer = torch.einsum("...nd,...nv->...ndv", key, value)
    if causal:
        summed = torch.einsum("...nd,...ndv->...nv", query, torch.cumsum(outer, dim=-3))
        below = torch.einsum("...nd,...nd->...n", query, torch.cumsum(key, dim=-2))
    else:
        summed = torch.einsum("...nd,...dv->...nv", query, outer.sum(dim=-3))
        below = torch.einsum("...nd,...d->...n", query, key.sum(dim=-2))
    nothing = below.eq(0).unsqueeze(-1)
    return (summed / below.unsqueeze(-1).masked_fill(nothing, 1)).masked_fill(nothing, 0)


@exercise.variant
def feature_by_feature(query, key, value, causal):
    """One product for each feature."""
    summed = value.new_zeros(*query.shape[:-1], value.shape[-1])
    below = query.new_zeros(query.shape[:-1])
    for d in range(query.shape[-1]):
        q, k = query[..., d], key[..., d]
        written = k[..., None] * value
        if causal:
            written, k = written.cumsum(-2), k.cumsum(-1)
        else:
            written, k = written.sum(-2, keepdim=True), k.sum(-1, keepdim=True)
        summed, below = summed + q[..., None] * written, below + q * k
    seen = (below != 0)[..., None]
    return torch.where(seen, summed, 0.0) / torch.where(seen, below[..., None], 1.0)
