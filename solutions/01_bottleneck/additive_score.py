"""Cases, oracle and known mistakes of `additive_score`."""

import torch

from autograder.author import Case, Exercise, Finite

exercise = Exercise(
    "additive_score",
    points=3,
    difficulty=3,
    minutes=20,
    returns=("the scores",),
    read="01_bottleneck.html#the-formula",
    properties=(Finite(),),
)


def draw(rng, batch, queries, keys, d_q, d_k, d_hidden, dtype=torch.float32):
    shapes = {
        "query": (batch, queries, d_q),
        "key": (batch, keys, d_k),
        "W_q": (d_hidden, d_q),
        "W_k": (d_hidden, d_k),
        "v": (d_hidden,),
    }
    return {name: rng.normal(*shape, dtype=dtype) for name, shape in shapes.items()}


def large(rng, part, matrix, size, *sizes, dtype=torch.float32):
    """Each unit is either 0 or beyond `size` before the other part is added, which is small.

    So its tanh is 1, or far from it, and sums are exact in every dtype and any order: rounding
    next to a zero of tanh would show.
    """
    inputs = {name: (entry * 4).round() / 4 for name, entry in draw(rng, *sizes).items()}
    inputs[part] = rng.integers(-2, 3, *inputs[part].shape) * size
    inputs[matrix] = rng.integers(-1, 2, *inputs[matrix].shape)
    inputs[matrix][0] = 0
    return {name: entry.to(dtype) for name, entry in inputs.items()}


def example():
    """That of the text."""
    inputs = {
        "query": [[[1]]], "key": [[[0, 2]]],
        "W_q": [[1], [0]], "W_k": [[1, 0], [0, 1]], "v": [3, -1],
    }  # fmt: skip
    return {name: torch.tensor(rows, dtype=torch.float64) for name, rows in inputs.items()}


@exercise.cases
def cases(rng):
    yield Case("every dimension different", draw(rng, 2, 3, 5, 4, 6, 7), gradient=True)
    yield Case("every axis the same", draw(rng, 4, 4, 4, 4, 4, 4))
    yield Case("the example above in float64", example())
    queries = large(rng, "query", "W_q", 1024, 2, 4, 3, 5, 2, 6)
    yield Case("large queries", queries, gradient=True)
    yield Case("half precision", draw(rng, 2, 5, 4, 3, 6, 8, torch.float16))


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(3, 6), rng.integer(6, 8), rng.integer(8, 12)
    yield Case("more of everything", draw(rng, batch, queries, keys, 5, 2, 9), gradient=True)
    yield Case("one key, one hidden unit", draw(rng, batch, queries, 1, 4, 5, 1), gradient=True)
    inputs = large(rng, "key", "W_k", -4096, batch, queries, keys, 4, 3, 6)
    yield Case("large keys", inputs, gradient=True)
    inputs = large(rng, "query", "W_q", 2048, 2, 3, keys, 4, 3, 6, dtype=torch.float16)
    yield Case("large queries in half precision", inputs)


exercise.promise(
    "of one floating dtype", "every dimension different", "half precision", "more of everything"
)
exercise.promise(
    "Entries of query and key", "large queries", "large keys", "large queries in half precision"
)
exercise.promise("The scores, before", "the example above in float64", "one key, one hidden unit")
exercise.promise("They and the gradients", "large queries", "large keys")


@exercise.oracle
def pair_by_pair(query, key, W_q, W_k, v):
    """The formula as it stands, for one query and one key at a time."""
    sequences = []
    for asked, offered in zip(query, key, strict=True):
        rows = [[v @ torch.tanh(W_q @ q + W_k @ k) for k in offered] for q in asked]
        sequences.append(torch.stack([torch.stack(row) for row in rows]))
    return torch.stack(sequences)


@exercise.base
def right(query, key, W_q, W_k, v):
    return torch.tanh((query @ W_q.T)[:, :, None] + (key @ W_k.T)[:, None]) @ v


@exercise.base
def with_hidden_units(query, key, W_q, W_k, v):
    hidden = (query @ W_q.T)[:, :, None] + (key @ W_k.T)[:, None]
    return torch.tanh(hidden) @ v


# fmt: off
right.mistake("forgets_the_tanh", {" torch.tanh": ""},
    "There is no tanh. Without it the score is a sum of two parts, one for the query and one for "
    "the key, and every query prefers the same keys.")
right.mistake("adds_after_the_tanh", {"torch.tanh(": "(torch.tanh", "(key": "torch.tanh(key"},
    "You take the tanh of the query and the key separately and add afterwards. In the formula "
    "they meet inside the tanh. Which operation comes first?")
right.mistake("tanh_of_the_score", {"tanh": "tanh(", "@ v": "@ v)"},
    "You take the tanh of the finished score. Where is the tanh in the formula, before or after v?")
right.mistake("multiplies", {"+ (key": "* (key"},
    "You multiply query and key. This score is called additive.")
