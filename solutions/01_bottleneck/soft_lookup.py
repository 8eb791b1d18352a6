"""Cases, oracle and known mistakes of `soft_lookup`."""

import torch

from autograder.author import EVERY, Case, Exercise, Finite, SumsTo

exercise = Exercise(
    "soft_lookup",
    points=3,
    difficulty=3,
    minutes=15,
    returns=("output", "weights"),
    read="01_bottleneck.html#the-idea-with-three-tokens",
    properties=(Finite(), SumsTo(1, -1, "Each row of weights should sum to 1.")),
)


def draw(rng, queries, keys, d_k, d_v, temperature, dtype=torch.float32):
    """Queries and keys in eighths: their scores are exact, whichever term is summed first."""
    return {
        "query": (rng.normal(queries, d_k) * 8).round().to(dtype) / 8,
        "key": (rng.normal(keys, d_k) * 8).round().to(dtype) / 8,
        "value": rng.normal(keys, d_v, dtype=dtype),
        "temperature": temperature,
    }


def far_apart(rng, queries, keys, size, dtype=torch.float32):
    """Scores of about `size` whose level differs from query to query; few within a row are near."""
    inputs = draw(rng, queries, keys, 4, 3, 1.0, dtype)
    inputs["query"] = torch.ones(queries, 4, dtype=dtype)
    inputs["query"][:, 0], inputs["query"][:, 2] = torch.arange(queries) * size, -size
    # no key is large: the gradient of a query would be little but rounding errors
    inputs["key"][:, 0], inputs["key"][:, 2], inputs["key"][:, 3] = 1, 1, 0
    inputs["key"][:, 1] = rng.normal(keys).argsort()
    return inputs


def equal(rng, queries, keys, size, dtype):
    """Each row has one large score, many times; their logarithms of a sum are rounded.

    The values do not cancel in a mean, so that little is left to roundings.
    """
    inputs = far_apart(rng, queries, keys, size, dtype)
    inputs["key"][:, 1] = 0
    inputs["value"] += 4
    return inputs


def example():
    """The scores of the table, at the temperature 1."""
    inputs = {"query": [[1]], "key": [[2], [1], [0]], "value": [[3, 0], [0, 3], [6, 6]]}
    tensors = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in inputs.items()}
    return {**tensors, "temperature": 1.0}


@exercise.cases
def cases(rng):
    yield Case("temperature 1", draw(rng, 3, 5, 4, 2, 1.0), gradient=True)
    inputs = draw(rng, 6, 4, 3, 5, 4.0)
    inputs["query"][1] = 0
    yield Case("a high temperature and a row of equal scores", inputs, gradient=True)
    yield Case("every axis the same", draw(rng, 4, 4, 4, 4, 0.5))
    # no gradient: where weights are nearly 0 and 1, it is little but rounding errors
    yield Case("almost a hard lookup", draw(rng, 4, 6, 3, 2, 1 / 1024))
    yield Case("large scores on other levels", far_apart(rng, 5, 6, 300.0), gradient=True)
    yield Case("the example above in float64", example(), gradient=True)
    yield Case("half precision", draw(rng, 4, 5, 6, 3, 2.0, torch.float16))
    yield Case("equal large scores in half precision", equal(rng, 3, 5, 1000.0, torch.float16))


@exercise.secret_cases
def secret_cases(rng):
    queries, keys, temperature = rng.integer(4, 8), rng.integer(9, 14), rng.integer(4, 12)
    yield Case("more keys", draw(rng, queries, keys, 6, 5, temperature / 4), gradient=True)
    yield Case("very large scores", far_apart(rng, queries, keys, 1e5), gradient=True)
    yield Case("one key", draw(rng, queries, 1, 4, 3, 0.5))
    yield Case("equal large scores in bfloat16", equal(rng, 3, keys, 1024.0, torch.bfloat16))
    yield Case("everything alike", draw(rng, queries, keys, 3, 7, 1e6))


exercise.promise(
    "The score is the dot", "temperature 1", "a high temperature and a row of equal scores"
)
exercise.promise(
    "of one floating dtype", "half precision", "the example above in float64", "more keys"
)
exercise.promise("positive.", "almost a hard lookup", "everything alike")
exercise.promise(
    "`scores / temperature`", "almost a hard lookup", "equal large scores in half precision"
)
exercise.promise("output and weights.", EVERY)
exercise.promise("Each row of weights", "large scores on other levels", "very large scores")


@exercise.oracle
def query_by_query(query, key, value, temperature):
    """Each weight from its definition, 1 / sum_j exp((s_j - s_i) / temperature)."""
    rows = []
    for one in query:
        scores = torch.stack([(one * other).sum() for other in key]) / temperature
        rows.append(1 / (scores[None, :] - scores[:, None]).exp().sum(dim=1))
    weights = torch.stack(rows)
    return (weights[:, :, None] * value).sum(dim=1), weights


@exercise.variant
def exponentials_below_the_maximum(query, key, value, temperature):
    scores = torch.einsum("qd,kd->qk", query, key)
    shares = ((scores - scores.amax(-1, keepdim=True)) / temperature).exp()
    weights = shares / shares.sum(-1, keepdim=True)
    return torch.einsum("qk,kv->qv", weights, value), weights


@exercise.variant
def logarithms_first(query, key, value, temperature):
    scores = query.matmul(key.mT).div(temperature)
    weights = torch.log_softmax(scores, dim=1).exp()
    return weights.matmul(value), weights


@exercise.variant
def in_float64_and_back(query, key, value, temperature):
    scores = (query.double() / temperature) @ key.double().t()
    weights = scores.softmax(-1)
    return [(weights @ value.double()).to(value.dtype), weights.to(value.dtype)]


@exercise.variant
def one_query_at_a_time(query, key, value, temperature):
    weights = [torch.nn.functional.softmax(key @ one / temperature, dim=0) for one in query]
    outputs = [(share[:, None] * value).sum(dim=0) for share in weights]
    return torch.stack(outputs), torch.stack(weights)
