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
    "`squeeze()` removes every axis of length 1, also that of a single query. The result is "
    "(queries, d_v)."
)
def squeezes_the_positions(query, key, value):
    return value[(query @ key.T).argmax(dim=-1).squeeze()]


@exercise.misconception(
    "The values are right, but an axis of length 1 is left. The result is (queries, d_v)."
)
def keeps_the_axis(query, key, value):
    return value[(query @ key.T).argmax(dim=-1, keepdim=True)]


@exercise.misconception(
    "Where no score is positive you return the first value. If you keep the best score so far: "
    "what does it start with, and is each score larger than that?"
)
def starts_at_zero(query, key, value):
    scores = query @ key.T
    return value[torch.where(scores > 0, scores, 0).argmax(dim=-1)]


@exercise.misconception(
    "A gradient reaches queries or keys, as in a softmax. A hard lookup passes none to them: a "
    "small change of a score leaves the choice as it is. Which part of your result depends on the "
    "scores themselves?"
)
def passes_the_gradient_of_a_softmax(query, key, value):
    scores = query @ key.T
    soft = scores.softmax(dim=-1)
    hard = F.one_hot(scores.argmax(dim=-1), key.size(0)).to(value.dtype)
    return (hard - soft.detach() + soft) @ value


@exercise.misconception(
    "The call raised KeyError. If you keep the values in a dictionary under tensors: a tensor is "
    "found there as the same object only, not by its numbers. What else tells where a value is?"
)
def has_tensors_as_dictionary_keys(query, key, value):
    stored = dict(zip(key, value, strict=True))
    return torch.stack([stored[key[(key @ one).argmax()]] for one in query])


@exercise.misconception(
    "Where the best key is there twice you return the value of the second. If you keep the values "
    "in a dictionary: what happens to an entry when its key comes again?"
)
def overwrites_the_value_of_an_equal_key(query, key, value):
    equal = (key[:, None] == key).all(dim=-1)  # (keys, keys)
    last = key.size(0) - 1 - equal.flip(1).int().argmax(dim=1)
    return value[last[(query @ key.T).argmax(dim=-1)]]


@exercise.misconception(
    "One number a query is left. `gather` returns the shape of its index, so an index of one "
    "column takes one feature; a whole row is asked for."
)
def gathers_one_feature(query, key, value):
    return value.gather(0, (query @ key.T).argmax(dim=-1, keepdim=True))


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
