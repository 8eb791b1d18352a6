"""Cases, oracle and known mistakes of `hard_lookup`."""

import torch
import torch.nn.functional as F

from autograder.author import Case, Exercise, Finite

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
    """Small integers, so that several queries find their best score at more than one key.

    One of these keys is twice there, with two values.
    """
    while True:
        inputs = draw(rng, queries, keys, 3, 4, dtype)
        inputs["query"] = rng.integers(-2, 3, queries, 3).to(dtype)
        inputs["key"] = rng.integers(-2, 3, keys, 3).to(dtype)
        scores = inputs["query"].double() @ inputs["key"].double().T  # [queries, keys]
        inputs["key"][-1] = inputs["key"][int(scores[0].argmax())]
        scores = inputs["query"].double() @ inputs["key"].double().T
        best = scores == scores.amax(dim=1, keepdim=True)
        if (best.sum(dim=1) > 1).sum() >= 2 and best.int().argmax(dim=1).unique().numel() > 2:
            return inputs


def negative(rng, queries, keys):
    """Every score is below 0, and the best of a row is seldom that of the first key."""
    inputs = draw(rng, queries, keys, 5, 3)
    inputs["query"] = rng.integers(1, 5, queries, 5).float()
    inputs["key"] = -rng.integers(1, 9, keys, 5).float()
    inputs["key"][0] = -9
    return inputs


def example():
    """That of the text."""
    inputs = {"query": [[1, 2]], "key": [[3, 0], [0, 1], [1, 1]], "value": [[6], [5], [7]]}
    return {name: torch.tensor(rows, dtype=torch.float32) for name, rows in inputs.items()}


def nearly_equal(rng, queries, keys):
    """The two best scores are the same in float32. The nearest key is another one."""
    inputs = draw(rng, queries, keys, 5, 3, torch.float64)
    inputs["query"] = rng.integers(1, 5, queries, 5).double()
    inputs["key"][0], inputs["key"][-2], inputs["key"][-1] = 1, 9, 9 + 2**-40
    return inputs


@exercise.cases
def cases(rng):
    yield Case("three queries, five keys", draw(rng, 3, 5, 4, 2), gradient=True)
    inputs = draw(rng, 7, 4, 5, 3)
    inputs["query"][1] = 0
    yield Case("more queries than keys and a query of zeros", inputs)
    yield Case("the example above", example())
    yield Case("several keys share the best score", tied(rng, 5, 9), gradient=True)
    inputs = negative(rng, 4, 6)
    inputs["query"][1], inputs["key"][3, 0] = torch.tensor([1, 0, 0, 0, 0]), 0  # their score is 0
    yield Case("no score is positive", inputs)
    yield Case("half precision", tied(rng, 4, 8, torch.float16))
    yield Case("two scores that only float64 tells apart", nearly_equal(rng, 3, 5))


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(4, 8), rng.integer(10, 16)
    yield Case("more keys", draw(rng, queries, keys, 6, 5), gradient=True)
    yield Case("every axis the same", draw(rng, 4, 4, 4, 4))
    yield Case("one key", draw(rng, queries, 1, 4, 1))


exercise.promise("of one floating dtype", "half precision", "more keys")
exercise.promise("Two keys may be equal.", "several keys share the best score")
exercise.promise(
    "Their dtype holds every score", "half precision", "two scores that only float64 tells apart"
)
exercise.promise(
    "Rows of `value`, unchanged.", "the example above", "no score is positive", "one key"
)
exercise.promise(
    "Where several keys", "the example above", "more queries than keys and a query of zeros"
)
exercise.promise(
    "Gradients reach the values", "three queries, five keys", "several keys share the best score"
)


@exercise.oracle
def key_by_key(query, key, value):
    found = []
    for asked in query.tolist():
        scores = [sum(a * b for a, b in zip(asked, one, strict=True)) for one in key.tolist()]
        found.append(value[scores.index(max(scores))])
    return torch.stack(found)


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
