"""Cases, oracle and known mistakes of `attend`."""

import math

import torch
import torch.nn.functional as F

from autograder.properties import Finite, SumsTo
from autograder.spec import Case, Exercise

exercise = Exercise(
    "attend",
    points=4,
    difficulty=2,
    minutes=20,
    returns=("output", "weights"),
    read="02_qkv.html#shapes",
    forbids=("scaled_dot_product", "multi_head_attention", "native_multi_head"),
    properties=(
        Finite(),
        SumsTo(1, -1, "Each row of weights, one row per query, sums to 1 over the keys."),
    ),
)


def draw(rng, batch, queries, keys, d_k, d_v, dtype=torch.float32):
    shapes = {"query": (queries, d_k), "key": (keys, d_k), "value": (keys, d_v)}
    return {name: rng.normal(*batch, *shape, dtype=dtype) for name, shape in shapes.items()}


def large(rng, heights, dtype=torch.float32):
    """Scaled scores of each query near its height; exact in any order of operations."""
    inputs = draw(rng, (2,), 3, 49, 16, 5, dtype)
    query, key = inputs["query"].zero_(), inputs["key"].zero_()
    query[..., 0], query[..., 1] = torch.tensor(heights), torch.arange(1, 4)
    key[..., 0], key[..., 1] = 4, rng.integers(0, 9, 2, 49)
    return inputs


@exercise.cases
def cases(rng):
    yield Case("other widths for keys and values", draw(rng, (2,), 4, 5, 8, 3), gradient=True)
    yield Case("as many queries as keys", draw(rng, (2,), 4, 4, 6, 3), gradient=True)
    yield Case("an axis of heads", draw(rng, (2, 3), 4, 5, 7, 6), gradient=True)
    yield Case("one query and one sequence", draw(rng, (), 1, 6, 3, 2), gradient=True)
    yield Case("half precision", draw(rng, (2,), 3, 5, 8, 4, torch.float16), gradient=True)
    yield Case("large scores", large(rng, [96, -96, 90]))


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 7), rng.integer(8, 12)
    yield Case("no batch axis", draw(rng, (), queries, keys, 6, 5), gradient=True)
    yield Case("more queries than keys", draw(rng, (3,), keys, queries, 12, 7), gradient=True)
    yield Case("all sizes the same", draw(rng, (4, 4), 4, 4, 4, 4), gradient=True)
    yield Case("three leading axes", draw(rng, (2, 1, 3), queries, keys, 5, 2))
    yield Case("one key", draw(rng, (2, 3), queries, 1, 5, 4), gradient=True)
    yield Case("one feature", draw(rng, (3,), queries, keys, 1, 1))
    yield Case("bfloat16", draw(rng, (3,), queries, keys, 7, 5, torch.bfloat16), gradient=True)
    yield Case("large negative scores", large(rng, [-120, -130, -110]))
    yield Case("large scores in half precision", large(rng, [24, 20, -24], torch.float16))
    inputs = large(rng, [96, 90, 93])
    inputs["key"][..., 1::2, 0] *= -1
    yield Case("scores far apart", inputs)
    yield Case("long sequences", draw(rng, (2,), 40, 48, 16, 12))


@exercise.oracle
def torch_own(query, key, value):
    """Attention over one-hot values returns the weights themselves."""
    one_hot = torch.eye(key.size(-2), dtype=key.dtype).expand(*key.shape[:-1], key.size(-2))
    weights = F.scaled_dot_product_attention(query, key, one_hot.contiguous())
    return F.scaled_dot_product_attention(query, key, value), weights


@exercise.misconception("The scores are not scaled. By what does the formula divide them?")
def forgets_to_scale(query, key, value):
    weights = (query @ key.mT).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception("You divide by d_k. The formula divides by its square root.")
def divides_by_d_k(query, key, value):
    weights = (query @ key.mT / key.size(-1)).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "You scale by the number of keys. Along which axis is a score a sum, and how long is that axis?"
)
def scales_by_the_number_of_keys(query, key, value):
    weights = (query @ key.mT / math.sqrt(key.size(-2))).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "You scale by the width of the values. They take no part in the scores: which width does?"
)
def scales_by_d_v(query, key, value):
    weights = (query @ key.mT / math.sqrt(value.size(-1))).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "You multiply by the square root of d_k, so the scores spread more instead of less."
)
def multiplies_by_the_root(query, key, value):
    weights = (query @ key.mT * key.size(-1) ** 0.5).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "You scale after the softmax, so the rows no longer sum to 1. It is the scores that are scaled."
)
def scales_after_the_softmax(query, key, value):
    weights = (query @ key.mT).softmax(dim=-1) / math.sqrt(key.size(-1))
    return weights @ value, weights


