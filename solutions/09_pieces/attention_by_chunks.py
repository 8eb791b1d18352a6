"""Cases, oracle and variants of `attention_by_chunks`."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from autograder.author import EVERY, UNTRIED, Case, CostAtMost, Exercise, Finite, Group

MEMORY = Group("memory", 3, properties=(
    CostAtMost("largest", 1.0, "A tensor has more entries than allowed."),
    CostAtMost("peak", 5.0, "All tensors together take more memory than allowed."),
))  # fmt: skip
exercise = Exercise(
    "attention_by_chunks",
    points=6,
    difficulty=4,
    minutes=40,
    returns=("output", "log_sum"),
    read="09_pieces.html#attention-by-chunks",
    builds_on=("merge",),
    forbids=("scaled_dot_product", "multi_head_attention", "native_multi_head_attention",
             "flash_attention", "efficient_attention", "flex_attention"),
    properties=(Finite(),),
    groups=(MEMORY,),
)  # fmt: skip

TERMS = 256  # log_sum is near 200, and rounded

# An earlier exercise: the notebook has it.
merge: Callable[..., Any]


def draw(rng, shape, queries, keys, d_k, d_v, dtype=torch.float32):
    sizes = {"query": (queries, d_k), "key": (keys, d_k), "value": (keys, d_v)}
    return {name: rng.normal(*shape, *size, dtype=dtype) for name, size in sizes.items()}


def case(name, inputs, chunk, causal=False):
    return Case(name, {**inputs, "chunk": chunk, "causal": causal}, terms=TERMS)


def with_scores(inputs, scores):
    """The inputs with these scaled scores of the keys, for each query, exact in any order.

    In the second sequence of a batch, if there is one, they have the other sign.
    """
    inputs["query"].zero_()[..., 0] = inputs["query"].size(-1) ** 0.5  # a whole number
    inputs["key"].zero_()[..., 0] = torch.tensor(scores)
    inputs["key"][1:] *= -1
    return inputs


def example():
    inputs = {"query": torch.tensor([[[1.0]]]), "key": torch.tensor([[[1.0], [3], [3]]])}
    return {**inputs, "value": torch.tensor([[[6.0], [2], [4]]])}


@exercise.cases
def cases(rng):
    yield case("the example of the text", example(), 1)
    yield case("chunks that fit", draw(rng, (2,), 3, 6, 5, 4), 2)
    yield case("a ragged end", draw(rng, (2, 3), 4, 7, 5, 6), 3)
    yield case("causal with chunks that fit", draw(rng, (2,), 8, 8, 5, 3), 4, True)
    yield case("causal with a ragged end", draw(rng, (2, 3), 7, 7, 4, 6), 3, True)
    yield case("a chunk larger than the keys", draw(rng, (3,), 4, 5, 6, 2), 9)
    growing = [-200.0, -198, -100, 0, 2, 1, 99, 100, 199, 200]
    yield case("scores that grow", with_scores(draw(rng, (2,), 10, 10, 4, 3), growing), 2, True)
    yield case("a batch of longer sequences", draw(rng, (2,), 130, 134, 1, 4), 8)
    yield case("a long causal sequence", draw(rng, (1,), 70, 70, 2, 2), 14, True)


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 6), rng.integer(7, 11)
    yield case("float64", draw(rng, (2,), queries, keys, 8, 5, torch.float64), 2)
    yield case("one key a chunk", draw(rng, (2,), queries, keys, 3, 4), 1, True)
    yield case("more keys than queries", draw(rng, (2,), queries, keys, 3, 4), queries - 1, True)
    yield case("more queries than keys", draw(rng, (3,), keys, queries, 4, 2), 2, True)
    falling = [200.0, 199, 199.5, 0, 1, -200, -199]
    yield case("scores that fall", with_scores(draw(rng, (2,), 3, 7, 4, 5), falling), 3)
    masked = [-199.0, -200, 180, 181, 200, -200]
    yield case(
        "masked scores are larger", with_scores(draw(rng, (1,), 6, 6, 9, 2), masked), 2, True
    )
    yield case("one query and one key", draw(rng, (1,), 1, 1, 3, 2), 1)


exercise.promise("of one dtype (float32 or float64)", "chunks that fit", "a ragged end", "float64")
exercise.promise(
    "The numbers of queries", "a ragged end", "more keys than queries", "more queries than keys"
)
exercise.promise(
    "Scaled scores lie between", "scores that grow", "scores that fall", "masked scores are larger"
)
exercise.promise("They are not changed.", EVERY)
exercise.promise("how many keys at a time", "one key a chunk", "chunks that fit")
exercise.promise("It need not divide", "a ragged end", "a chunk larger than the keys")
exercise.promise(
    "whether query i may attend", "causal with chunks that fit", "causal with a ragged end"
)
exercise.promise("output, and log_sum", EVERY)
exercise.promise("Both in the dtype and on the device", "a ragged end", "float64")
exercise.promise("They need not carry", UNTRIED)
exercise.promise("No tensor has more", "a batch of longer sequences", "a long causal sequence")
exercise.promise(
    "All tensors alive at the same time", "a batch of longer sequences", "a long causal sequence"
)


@exercise.oracle
def query_by_query(query, key, value, chunk, causal):
    """One row of scores after the other. What is allocated first is all that the text allows."""
    queries, keys = query.size(-2), key.size(-2)
    wide = chunk + query.size(-1) + value.size(-1)
    query.new_empty(*query.shape[:-2], queries + keys, wide)
    outputs, sums = [], []
    for i in range(queries):
        seen = slice(0, i + 1 if causal else keys)
        scores = (key[..., seen, :] * query[..., i : i + 1, :]).sum(-1) / query.size(-1) ** 0.5
        sums.append(scores.logsumexp(-1))
        outputs.append((F.softmax(scores, -1)[..., None] * value[..., seen, :]).sum(-2))
    return torch.stack(outputs, -2), torch.stack(sums, -1)


@exercise.variant
def running_softmax(query, key, value, chunk, causal):
    lead, n = query.shape[:-2], query.size(-2)
    m = query.new_full((*lead, n, 1), -math.inf)
    total, acc = torch.zeros_like(m), query.new_zeros(*lead, n, value.size(-1))
    for first in range(0, key.size(-2), chunk):
        s = torch.einsum("...qd,...kd->...qk", query, key[..., first : first + chunk, :])
        s = s * query.size(-1) ** -0.5
        if causal:
            ones = torch.ones(n, s.size(-1), dtype=torch.bool, device=s.device)
            s = torch.where(ones.tril(-first), s, -math.inf)
        new = torch.maximum(m, s.max(dim=-1, keepdim=True).values)  # finite: all see key 0
        p, fade = torch.exp(s - new), torch.exp(m - new)
        total = total * fade + p.sum(dim=-1, keepdim=True)
        acc = acc * fade + torch.einsum(
            "...qk,...kv->...qv", p, value[..., first : first + chunk, :]
        )
        m = new
    return acc / total, (m + torch.log(total)).squeeze(-1)


@exercise.variant
def averages_and_log_sums(query, key, value, chunk, causal):
    """Each chunk as an average and a log-sum, merged by logaddexp."""
    output, log_sum, start = None, None, 0
    for keys, values in zip(key.split(chunk, -2), value.split(chunk, -2), strict=True):
        scores = torch.matmul(query, keys.transpose(-2, -1)).div(math.sqrt(key.shape[-1]))
        if causal:
            i = torch.arange(query.shape[-2], device=query.device).unsqueeze(1)
            j = torch.arange(start, start + keys.shape[-2], device=query.device)
            scores = scores.masked_fill(j > i, torch.finfo(scores.dtype).min)
        part, here = torch.logsumexp(scores, -1), torch.softmax(scores, -1).matmul(values)
        if output is None or log_sum is None:
            output, log_sum = here, part
        else:
            both = torch.logaddexp(log_sum, part)
            output = torch.lerp(output, here, (part - both).exp().unsqueeze(-1))
            log_sum = both
        start += keys.shape[-2]
    return output, log_sum


@exercise.variant
def twice_over_the_keys(query, key, value, chunk, causal):
    """First the log-sum, then the weights."""
    q = query / query.size(-1) ** 0.5
    count, device = key.size(-2), query.device
    row = torch.arange(query.size(-2), device=device)

    def scores(at):
        found = q @ key[..., at, :].mT
        return found.masked_fill(at > row[:, None], -torch.inf) if causal else found

    chunks = torch.arange(count, device=device).split(chunk)
    sums = torch.stack([scores(at).logsumexp(-1) for at in chunks])  # [chunks, ..., queries]
    log_sum = sums.logsumexp(0)
    output = sum((scores(at) - log_sum[..., None]).exp() @ value[..., at, :] for at in chunks)
    return output, log_sum


@exercise.variant
def in_blocks_of_queries_too(query, key, value, chunk, causal):
    results = []
    for top in range(0, query.size(-2), chunk):
        rows = query[..., top : top + chunk, :]
        state = None
        for left in range(0, min(key.size(-2), top + chunk) if causal else key.size(-2), chunk):
            block = rows @ key[..., left : left + chunk, :].mT * (1 / math.sqrt(rows.size(-1)))
            if causal:
                away = torch.full(
                    block.shape[-2:], -math.inf, dtype=block.dtype, device=block.device
                )
                block = block + away.triu(top - left + 1)
            high = block.amax(-1)
            e = torch.exp(block - high.clamp(min=-1e30).unsqueeze(-1))
            part = high, e.sum(-1), e @ value[..., left : left + chunk, :]
            state = merge(*state, *part) if state else part
        assert state is not None  # there is a key
        results.append((state[2] / state[1].unsqueeze(-1), state[0] + state[1].log()))
    outputs, sums = zip(*results, strict=True)
    return torch.cat(outputs, -2), torch.cat(sums, -1)
