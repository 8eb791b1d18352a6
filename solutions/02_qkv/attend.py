"""Cases, oracle and variants of `attend`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite, SumsTo

exercise = Exercise(
    "attend",
    points=3,
    difficulty=2,
    minutes=20,
    returns=("output", "weights"),
    read="02_qkv.html#shapes",
    forbids=("scaled_dot_product", "multi_head_attention", "native_multi_head"),
    properties=(
        Finite(),
        SumsTo(
            1,
            -1,
            "Each row of attention weights, one row per query, should sum to 1 over the keys.",
        ),
    ),
)


def draw(rng, batch, queries, keys, d_k, d_v, dtype=torch.float32):
    shapes = {"query": (queries, d_k), "key": (keys, d_k), "value": (keys, d_v)}
    return {name: rng.normal(*batch, *shape, dtype=dtype) for name, shape in shapes.items()}


def large(rng, heights, dtype=torch.float32):
    """Scaled scores of each query near its height; exact in any order of operations."""
    inputs = draw(rng, (2,), 3, 25, 16, 5, dtype)
    query, key = inputs["query"].zero_(), inputs["key"].zero_()  # [2, 3, 16], [2, 25, 16]
    query[..., 0], query[..., 1] = torch.tensor(heights), torch.arange(1, 4)
    key[..., 0], key[..., 1] = 4, rng.integers(0, 9, 2, 25)
    return inputs


def equal(rng, height, dtype):
    """All scaled scores the same, exact in any order of operations."""
    inputs = draw(rng, (2,), 3, 15, 4, 6, dtype)
    inputs["query"].zero_()[..., 0], inputs["key"].zero_()[..., 0] = height, 2
    return inputs


def of_the_text():
    """The second score is exactly 0."""
    query, key = torch.tensor([[2.0, 0, 0, 0]]), torch.tensor([[2.0, 0, 0, 0], [0, 0, 0, 0]])
    return {"query": query, "key": key, "value": torch.tensor([[10.0, 0, 1], [20, 3, 1]])}


@exercise.cases
def cases(rng):
    yield Case("other widths for keys and values", draw(rng, (2,), 4, 5, 7, 3), gradient=True)
    yield Case("as many queries as keys", draw(rng, (2,), 4, 4, 6, 3), gradient=True)
    yield Case("an axis of heads", draw(rng, (2, 3), 4, 5, 7, 6), gradient=True)
    yield Case("one query and one sequence", draw(rng, (), 1, 6, 3, 9), gradient=True)
    yield Case("half precision", draw(rng, (2,), 3, 5, 8, 4, torch.float16), gradient=True)
    yield Case("large scores", large(rng, [96, -96, 90]), gradient=True)
    yield Case("the example of the text", of_the_text(), gradient=True)


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 7), rng.integer(8, 12)
    yield Case("all sizes the same", draw(rng, (4, 4), 4, 4, 4, 4), gradient=True)
    yield Case("three leading axes, one feature", draw(rng, (2, 1, 3), queries, keys, 1, 2))
    yield Case("one key", draw(rng, (1, 3), queries, 1, 5, 4), gradient=True)
    yield Case("bfloat16", draw(rng, (3,), queries, keys, 7, 5, torch.bfloat16), gradient=True)
    inputs = large(rng, [28, 20, -28], torch.float16)
    yield Case("large scores in half precision", inputs, gradient=True)
    yield Case("equal scores in bfloat16", equal(rng, 114, torch.bfloat16), gradient=True)
    inputs = large(rng, [120, -110, 117])
    inputs["key"][..., 1::2, 0] *= -1
    yield Case("scores far apart", inputs, gradient=True)
    inputs = draw(rng, (2,), 48, 40, 18, 12, torch.float64)
    inputs["query"] *= 4
    yield Case("float64, more queries than keys", inputs, gradient=True)


exercise.promise(
    "of one floating dtype", "half precision", "bfloat16", "float64, more queries than keys"
)
exercise.promise("They are not changed.", EVERY)
exercise.promise(
    "Scaled scores may lie", "large scores", "scores far apart", "equal scores in bfloat16"
)
exercise.promise("output and attention", EVERY)
exercise.promise("The scores are divided", EVERY)
exercise.promise("Each row of the attention", "large scores", "large scores in half precision")
exercise.promise("Not allowed: F.scaled_dot_product_attention", EVERY)


@exercise.oracle
def torch_own(query, key, value):
    """Attention over one-hot values returns the weights themselves."""
    one_hot = torch.eye(key.size(-2), dtype=key.dtype).expand(*key.shape[:-1], key.size(-2))
    weights = F.scaled_dot_product_attention(query, key, one_hot.contiguous())
    return F.scaled_dot_product_attention(query, key, value), weights


@exercise.variant
def by_einsum(query, key, value):
    scores = torch.einsum("...qd,...kd->...qk", query * query.shape[-1] ** -0.5, key)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


@exercise.variant
def exponentials_in_float32_at_least(query, key, value):
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = torch.matmul(query.to(wide), key.to(wide).transpose(-2, -1)) / key.size(-1) ** 0.5
    shares = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    weights = shares / shares.sum(dim=-1, keepdim=True)
    return (weights @ value.to(wide)).to(value.dtype), weights.to(value.dtype)


@exercise.variant
def query_by_query(query, key, value):
    outputs, rows = [], []
    for one in query.unbind(dim=-2):
        scores = (one.unsqueeze(-2) * key).sum(dim=-1) / math.sqrt(key.size(-1))
        rows.append(F.softmax(scores, dim=-1))
        outputs.append((rows[-1].unsqueeze(-1) * value).sum(dim=-2))
    return torch.stack(outputs, dim=-2), torch.stack(rows, dim=-2)


@exercise.variant
def by_log_sum_exp(query, key, value):
    fourth = key.size(-1) ** 0.25
    scores = (query / fourth) @ (key / fourth).mT
    wide = torch.promote_types(scores.dtype, torch.float32)  # a logarithm in half is too coarse
    weights = (scores.to(wide) - scores.to(wide).logsumexp(dim=-1, keepdim=True)).exp()
    return weights.to(value.dtype) @ value, weights.to(value.dtype)