right.mistake("forgets_v", {"@ v": ".sum(dim=-1)"},
    "You add up the hidden units as they are. What weights them in the formula?")
right.mistake("averages_the_hidden_units", {"torch": "(torch", "@ v": "* v).mean(dim=-1)"},
    "Each hidden unit is weighted, but then you average. A product with the vector v is a sum.")
right.mistake("scales", {"@ v": "@ v / v.size(0) ** 0.5"},
    "You divide by the root of the hidden width. Nothing in this formula is divided.")
right.mistake("returns_weights", {"torch": "(torch", "@ v": "@ v).softmax(dim=-1)"},
    "You return weights, after a softmax. The exercise asks for the scores that would go into a "
    "softmax.")
right.mistake("puts_the_keys_first", {", :, None": ", None", "[:, None]": "[:, :, None]"},
    "Your rows are keys. In this course rows are queries and columns are keys.")
right.mistake("forgets_to_transpose", {"W_q.T": "W_q", "W_k.T": "W_k"},
    "W_q has the shape (d_hidden, d_q), made for W_q q with q as a column. Your queries are rows. "
    "Which axis of W_q has to meet their features?")
right.mistake("adds_in_step",
    {"tanh((query @ W_q.T)[:, :, None] + (key @ W_k.T)[:, None])":
        "tanh(query @ W_q.T + key @ W_k.T)"},
    "You add query i to key i, which needs as many queries as keys. Every query meets every key. "
    "Look at the two shapes before the addition: which axis does each of them lack?")
right.mistake("adds_in_step_and_repeats",
    {"torch.tanh((query @ W_q.T)[:, :, None] + (key @ W_k.T)[:, None]) @ v":
        "(torch.tanh(query @ W_q.T + key @ W_k.T) @ v)[..., None].expand(-1, -1, key.size(1))"},
    "If the message mentions tensor sizes, note that an addition pairs query i with key i, and "
    "repeating the scores afterwards says nothing about other keys. Which new axes are needed "
    "before the addition?")
right.mistake("keeps_the_axis", {"@ v": "@ v[:, None]"},
    "The numbers are right, but an axis of length 1 is left over: the hidden units have been "
    "summed, so their axis should go too.")
right.mistake("squeezes_everything", {"torch": "(torch", "@ v": "@ v[:, None]).squeeze()"},
    "`squeeze()` removes every axis of length 1, including that of a single sequence or a single "
    "query. Name the axis to remove.")
with_hidden_units.mistake("overflows",
    {"return torch.tanh(hidden)":
        "up, down = hidden.exp(), (-hidden).exp()\n    return (up - down) / (up + down)"},
    "Your tanh is built from exponentials, which are infinite for large numbers. Which function "
    "of torch avoids them?")
with_hidden_units.mistake("overflows_in_the_gradient",
    {"torch.tanh(hidden)": "(1 - 2 / ((2 * hidden).exp() + 1))"},
    "The scores are right, but a gradient is NaN where inputs are large. If your tanh is built "
    "from exponentials, one of them is infinite there, and its derivative is 0 times infinity.")
right.mistake("weighs_before_the_tanh", {"tanh": "tanh(", "@ v": "* v).sum(dim=-1)"},
    "v is applied inside your tanh. In the formula it weights the output of the tanh. Which "
    "operation comes last?")
right.mistake("forgets_to_sum", {"@ v": "* v"},
    "The axis of the hidden units is still there: your result has four axes. A product with the "
    "vector v is a sum over them.")
# fmt: on


@exercise.variant
def summed_with_einsum(query, key, W_q, W_k, v):
    asked = torch.einsum("bqi,hi->bqh", query, W_q).unsqueeze(2)
    offered = torch.einsum("bki,hi->bkh", key, W_k).unsqueeze(1)
    return torch.einsum("bqkh,h->bqk", (asked + offered).tanh(), v)


@exercise.variant
def as_linear_layers(query, key, W_q, W_k, v):
    asked = torch.nn.functional.linear(query, W_q)[:, :, None, :]
    offered = torch.nn.functional.linear(key, W_k)[:, None, :, :]
    return torch.nn.functional.linear(torch.tanh(asked + offered), v[None]).squeeze(-1)


@exercise.variant
def concatenated_pairs(query, key, W_q, W_k, v):
    queries, keys = query.size(1), key.size(1)
    left = query[:, :, None].expand(-1, -1, keys, -1)
    right = key[:, None].expand(-1, queries, -1, -1)
    pairs = torch.cat([left, right], dim=-1) @ torch.cat([W_q, W_k], dim=1).T
    return (torch.tanh(pairs) * v).sum(-1)


@exercise.variant
def query_after_query(query, key, W_q, W_k, v):
    offered = key @ W_k.mT
    columns = [torch.tanh((one @ W_q.mT)[:, None] + offered) @ v for one in query.unbind(1)]
    return torch.stack(columns, dim=1)
