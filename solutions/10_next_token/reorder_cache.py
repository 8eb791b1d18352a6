"""Cases, oracle and variants of `reorder_cache`."""

import torch

from autograder.author import EVERY, Case, Exercise, Specimen

exercise = Exercise(
    "reorder_cache",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("the cache",),
    read="10_next_token.html#beams",
)


def draw(rng, layers, beams, sizes, dtype=torch.float32):
    """beams: [batch, beams]. sizes: heads, length, d_k, d_v."""
    heads, length, d_k, d_v = sizes
    cache = [
        [rng.normal(beams.numel(), heads, length, width, dtype=dtype) for width in (d_k, d_v)]
        for _ in range(layers)
    ]
    return {"cache": cache, "beams": beams}


def example():
    key = torch.tensor([0.0, 1, 2, 3, 4, 5]).view(6, 1, 1, 1)
    return {"cache": [[key, 10 * key]], "beams": torch.tensor([[1, 1, 0], [2, 0, 1]])}


# The lists of the old layers are emptied. The new cache has lists of its own.
THEN_EMPTY = Specimen("""
def then_empty(reorder_cache, cache, beams):
    old = [list(layer) for layer in cache]
    new = reorder_cache(old, beams)
    for layer in old:
        layer.clear()
    return new
""")


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("one sentence", draw(rng, 2, torch.tensor([[2, 0, 0, 1]]), (3, 5, 2, 6)))
    yield Case("several sentences", draw(rng, 3, rng.integers(0, 4, 3, 4), (2, 5, 6, 7)))
    yield Case("a cycle", draw(rng, 2, torch.tensor([[1, 2, 0], [2, 0, 1]]), (2, 4, 3, 5)))
    yield Case("half precision", draw(rng, 1, rng.integers(0, 3, 2, 3), (2, 4, 5, 1),
                                      torch.float16))  # fmt: skip


@exercise.secret_cases
def secret_cases(rng):
    batch, width = rng.integer(2, 5), rng.integer(3, 6)
    beams = rng.integers(0, width, batch, width)
    yield Case("other beams", draw(rng, 4, beams, (3, 6, 2, 5)))
    alone = torch.zeros(4, 1, dtype=torch.long)
    yield Case("one beam, so nothing moves", draw(rng, 2, alone, (2, 3, 4, 5)), through=THEN_EMPTY)
    yield Case("all from one", draw(rng, 2, torch.full((3, 4), 3), (2, 5, 3, 6)))
    yield Case("as many of everything", draw(rng, 2, rng.integers(0, 4, 1, 4), (4, 4, 4, 4)))
    yield Case("float64", draw(rng, 2, rng.integers(0, 3, 2, 3), (1, 2, 5, 3), torch.float64))
    yield Case("bfloat16", draw(rng, 2, rng.integers(0, 2, 5, 2), (2, 3, 4, 6), torch.bfloat16))
    yield Case("nothing written yet", draw(rng, 2, rng.integers(0, 3, 2, 3), (2, 0, 4, 5)))


exercise.promise(
    "for each layer, a list", "half precision", "float64", "bfloat16", "several sentences"
)
exercise.promise("They have batch * beams", "several sentences", "a cycle")
exercise.promise("The length may be 0", "nothing written yet", "several sentences")
exercise.promise("for each sentence and each new", "several sentences", "all from one")
exercise.promise("There are as many new", "several sentences", "one sentence")
exercise.promise("Neither argument is changed.", EVERY)
exercise.promise(
    "a new list of the same kind", "several sentences", "one sentence", "one beam, so nothing moves"
)
exercise.promise("Tuples are accepted.", EVERY)


@exercise.oracle
def row_by_row(cache, beams):
    width = beams.size(1)
    rows = [s * width + int(old) for s, row in enumerate(beams) for old in row]
    return [[torch.stack([x[r] for r in rows]) for x in layer] for layer in cache]


@exercise.variant
def by_index_select(cache, beams):
    batch, width = beams.shape
    start = torch.arange(batch, device=beams.device) * width
    rows = (beams + start[:, None]).flatten()
    return [[key.index_select(0, rows), value.index_select(0, rows)] for key, value in cache]


@exercise.variant
def with_an_axis_for_the_batch(cache, beams):
    sentence = torch.arange(beams.size(0), device=beams.device)[:, None]

    def pick(x):
        return x.unflatten(0, tuple(beams.shape))[sentence, beams].flatten(0, 1)

    return [[pick(x) for x in pair] for pair in cache]


@exercise.variant
def by_gather(cache, beams):
    result = []
    for key, value in cache:
        pair = []
        for x in (key, value):
            split = x.reshape(*beams.shape, *x.shape[1:])
            index = beams[:, :, None, None, None].expand(-1, -1, *x.shape[1:])
            pair.append(split.gather(1, index).reshape(x.shape))
        result.append(tuple(pair))
    return tuple(result)