@exercise.misconception(
    "Your softmax runs over the queries: the columns sum to 1. A query shares out its attention "
    "among keys: which axis holds these?"
)
def normalises_over_queries(query, key, value):
    weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-2)
    return weights @ value, weights


@exercise.misconception(
    "You count axes from the front: with one leading axis more or less they mean something else. "
    "Count from the end: the last two are the same in every case."
)
def expects_one_leading_axis(query, key, value):
    scores = torch.matmul(query, key.transpose(1, 2)) / key.shape[2] ** 0.5
    weights = torch.softmax(scores, dim=2)
    return torch.matmul(weights, value), weights


@exercise.misconception(
    "Your softmax runs over all scores of a sequence together. Each query has a sum of its own."
)
def normalises_over_everything(query, key, value):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    weights = scores.flatten(-2).softmax(dim=-1).view_as(scores)
    return weights @ value, weights


@exercise.misconception(
    "The shape is right, but `reshape` and `view` only cut the keys into other rows. Which "
    "operation swaps two axes?"
)
def reshapes_the_keys(query, key, value):
    scores = query @ key.reshape(*key.shape[:-2], key.size(-1), key.size(-2))
    weights = (scores / math.sqrt(key.size(-1))).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception(
    "Large scores give NaN: the exponential of 100 is too large for float32, that of 12 for half "
    "precision. What may be subtracted from a row of scores without changing its softmax?"
)
def exponentials_overflow(query, key, value):
    shares = torch.exp(query @ key.mT / math.sqrt(key.size(-1)))
    weights = shares / shares.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@exercise.misconception(
    "You subtract one number from all scores. In a row that lies far below it every exponential is "
    "0, and 0 / 0 is NaN. Which number belongs to each row?"
)
def subtracts_one_number_from_all(query, key, value):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    shares = torch.exp(scores - scores.max())
    weights = shares / shares.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@exercise.misconception("You return the scores in place of the weights. What comes in between?")
def returns_the_scores(query, key, value):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    return scores.softmax(dim=-1) @ value, scores


@exercise.misconception("You return the weights first. The caller unpacks output, weights.")
def returns_the_weights_first(query, key, value):
    weights = (query @ key.mT / math.sqrt(key.size(-1))).softmax(dim=-1)
    return weights, weights @ value


@exercise.misconception("You scale in place and change the caller's query. What does `/=` do?")
def scales_the_query_in_place(query, key, value):
    query /= math.sqrt(query.size(-1))
    weights = (query @ key.mT).softmax(dim=-1)
    return weights @ value, weights


@exercise.misconception("You compute in float32, which is wise: return the caller's dtype.")
def returns_float32(query, key, value):
    scores = query.float() @ key.float().mT / math.sqrt(key.size(-1))
    weights = scores.softmax(dim=-1)
    return weights @ value.float(), weights


@exercise.misconception(
    "The output has the caller's dtype, the weights are still float32. Both are returned in the "
    "dtype of the inputs."
)
def returns_float32_weights(query, key, value):
    scores = query.float() @ key.float().mT / math.sqrt(key.size(-1))
    weights = scores.softmax(dim=-1)
    return (weights @ value.float()).to(value.dtype), weights


@exercise.misconception(
    "The softmax returns float32 here, and so are your weights. Both results are returned in the "
    "dtype of the inputs."
)
def asks_the_softmax_for_float32(query, key, value):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    weights = scores.softmax(dim=-1, dtype=torch.float32)
    return weights.to(value.dtype) @ value, weights


@exercise.variant
def by_einsum(query, key, value):
    scores = torch.einsum("...qd,...kd->...qk", query * query.shape[-1] ** -0.5, key)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


@exercise.variant
def exponentials_in_float32(query, key, value):
    scores = torch.matmul(query.float(), key.float().transpose(-2, -1)) / key.size(-1) ** 0.5
    shares = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    weights = shares / shares.sum(dim=-1, keepdim=True)
    return (weights @ value.float()).to(value.dtype), weights.to(value.dtype)


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
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    return weights @ value, weights
