"""Cases, oracle and known mistakes of `general_score`."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from autograder.author import EVERY, UNTRIED, Case, Exercise

exercise = Exercise(
    "general_score",
    points=2,
    difficulty=2,
    minutes=12,
    returns=("scores",),
    read="02_qkv.html#score-functions",
    builds_on=("dot_score",),
)

# An earlier exercise: the notebook has it.
dot_score: Callable[..., Any]


def draw(rng, batch, queries, keys, d_q, d_k, dtype=torch.float32):
    shapes = {"query": (batch, queries, d_q), "key": (batch, keys, d_k), "W": (d_q, d_k)}
    return {name: rng.normal(*shape, dtype=dtype) for name, shape in shapes.items()}


def of_the_text():
    W = torch.tensor([[1.0, 0, 0], [0, 0, 1]])
    return {"query": torch.tensor([[[1.0, 2]]]), "key": torch.tensor([[[3.0, 4, 5]]]), "W": W}


@exercise.cases
def cases(rng):
    yield Case("queries and keys of one width", draw(rng, 2, 3, 5, 6, 6), gradient=True)
    yield Case("queries wider than keys", draw(rng, 2, 4, 3, 6, 5), gradient=True)
    yield Case("keys wider than queries", draw(rng, 3, 2, 4, 3, 7), gradient=True)
    yield Case("half precision", draw(rng, 2, 3, 4, 5, 2, torch.float16), gradient=True)
    yield Case("the example of the text", of_the_text())


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(2, 5), rng.integer(3, 6), rng.integer(7, 10)
    inputs = draw(rng, batch, queries, keys, 16, 12, torch.float64)
    inputs["query"] *= 2000  # a score has no bound
    yield Case("float64, wider", inputs, gradient=True)
    yield Case("as many queries as keys", draw(rng, batch, keys, keys, 4, 6), gradient=True)
    yield Case("all sizes the same", draw(rng, queries, queries, queries, queries, queries))
    yield Case("one query, one sequence", draw(rng, 1, 1, keys, 3, 4))
    yield Case("queries of width 1, one key", draw(rng, batch, queries, 1, 1, 4), gradient=True)
    yield Case("bfloat16", draw(rng, batch, queries, keys, 3, 5, torch.bfloat16))


exercise.promise(
    "of one floating dtype", "bfloat16", "float64, wider", "queries and keys of one width"
)
exercise.promise("Nothing is changed.", EVERY)
exercise.promise("All products and sums", UNTRIED)
exercise.promise("Scores in the dtype", EVERY)
exercise.promise("Gradients reach all three inputs.", "queries wider than keys", "half precision")


@exercise.oracle
def entry_by_entry(query, key, W):
    """The double sum over the entries of W, one after the other."""
    rows, columns = W.shape
    terms = [
        query[:, :, None, i] * W[i, j] * key[:, None, :, j]
        for i in range(rows)
        for j in range(columns)
    ]
    return torch.stack(terms).sum(dim=0)


@exercise.base
def right(query, key, W):
    return query @ W @ key.mT


# fmt: off
right.mistake("transposes_the_matrix", {"@ key": ".T @ key"},
    "You multiply by the transpose of W. Rows of W belong to the query and columns to the key. "
    "Note that F.linear and nn.Linear multiply by the transpose of their weight.")
right.mistake("ignores_the_matrix", {"W @ key": "key"},
    "Your scores do not depend on W, so they equal those of dot_score. What comes between query "
    "and key?")
right.mistake("projects_both_sides", {"@ key": "@ (key @ W)"},
    "You apply W on both sides. It occurs once, between query and key, and turns the width of one "
    "into the width of the other.")
right.mistake("transposes_a_square_matrix",
    {"W @ key": "(W.T if W.size(0) == W.size(1) else W) @ key"},
    "Where queries and keys have the same width, you multiply by the transpose of W. Its rows "
    "belong to the query, even where the shapes do not show it.")
right.mistake("ignores_a_square_matrix",
    {"W @ key": "key.mT if W.size(0) == W.size(1) else query @ W @ key"},
    "Where queries and keys have the same width, your scores do not depend on W. It belongs "
    "between them whatever their widths are.")
right.mistake("projects_both_sides_by_a_square",
    {"@ key": "@ (key @ W if W.size(0) == W.size(1) else key)"},
    "Where queries and keys have the same width, you apply W on both sides. It occurs once, "
    "between query and key.")
right.mistake("scales_the_scores", {"mT": "mT / key.size(-1) ** 0.5"},
    "You divide by the square root of a width. Luong's general score is not scaled: W could learn "
    "such a factor.")
right.mistake("squashes_by_tanh", {"query @ W": "torch.tanh(query @ W)"},
    "A tanh belongs to the additive score of the previous chapter. This score is linear in the "
    "query and in the key.")
right.mistake("rows_are_keys", {"query @ W @ key": "key @ (query @ W)"},
    "Your rows are keys and your columns are queries. Which of the two has a row?")
right.mistake("reshapes_the_keys", {"mT": "reshape(key.size(0), key.size(2), key.size(1))"},
    "The shape is right, but `reshape` and `view` only cut the same numbers into other rows. Which "
    "operation swaps the last two axes of the keys?")
right.mistake("returns_weights", {"query @ W @ key.mT": "(query @ W @ key.mT).softmax(dim=-1)"},
    "You return weights: your rows sum to 1. The exercise asks for the scores, before any softmax.")
right.mistake("adds_up_the_batch",
    {"query @ W @ key.mT": 'torch.einsum("bqi,ij,bkj->qk", query, W, key)'},
    "The sequences of the batch are added up. Each has its own scores.")
right.mistake("adds_up_the_keys_of_all_sequences",
    {"query @ W @ key.mT": 'torch.einsum("bqi,ij,ckj->bqk", query, W, key)'},
    "The keys of all sequences are added up. In your einsum, the batch of the keys has its own "
    "letter. Which letter would say that a query meets the keys of its own sequence?")
right.mistake("makes_the_matrix_symmetric",
    {"W @ key": "((W + W.T) / 2 if W.size(0) == W.size(1) else W) @ key"},
    "Where W is square you make it symmetric. W[0, 1] connects the first entry of the query with "
    "the second entry of the key, and W[1, 0] the second with the first. The two may differ.")
right.mistake("detaches_the_matrix", {"@ key": ".detach() @ key"},
    "The numbers are right, but W receives no gradient, so it could never be learned. What do "
    "`detach`, `.data` and `torch.tensor` do to the graph?")
# fmt: on


@exercise.variant
def by_einsum(query, key, W):
    return torch.einsum("bqi,ij,bkj->bqk", query, W, key)


@exercise.variant
def moves_the_key(query, key, W):
    return torch.bmm(query, F.linear(key, W).transpose(1, 2))


@exercise.variant
def through_dot_score(query, key, W):
    return dot_score(query, F.linear(key, W))


@exercise.variant
def bilinear(query, key, W):
    batch, queries, keys = query.size(0), query.size(1), key.size(1)
    left = query[:, :, None].expand(batch, queries, keys, -1)
    right = key[:, None].expand(batch, queries, keys, -1)
    return F.bilinear(left, right, W[None]).squeeze(-1)


@exercise.variant
def pair_after_pair(query, key, W):
    rows = []
    for q, k in zip(query, key, strict=True):
        rows.append(torch.stack([torch.stack([a @ W @ b for b in k]) for a in q]))
    return torch.stack(rows)


@exercise.variant
def key_by_key_in_float64(query, key, W):
    moved = torch.tensordot(query.double(), W.double(), dims=1)
    columns = [(moved * key[:, j, None].double()).sum(-1) for j in range(key.size(1))]
    return torch.stack(columns, dim=-1).to(query.dtype)
