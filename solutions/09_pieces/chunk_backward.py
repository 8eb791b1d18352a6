"""Cases, oracle and variants of `chunk_backward`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite

from .attention_by_chunks import MEMORY, draw

exercise = Exercise(
    "chunk_backward",
    points=6,
    difficulty=5,
    minutes=45,
    returns=("the gradient of query", "the gradient of key", "the gradient of value"),
    read="09_pieces.html#chunk-backward",
    forbids=("autograd", "make_dual", "softmax_backward", "scaled_dot_product",
             "multi_head_attention", "native_multi_head_attention", "flash_attention",
             "efficient_attention", "flex_attention"),
    properties=(Finite(),),
    groups=(MEMORY,),
)  # fmt: skip

TERMS = 256  # sums of sums, and a difference of numbers that are near each other


def forward(query, key, value, causal):
    """Output and log_sum, in float64."""
    scores = query.double() @ key.double().mT / math.sqrt(query.size(-1))
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -math.inf)
    return scores.softmax(-1) @ value.double(), scores.logsumexp(-1)


def case(rng, name, inputs, chunk, causal=False):
    """With the rest of what the forward pass had and returned."""
    query, value = inputs["query"], inputs["value"]
    found = forward(query, inputs["key"], value, causal)
    output, log_sum = (x.to(query.dtype) for x in found)
    grad_output = rng.normal(*query.shape[:-1], value.size(-1), dtype=query.dtype)
    rest = {"output": output, "grad_output": grad_output, "log_sum": log_sum}
    return Case(name, {**inputs, **rest, "chunk": chunk, "causal": causal}, terms=TERMS)


def at_levels(rng, *levels):
    """Scaled scores near a level for each query, exact in any order of operations."""
    inputs = draw(rng, (2,), len(levels), 7, 16, 5)
    query, key = inputs["query"].zero_(), inputs["key"].zero_()
    query[..., 0], query[..., 1] = 4 * torch.tensor(levels), 1
    key[..., 0], key[..., 1] = 1, rng.integers(0, 6, 2, 7)
    return inputs


def example(rng, chunk):
    query, key = torch.tensor([[[2.0, 0, 0, 0]]]), torch.tensor([[[2.0, 0, 0, 0], [0, 0, 0, 0]]])
    inputs = {"query": query, "key": key, "value": torch.tensor([[[10.0], [20]]])}
    made = case(rng, "the example of the text", inputs, chunk)
    made.inputs["grad_output"].fill_(1)
    return made


@exercise.cases
def cases(rng):
    yield example(rng, 1)
    yield case(rng, "one chunk", draw(rng, (2,), 4, 3, 6, 5), 3)
    yield case(rng, "chunks that fit", draw(rng, (2,), 3, 6, 5, 4), 2)
    yield case(rng, "a ragged end", draw(rng, (2, 3), 4, 7, 5, 6), 3)
    yield case(rng, "causal with chunks that fit", draw(rng, (2,), 8, 8, 5, 3), 4, True)
    yield case(rng, "causal with a ragged end", draw(rng, (2, 3), 7, 7, 4, 6), 3, True)
    yield case(rng, "a chunk larger than the keys", draw(rng, (3,), 4, 5, 6, 2), 9)
    yield case(rng, "scores far from 0", at_levels(rng, 90.0, -90.0, 0.0), 2)
    yield case(rng, "a batch of longer sequences", draw(rng, (2,), 66, 134, 1, 4), 8)
    yield case(rng, "a long causal sequence", draw(rng, (1,), 70, 70, 2, 4), 14, True)


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 6), rng.integer(7, 11)
    wide = draw(rng, (2,), queries, keys, 8, 5, torch.float64)
    yield case(rng, "float64", wide, 3)
    yield case(rng, "one key a chunk", draw(rng, (2,), queries, keys, 3, 4), 1, True)
    yield case(
        rng, "more keys than queries", draw(rng, (2,), queries, keys, 3, 4), queries - 1, True
    )
    yield case(rng, "more queries than keys", draw(rng, (3,), keys, queries, 4, 2), 2, True)
    yield case(rng, "equal lengths and widths", draw(rng, (2,), 6, 6, 6, 6), 4)
    # of the scores that a query may not see, one is far above those that it may
    ahead = draw(rng, (1,), 5, 5, 4, 3)
    ahead["query"].zero_()[..., 0] = 2
    ahead["key"][..., 0] = torch.tensor([-60.0, -59, 60, 61, -58])
    ahead["key"][..., 1] *= 512  # so that not all of the query's gradient cancels
    yield case(rng, "masked scores are larger", ahead, 2, True)
    below = at_levels(rng, -99.0, -98.5, -99.0, -99.0, -99.0, -99.0, -99.0)
    yield case(rng, "causal, all scores far below 0", below, 2, True)
    names = {"query": 4, "key": 4, "value": 2}  # whole numbers, whole root: two gradients are 0
    single = {name: rng.integers(-3, 4, 1, 1, width).float() for name, width in names.items()}
    made = case(rng, "one query and one key", single, 1)
    made.inputs["grad_output"].copy_(rng.integers(1, 4, 1, 1, 2))
    yield made


exercise.promise(
    "as for `attention_by_chunks`.", "one chunk", "chunks that fit", "causal with a ragged end"
)
exercise.promise("Scaled scores lie between", "scores far from 0", "masked scores are larger")
exercise.promise("what a right `attention_by_chunks`", EVERY)
exercise.promise("the derivative of the loss", EVERY)
exercise.promise("All tensors have one dtype", "a ragged end", "float64")
exercise.promise("None is changed, and none", EVERY)
exercise.promise(
    "the derivatives of the loss", "the example of the text", "equal lengths and widths"
)
exercise.promise("No tensor has more", "a batch of longer sequences", "a long causal sequence")
exercise.promise(
    "All tensors alive at the same time", "a batch of longer sequences", "a long causal sequence"
)


@exercise.oracle
def by_autograd(query, key, value, output, grad_output, log_sum, chunk, causal):
    """One query after the other. What is allocated first is all that the text allows."""
    queries, keys = query.size(-2), key.size(-2)
    wide = chunk + query.size(-1) + value.size(-1)
    query.new_empty(*query.shape[:-2], queries + keys, wide)
    q, k, v = (x.detach().requires_grad_() for x in (query, key, value))
    found = [torch.zeros_like(x) for x in (q, k, v)]
    for i in range(queries):
        seen = slice(0, i + 1 if causal else keys)
        scores = (q[..., i : i + 1, :] * k[..., seen, :]).sum(-1) / query.size(-1) ** 0.5
        row = (F.softmax(scores, -1)[..., None] * v[..., seen, :]).sum(-2)
        parts = torch.autograd.grad(row, (q, k, v), grad_output[..., i, :])
        found = [sums.add_(part) for sums, part in zip(found, parts, strict=True)]
    return tuple(found)


@exercise.variant
def written_into_place(query, key, value, output, grad_output, log_sum, chunk, causal):
    dq, dk, dv = (torch.zeros_like(x) for x in (query, key, value))
    factor = query.size(-1) ** -0.5
    delta = torch.einsum("...qv,...qv->...q", grad_output, output)[..., None]
    for a in range(0, key.size(-2), chunk):
        b = min(a + chunk, key.size(-2))
        p = torch.exp(factor * (query @ key[..., a:b, :].transpose(-2, -1)) - log_sum.unsqueeze(-1))
        if causal:
            p = p.tril(-a)
        dv[..., a:b, :] = p.transpose(-2, -1) @ grad_output
        ds = factor * p * (grad_output @ value[..., a:b, :].transpose(-2, -1) - delta)
        dk[..., a:b, :] = ds.transpose(-2, -1) @ query
        dq += ds @ key[..., a:b, :]
    return dq, dk, dv


@exercise.variant
def scaled_inputs(query, key, value, output, grad_output, log_sum, chunk, causal):
    """The root is in the query from the start, and in the keys on the way back."""
    root = math.sqrt(query.shape[-1])
    scaled, start, rows, grads = query / root, 0, torch.arange(query.shape[-2]), []
    total = torch.zeros_like(query)
    for k, v in zip(key.split(chunk, dim=-2), value.split(chunk, dim=-2), strict=True):
        exponent = torch.einsum("...id,...jd->...ij", scaled, k) - log_sum[..., None]
        if causal:
            columns = torch.arange(start, start + k.shape[-2])
            hidden = (columns[None, :] > rows[:, None]).to(query.device)
            exponent = torch.where(hidden, torch.full_like(exponent, -torch.inf), exponent)
        share = exponent.exp()
        change = torch.einsum("...iv,...jv->...ij", grad_output, v)
        change = share * (change - (output * grad_output).sum(dim=-1)[..., None])
        total = total + change @ (k / root)
        grads.append((torch.einsum("...ij,...id->...jd", change, scaled),
                      torch.einsum("...ij,...iv->...jv", share, grad_output)))  # fmt: skip
        start += k.shape[-2]
    parts = zip(*grads, strict=True)
    return [total, *(torch.cat(part, dim=-2) for part in parts)]


@exercise.variant
def blocks_of_queries_inside(query, key, value, output, grad_output, log_sum, chunk, causal):
    n, m, scale = query.size(-2), key.size(-2), 1 / math.sqrt(key.size(-1))
    result = query.new_zeros(query.shape), key.new_zeros(key.shape), value.new_zeros(value.shape)
    for left in range(0, m, chunk):
        for top in range(left if causal else 0, n, chunk):
            i, j = slice(top, min(top + chunk, n)), slice(left, min(left + chunk, m))
            s = query[..., i, :] @ key[..., j, :].mT * scale
            if causal:
                s = s + torch.full_like(s, -math.inf).triu(top - left + 1)
            w = (s - log_sum[..., i].unsqueeze(-1)).exp_()
            g = grad_output[..., i, :]
            row = (g * output[..., i, :]).sum(-1).unsqueeze(-1)
            t = (g @ value[..., j, :].mT).sub_(row).mul_(w).mul_(scale)
            result[0][..., i, :].add_(t @ key[..., j, :])
            result[1][..., j, :].add_(t.mT @ query[..., i, :])
            result[2][..., j, :].add_(w.mT @ g)
    return result
