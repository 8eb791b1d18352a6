"""Cases, oracle and known mistakes of `hard_lookup`."""

import torch
import torch.nn.functional as F

from autograder.properties import Finite
from autograder.spec import Case, Exercise

exercise = Exercise(
    "hard_lookup",
    points=2,
    difficulty=2,
    minutes=10,
    returns=("the values found",),
    read="01_bottleneck.html#the-idea-with-three-tokens",
    properties=(Finite(),),
)


def draw(rng, queries, keys, d_k, d_v, dtype=torch.float32):
    """Queries and keys in eighths: their scores are exact, whichever term is summed first."""
    return {
        "query": (rng.normal(queries, d_k) * 8).round().to(dtype) / 8,
        "key": (rng.normal(keys, d_k) * 8).round().to(dtype) / 8,
        "value": rng.normal(keys, d_v, dtype=dtype),
    }


def tied(rng, queries, keys, dtype=torch.float32):
    """Small integers, so that several queries find their best score at more than one key."""
    while True:
        inputs = draw(rng, queries, keys, 3, 4, dtype)
        inputs["query"] = rng.integers(-2, 3, queries, 3).to(dtype)
        inputs["key"] = rng.integers(-2, 3, keys, 3).to(dtype)
        scores = inputs["query"].double() @ inputs["key"].double().T  # [queries, keys]
        best = scores == scores.amax(dim=1, keepdim=True)
        if (best.sum(dim=1) > 1).sum() >= 2 and best.int().argmax(dim=1).unique().numel() > 2:
            return inputs


@exercise.cases
def cases(rng):
    yield Case("three queries, five keys", draw(rng, 3, 5, 4, 2), gradient=True)
    yield Case("more queries than keys", draw(rng, 7, 4, 5, 3))
    yield Case("several keys share the best score", tied(rng, 5, 9))
    yield Case("gradients where keys share it", tied(rng, 4, 7), gradient=True)
    inputs = draw(rng, 2, 6, 3, 5)
    inputs["query"][1] = 0
    yield Case("a query that scores 0 with every key", inputs)
    yield Case("half precision", tied(rng, 4, 8, torch.float16))


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(4, 8), rng.integer(10, 16)
    yield Case("more keys", draw(rng, queries, keys, 6, 5), gradient=True)
    yield Case("many shared best scores", tied(rng, queries, keys))
    yield Case("one query", draw(rng, 1, keys, 4, 3))
    yield Case("one key", draw(rng, queries, 1, 4, 3))
    inputs = draw(rng, queries, keys, 5, 3)
    inputs["query"] = rng.integers(1, 5, queries, 5).float()
    inputs["key"] = -rng.integers(1, 9, keys, 5).float()
    yield Case("negative scores only", inputs)


@exercise.oracle
def key_by_key(query, key, value):
    found = []
    for asked in query.tolist():
        scores = [sum(a * b for a, b in zip(asked, one, strict=True)) for one in key.tolist()]
        found.append(value[scores.index(max(scores))])
    return torch.stack(found)


@exercise.misconception("You return the value of the key with the lowest score.")
def takes_the_lowest(query, key, value):
    return value[(query @ key.T).argmin(dim=-1)]


@exercise.misconception(
    "You look for the best query of each key. Row i of the result belongs to query i: which axis "
    "of the scores holds the keys?"
)
def searches_over_the_queries(query, key, value):
    return value[(query @ key.T).argmax(dim=0)]


@exercise.misconception(
    "Without an axis, `argmax` looks at all scores at once and counts through them, beyond the "
    "number of keys. Each query has its own best key."
)
def searches_everywhere(query, key, value):
    return value[(query @ key.T).argmax()]


@exercise.misconception(
    "Where keys share the best score you take the last of them. Asked for is the first."
)
def takes_the_last_of_equals(query, key, value):
    return value[(query @ key.T).argsort(dim=-1, stable=True)[:, -1]]


@exercise.misconception(
    "Where keys share the best score you return a mixture of their values. A hard lookup returns "
    "one value as it is: that of the first."
)
def averages_equals(query, key, value):
    scores = query @ key.T
    best = (scores == scores.amax(dim=-1, keepdim=True)).to(value.dtype)
    return best / best.sum(dim=-1, keepdim=True) @ value


@exercise.misconception(
    "A softmax of very large scores is nearly a hard lookup. But keys that share the best score "
    "share the weight, and asked for is the value of the first; and gradients reach the scores."
)
def sharpens_a_softmax(query, key, value):
    return torch.softmax(1000 * (query @ key.T), dim=-1) @ value


@exercise.misconception(
    "The rows are right, but they are cut off from `value`, so nothing that makes the values could "
    "learn. What do `detach`, `no_grad`, `.data` and `torch.tensor` do?"
)
def detaches_the_values(query, key, value):
    return value.detach()[(query @ key.T).argmax(dim=-1)]


@exercise.misconception(
    "Where keys share the best score you add their values up. A hard lookup returns one value as "
    "it is: that of the first."
)
def adds_equals(query, key, value):
    scores = query @ key.T
    return (scores == scores.amax(dim=-1, keepdim=True)).to(value.dtype) @ value


@exercise.misconception(
    "You return the best key itself. The key is what is compared; what is stored under it?"
)
def returns_the_key(query, key, value):
    return key[(query @ key.T).argmax(dim=-1)]


@exercise.misconception(
    "You return which key is best, as a number. One step is left: what is stored under that key?"
)
def returns_the_index(query, key, value):
    return (query @ key.T).argmax(dim=-1)


@exercise.misconception("You return the best score. Asked for is the value of the key that has it.")
def returns_the_score(query, key, value):
    return (query @ key.T).amax(dim=-1)


@exercise.misconception(
    "You take the nearest key. A dot product also grows with the length of the key, so the two do "
    "not always agree."
)
def takes_the_nearest_key(query, key, value):
    return value[(query[:, None] - key).square().sum(dim=-1).argmin(dim=-1)]


@exercise.misconception(
    "You compare directions only: the cosine. The score here is the dot product, in which a longer "
    "key counts for more."
)
def takes_the_cosine(query, key, value):
    return value[(query @ F.normalize(key, dim=-1).T).argmax(dim=-1)]


@exercise.misconception(
    "You compare the sizes of the scores and not the scores. Is -5 a better score than 3?"
)
def takes_the_largest_size(query, key, value):
    return value[(query @ key.T).abs().argmax(dim=-1)]


@exercise.misconception(
    "The values are right, but an axis of length 1 is left. The result is (queries, d_v)."
)
def keeps_the_axis(query, key, value):
    return value[(query @ key.T).argmax(dim=-1, keepdim=True)]


@exercise.variant
def selected_by_index(query, key, value):
    best = torch.max(torch.einsum("qd,kd->qk", query, key), dim=1).indices
    return torch.index_select(value, 0, best)


@exercise.variant
def one_hot_product(query, key, value):
    best = torch.argmax(torch.matmul(query, key.transpose(0, 1)), dim=1)
    return F.one_hot(best, num_classes=key.size(0)).to(value.dtype) @ value


@exercise.variant
def query_by_query(query, key, value):
    rows = []
    for one in query:
        best, winner = None, 0
        for number, other in enumerate(key):
            score = torch.dot(one, other)
            if best is None or score > best:
                best, winner = score, number
        rows.append(value[winner])
    return torch.stack(rows)


@exercise.variant
def entry_by_entry(query, key, value):
    scores = (query[:, None, :] * key[None, :, :]).sum(-1)
    return value[scores.sort(dim=-1, descending=True, stable=True).indices[:, 0]]
