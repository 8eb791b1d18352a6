"""Cases, oracle and variants of `top_blocks`.

Keys are whole numbers whose means in a block are whole, too: every way to compute a score is exact.
"""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, UNTRIED, Case, Exercise

exercise = Exercise(
    "top_blocks",
    points=4,
    difficulty=4,
    minutes=30,
    returns=("the mask",),
    read="13_fixed_state.html#chosen-blocks",
)


def keys_of(rng, means, length, block, spread):
    """Keys with these means, one row for each block, around which they vary by up to `spread`."""
    *leading, blocks, d_k = means.shape
    around = rng.integers(-spread, spread + 1, *leading, blocks, block, d_k)
    around[..., -1, :] -= around.sum(dim=-2)
    return (means[..., None, :] + around).flatten(-3, -2)[..., :length, :]


def have_ties(query, means):
    """Whether two blocks have equal scores: a truth value for each query."""
    scores = (query @ means.mT).sort(dim=-1).values
    return (scores.diff(dim=-1) == 0).any(dim=-1)


def draw(rng, leading, length, d_k, block, count, dtype=torch.float32, reach=9, spread=4):
    """No query has two blocks with the same score. reach: of the means and of the queries."""
    blocks = -(-length // block)
    means = rng.integers(-reach, reach + 1, *leading, blocks, d_k)
    query = rng.integers(-reach, reach + 1, *leading, length, d_k)
    for _ in range(200):
        tied = have_ties(query, means)
        if not tied.any():
            break
        again = rng.integers(-reach, reach + 1, *leading, length, d_k)
        query = torch.where(tied[..., None], again, query)
    else:  # two blocks are nearly alike: others in their place
        return draw(rng, leading, length, d_k, block, count, dtype, reach, spread)
    key = keys_of(rng, means, length, block, spread)
    return {
        "query": (query.double() / 8).to(dtype),
        "key": (key.double() / 4).to(dtype),
        "block": block,
        "count": count,
    }


def alike(rng, leading, length, d_k, block, count, dtype=torch.float32):
    """Each block has one of two mean keys, so many scores of a query are equal."""
    blocks = -(-length // block)
    two = rng.integers(1, 4, *leading, 1, d_k) * torch.tensor([[1], [-1]])
    which = rng.integers(0, 2, blocks)
    which[:4] = torch.tensor([0, 1, 1, 0])
    means = two[..., which, :]
    query = rng.integers(1, 5, *leading, length, d_k) * (2 * rng.integers(0, 2, length, 1) - 1)
    key = keys_of(rng, means, length, block, 3)
    sizes = {"block": block, "count": count}
    return {"query": query.to(dtype), "key": key.to(dtype), **sizes}


def zeros(inputs):
    """Queries of zeros: all scores are equal."""
    return inputs | {"query": torch.zeros_like(inputs["query"])}


def large(inputs):
    """Scores far from 0, positive and negative ones."""
    return inputs | {name: 2.0**40 * inputs[name] for name in ("query", "key")}


def example():
    query = torch.tensor([[1.0], [1], [1], [1], [1], [-1]])
    key = torch.tensor([[3.0], [1], [0], [2], [5], [5]])
    return {"query": query, "key": key, "block": 2, "count": 2}


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("a short block at the end", draw(rng, (2, 3), 20, 4, 3, 3))
    yield Case("blocks that fit", draw(rng, (3, 2), 20, 3, 4, 2))
    yield Case("the own block alone", draw(rng, (2, 2), 11, 4, 3, 1))
    yield Case("more than there are", draw(rng, (2, 1), 13, 5, 3, 7))
    yield Case("queries of zeros", zeros(draw(rng, (2, 3), 22, 4, 3, 3)))
    yield Case("many blocks and queries of zeros", zeros(draw(rng, (), 45, 6, 2, 5)))
    yield Case("equal scores", alike(rng, (2, 2), 23, 3, 4, 3))
    yield Case("large scores", large(draw(rng, (2, 2), 19, 4, 3, 3)))
    yield Case("half precision", draw(rng, (2,), 17, 3, 2, 4, torch.float16, reach=6))


@exercise.secret_cases
def secret_cases(rng):
    length, block = rng.integer(24, 31), rng.integer(3, 6)
    yield Case("other sizes", draw(rng, (3, 2), length, 6, block, 3))
    yield Case("one sequence", draw(rng, (), length, 5, block, 4))
    yield Case("three leading axes", draw(rng, (2, 1, 3), 19, 4, 5, 2))
    yield Case("blocks of one token", draw(rng, (2, 3), 9, 4, 1, 3))
    yield Case("a block longer than the text", draw(rng, (2, 2), 5, 3, 8, 2))
    yield Case("one token", draw(rng, (2, 3), 1, 4, 2, 1))
    yield Case("as many as there are", draw(rng, (2,), 14, 3, 4, 4))
    yield Case("as many of everything", draw(rng, (4, 4), 4, 4, 4, 4))
    yield Case("float64", draw(rng, (2, 2), 18, 4, 4, 3, torch.float64))
    yield Case("bfloat16", draw(rng, (2,), 15, 3, 2, 3, torch.bfloat16, reach=5, spread=2))
    yield Case("equal scores in float64", alike(rng, (3,), 26, 4, 3, 4, torch.float64))


exercise.promise(
    "of one sequence", "one sequence", "three leading axes", "a short block at the end"
)
exercise.promise("of one floating dtype", "half precision", "bfloat16", "float64")
exercise.promise("Scores may be of any finite size.", "large scores", "a short block at the end")
exercise.promise("The two are not changed.", EVERY)
exercise.promise(
    "tokens in a block, at least", "blocks of one token", "a block longer than the text"
)
exercise.promise("The last block may be shorter.", "a short block at the end", "one sequence")
exercise.promise("blocks a query may attend to", "the own block alone", "as many as there are")
exercise.promise("It may be more than there are.", "more than there are")
exercise.promise("Two scores are equal in the dtype", "equal scores", "queries of zeros")
exercise.promise("or they are so far apart that", UNTRIED)
exercise.promise("boolean, True where the query", EVERY)
exercise.promise("Each sequence and head chooses", "a short block at the end", "three leading axes")


@exercise.oracle
def query_by_query(query, key, block, count):
    """In plain Python, with the dot products of a query and all keys of a block."""
    *leading, length, _ = query.shape
    pairs = zip(query.reshape(-1, *query.shape[-2:]), key.reshape(-1, *key.shape[-2:]), strict=True)
    masks = []
    for rows, columns in pairs:
        products = (rows @ columns.mT).tolist()
        mask = torch.zeros(length, length, dtype=torch.bool)
        for i, scores in enumerate(products):
            own = i // block
            means = [math.fsum(scores[b * block : (b + 1) * block]) / block for b in range(own)]
            best = sorted(range(own), key=lambda b: (-means[b], b))[: count - 1]
            for j in range(i + 1):
                mask[i, j] = j // block in (*best, own)
        masks.append(mask)
    return torch.stack(masks).reshape(*leading, length, length)


@exercise.variant
def with_the_place_of_each_block(query, key, block, count):
    length = key.shape[-2]
    blocks = math.ceil(length / block)
    padded = F.pad(key, (0, 0, 0, blocks * block - length))
    means = padded.reshape(*key.shape[:-2], blocks, block, key.shape[-1]).mean(-2)
    own = torch.arange(length, device=key.device)[:, None] // block
    place = torch.arange(blocks, device=key.device)
    scores = torch.matmul(query, means.transpose(-2, -1))
    scores = torch.where(place > own, -torch.inf, torch.where(place == own, torch.inf, scores))
    ranks = torch.sort(scores, dim=-1, descending=True, stable=True).indices.argsort(dim=-1)
    mask = (ranks < count).repeat_interleave(block, dim=-1)[..., :length]
    return mask.tril()


@exercise.variant
def complete_blocks_alone(query, key, block, count):
    """The shorter block has no mean. Earlier blocks by `scatter`, then the own one."""
    length = key.size(-2)
    whole = length // block
    at = torch.arange(length, device=key.device)
    own = (at[:, None] // block) == (at // block)
    chosen = torch.zeros(*query.shape[:-1], length, dtype=torch.bool, device=key.device)
    if whole and count > 1:
        means = key[..., : whole * block, :].unflatten(-2, (whole, block)).sum(-2) / block
        scores = torch.einsum("...qd,...bd->...qb", query, means) / math.sqrt(query.size(-1))
        earlier = torch.arange(whole, device=key.device) < at[:, None] // block
        scores = scores.masked_fill(~earlier, -math.inf)
        order = scores.argsort(dim=-1, descending=True, stable=True)[..., : count - 1]
        picked = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, order, True) & earlier
        chosen[..., : whole * block] = picked.repeat_interleave(block, dim=-1)
    return (chosen | own) & (at[:, None] >= at)


@exercise.variant
def by_counting_better_blocks(query, key, block, count):
    """A block is chosen if fewer than count - 1 earlier blocks are better, or equal before it."""
    length = query.shape[-2]
    at = torch.arange(length, device=query.device)
    names = at // block
    totals = torch.zeros(*key.shape[:-2], int(names[-1]) + 1, key.shape[-1]).to(key)
    totals.index_add_(-2, names, key)
    scores = query @ totals.mT
    places = torch.arange(scores.shape[-1], device=query.device)
    earlier = places < names[:, None]
    one, other = scores[..., :, None], scores[..., None, :]
    before = (other > one) | ((other == one) & (places < places[:, None]))
    better = (before & earlier[:, None, :]).sum(-1)
    chosen = (better < count - 1) & earlier | (places == names[:, None])
    return chosen[..., names] & (at <= at[:, None])


@exercise.variant
def one_query_at_a_time(query, key, block, count):
    length = query.size(-2)
    mask = query.new_zeros(*query.shape[:-1], length, dtype=torch.bool)
    for i in range(length):
        start = i - i % block
        mask[..., i, start : i + 1] = True
        means = [key[..., s : s + block, :].mean(-2) for s in range(0, start, block)]
        left = [(query[..., i, :] * mean).sum(-1) for mean in means]
        for _ in range(min(count - 1, len(left))):
            best = torch.stack(left, -1).argmax(-1)
            for b, score in enumerate(left):
                taken = best == b
                mask[..., i, b * block : (b + 1) * block] |= taken[..., None]
                left[b] = score.masked_fill(taken, -torch.inf)
    return mask
