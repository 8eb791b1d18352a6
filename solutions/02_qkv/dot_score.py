"""Cases, oracle and known mistakes of `dot_score`."""

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise

exercise = Exercise(
    "dot_score",
    points=1,
    difficulty=1,
    minutes=8,
    returns=("scores",),
    read="02_qkv.html#score-functions",
)


def draw(rng, batch, queries, keys, d_k, dtype=torch.float32):
    shapes = {"query": (queries, d_k), "key": (keys, d_k)}
    return {name: rng.normal(batch, *shape, dtype=dtype) for name, shape in shapes.items()}


def scaled(inputs, query, key):
    """Scaled so that the products fit the dtype, though the squares may not."""
    return {"query": inputs["query"] * query, "key": inputs["key"] * key}


def of_the_text():
    query = torch.tensor([[[1.0, 0], [0, 2]]])
    return {"query": query, "key": torch.tensor([[[3.0, 1], [0, 1], [-1, 4]]])}


@exercise.cases
def cases(rng):
    yield Case("fewer queries than keys", draw(rng, 2, 3, 5, 7), gradient=True)
    large = scaled(draw(rng, 3, 2, 4, 4), 2.0**50, 2.0**55)
    yield Case("as many keys as features, large numbers", large, gradient=True)
    yield Case("one query", draw(rng, 2, 1, 6, 3))
    yield Case("half precision", draw(rng, 2, 4, 3, 5, torch.float16), gradient=True)
    yield Case("the example of the text", of_the_text())


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(2, 5), rng.integer(3, 6), rng.integer(7, 10)
    inputs = draw(rng, batch, keys, queries, 32, torch.float64)
    yield Case("float64, more queries than keys", inputs, gradient=True)
    yield Case("as many queries as keys", draw(rng, batch, keys, keys, 5), gradient=True)
    sizes = queries, queries, queries, queries
    yield Case("all sizes the same", scaled(draw(rng, *sizes), 2.0**40, 2.0**-40))
    yield Case("one sequence, one feature", draw(rng, 1, queries, keys, 1))
    yield Case("one query and one key", draw(rng, batch, 1, 1, 6), gradient=True)
    yield Case("bfloat16", draw(rng, batch, queries, keys, 4, torch.bfloat16), gradient=True)


exercise.promise(
    "of one floating dtype", "half precision", "bfloat16", "float64, more queries than keys"
)
exercise.promise("They are not changed.", EVERY)
exercise.promise("All products and sums", UNTRIED)
exercise.promise("Scores in the dtype", EVERY)
exercise.promise("Gradients reach both inputs.", "fewer queries than keys", "one query and one key")


@exercise.oracle
def pair_by_pair(query, key):
    """One product per feature, added up feature by feature."""
    products = [query[:, :, None, d] * key[:, None, :, d] for d in range(query.size(-1))]
    return torch.stack(products).sum(dim=0)


@exercise.base
def right(query, key):
    return query @ key.mT


# fmt: off
right.mistake("scales_already", {"mT": "mT / query.size(-1) ** 0.5"},
    "You divide by the square root of d_k. That comes later, with attention itself. This exercise "
    "asks for the plain dot products.")
right.mistake("rows_are_keys", {"query @ key": "key @ query"},
    "Your rows are keys and your columns are queries. Which of the two asks, and so should have a "
    "row?")
right.mistake("reshapes_the_keys", {"mT": "reshape(key.size(0), key.size(2), key.size(1))"},
    "The shape is right, but `reshape` and `view` only cut the same numbers into other rows, so a "
    "column of the result is not a key. Which operation swaps two axes?")
right.mistake("transposes_all_axes", {"mT": "permute(*range(key.dim() - 1, -1, -1))"},
    "`key.T` reverses the order of all axes, including the batch. Which two axes does a matrix "
    "product need to be swapped?")
right.mistake("forgets_to_transpose", {"key.mT": "key"},
    "Two axes meet that do not fit. `query @ key`, for example, sums over the number of keys. "
    "Which axis do query and key share, and where does it have to be in each?")
right.mistake("pairs_by_position", {"query @ key.mT": "(query * key).sum(dim=-1)"},
    "An entry-by-entry product pairs query i with key i only, and fails where their numbers "
    "differ. Every query is compared with every key. Which two axes does that need?")
right.mistake("adds_one_axis_only", {"query @ key.mT": "(query[:, :, None] * key).sum(dim=-1)"},
    "Axes are aligned from the end. If you add an axis to the query only, the axis of the queries "
    "meets the batch of the keys. Which of the two needs a new axis, and where?")
right.mistake("takes_the_cosine",
    {"return": "query, key = (x / x.norm(dim=-1, keepdim=True) for x in (query, key))\n    return"},
    "You divide by the lengths of the vectors, which gives the cosine. In a dot product a long "
    "key scores higher. Here its length no longer counts.")
right.mistake("returns_weights", {"query @ key.mT": "(query @ key.mT).softmax(dim=-1)"},
    "You return weights: your rows sum to 1. The exercise asks for the scores, which go into a "
    "softmax later.")
right.mistake("adds_up_the_batch", {"query @ key.mT": 'torch.einsum("bqd,bkd->qk", query, key)'},
    "The sequences of the batch are added up. Each sequence has its own scores. How many axes "
    "should they have?")
right.mistake("adds_up_the_keys_of_all_sequences",
    {"query @ key.mT": 'torch.einsum("bqd,ckd->bqk", query, key)'},
    "The keys of all sequences are added up. In your einsum, the batch of the keys has its own "
    "letter. Which letter would say that a query meets the keys of its own sequence?")
right.mistake("adds_up_the_features_apart",
    {"query @ key.mT": 'torch.einsum("bqd,bke->bqk", query, key)'},
    "Each of your scores is the sum of the query times the sum of the key. In your einsum, the "
    "features of the two have different letters. Which letter should they share?")
right.mistake("clamps_the_scores", {"query @ key.mT": "(query @ key.mT).clamp(-1e4, 1e4)"},
    "Large scores come out far too small. If you clamp the scores between two bounds, note that a "
    "score may be as large as its dtype allows.")


@exercise.misconception(
    "The numbers are right, but you put them into a float32 tensor of your own. Which dtype, and "
    "which device, do the inputs have?"
)
def fills_a_float32_table(query, key):
    scores = torch.zeros(query.size(0), query.size(1), key.size(1))
    for i in range(query.size(1)):
        for j in range(key.size(1)):
            scores[:, i, j] = (query[:, i] * key[:, j]).sum(-1)
    return scores


right.mistake("leaves_the_graph", {"query @ key.mT": "(query @ key.mT).detach()"},
    "The numbers are right, but they are cut off from the graph: no gradient reaches query or "
    "key. What do `detach`, `item`, `torch.tensor` and `no_grad` do?")
# fmt: on


@exercise.variant
def by_einsum(query, key):
    return torch.einsum("bqd,bkd->bqk", query, key)


@exercise.variant
def broadcasts_and_sums(query, key):
    return (query.unsqueeze(2) * key.unsqueeze(1)).sum(-1)


@exercise.variant
def sequence_by_sequence(query, key):
    return torch.stack([torch.mm(q, k.T) for q, k in zip(query, key, strict=True)])


@exercise.variant
def pair_after_pair(query, key):
    rows = [
        torch.stack([torch.linalg.vecdot(query[:, i], key[:, j]) for j in range(key.size(1))], -1)
        for i in range(query.size(1))
    ]
    return torch.stack(rows, dim=1)


@exercise.variant
def in_float64(query, key):
    return torch.bmm(query.double(), key.double().permute(0, 2, 1)).to(query.dtype)
