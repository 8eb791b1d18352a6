"""Cases, oracle and variants of `rope_with_cache`."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Group

from .rotate import a_matrix_for_each_position

exercise = Exercise(
    "rope_with_cache",
    points=6,
    difficulty=5,
    minutes=45,
    returns=("the rotated queries", "the cache", "the mask"),
    read="08_positions.html#positions-with-a-cache",
    builds_on=("rotate",),
    groups=(Group("half precision", 1, cases=("half precision", "bfloat16")),),
)

# The earlier exercise: the notebook has it.
rotate: Callable[..., Any]


def drawn(rng, shape, start, room, dtype=torch.float32):
    """shape: batch, heads, new, d_k. start: of each row."""
    batch, heads, _, d_k = shape
    return {
        "query": rng.normal(*shape, dtype=dtype),
        "key": rng.normal(*shape, dtype=dtype),
        "cache": rng.normal(batch, heads, room, d_k, dtype=dtype),
        "start": torch.as_tensor(start),
    }


@exercise.cases
def cases(rng):
    yield Case("the example of the text", drawn(rng, (2, 2, 2, 4), [2, 0], 5))
    yield Case("one row, one head", drawn(rng, (1, 1, 3, 6), [4], 9))
    yield Case("all rows start alike", drawn(rng, (2, 3, 1, 8), [5, 5], 7))
    yield Case("each row starts elsewhere", drawn(rng, (3, 2, 4, 6), [3, 7, 0], 12))
    yield Case("one new token", drawn(rng, (4, 3, 1, 8), [2, 9, 5, 0], 10))
    yield Case("a whole text in an empty cache", drawn(rng, (2, 3, 5, 4), [0, 0], 5))
    # bfloat16 has no 257, and float16 no 2051
    yield Case("bfloat16", drawn(rng, (1, 2, 1, 2), [257], 259, torch.bfloat16))


@exercise.secret_cases
def secret_cases(rng):
    new = rng.integer(3, 6)
    start = rng.integers(1, 20, 5)
    yield Case("more rows", drawn(rng, (5, 2, new, 8), start, 26))
    yield Case("as many of everything", drawn(rng, (4, 4, 4, 4), rng.integers(0, 5, 4), 8))
    yield Case("the second row first", drawn(rng, (2, 3, 2, 6), [rng.integer(6, 9), 1], 13))
    yield Case("up to the last column", drawn(rng, (3, 2, 2, 2), [6, 2, 5], 8))
    half = drawn(rng, (2, 2, 1, 4), [2051, rng.integer(4, 9)], 2053, torch.float16)
    yield Case("half precision", half)
    near = drawn(rng, (2, 2, 2, 4), [3, 1], 6, torch.float64)
    yield Case("float64", near, terms=8192)
    yield Case("far in a long text", drawn(rng, (2, 2, 2, 4), [1100, 700], 1102))


exercise.promise("of the new piece, not rotated", "one new token", "each row starts elsewhere")
exercise.promise("in row b the columns", "each row starts elsewhere", "more rows")
exercise.promise("The columns after them", "each row starts elsewhere", "up to the last column")
exercise.promise(
    "int64, how many positions", "a whole text in an empty cache", "far in a long text"
)
exercise.promise(
    "There is room for the piece", "up to the last column", "a whole text in an empty cache"
)
exercise.promise(
    "The rows may differ.", "each row starts elsewhere", "half precision", "bfloat16", "float64"
)
exercise.promise("No input is changed.", EVERY)
exercise.promise("the rotated queries", EVERY)
exercise.promise(
    "The first two are in the dtype", "half precision", "bfloat16", "float64", "far in a long text"
)
exercise.promise("They need not carry", UNTRIED)


@exercise.oracle
def token_by_token(query, key, cache, start):
    room, queries, cache = cache.size(2), torch.empty_like(query), cache.clone()
    mask = torch.zeros(len(query), 1, query.size(2), room, dtype=torch.bool)
    for row, first in enumerate(start.tolist()):
        for token in range(query.size(2)):
            position = torch.tensor([first + token])
            for head in range(query.size(1)):
                place = row, head, slice(token, token + 1)
                queries[place] = a_matrix_for_each_position(query[place], position, 1e4)
                turned = a_matrix_for_each_position(key[place], position, 1e4)
                cache[row, head, first + token] = turned[0]
            for column in range(room):
                mask[row, 0, token, column] = column <= first + token
    return queries, cache, mask


@exercise.variant
def row_after_row_with_rotate(query, key, cache, start):
    queries, caches, masks = [], [], []
    new, room = query.size(2), cache.size(2)
    for b in range(len(start)):
        s = int(start[b])
        t = torch.arange(s, s + new, device=query.device)
        queries.append(rotate(query[b], t, 10000.0))
        turned = rotate(key[b], t, 10000.0)
        caches.append(torch.cat([cache[b, :, :s], turned, cache[b, :, s + new :]], dim=1))
        masks.append(torch.ones(new, room, dtype=torch.bool, device=query.device).tril(s))
    return torch.stack(queries), torch.stack(caches), torch.stack(masks).unsqueeze(1)


@exercise.variant
def written_by_index(query, key, cache, start):
    n = query.shape[2]
    where = start.unsqueeze(1) + torch.arange(n, device=start.device).unsqueeze(0)
    both = torch.cat([query, key], dim=1)  # twice as many heads
    both = rotate(both, where.unsqueeze(1), 10000)
    q, k = both.split(query.shape[1], dim=1)
    filled = cache.clone()
    rows = torch.arange(len(start), device=start.device).unsqueeze(1)
    filled[rows, :, where] = k.transpose(1, 2)
    allowed = torch.arange(cache.shape[2], device=start.device) <= where.unsqueeze(-1)
    return q, filled, allowed.unsqueeze(1)


@exercise.variant
def chosen_from_a_wide_sheet(query, key, cache, start):
    """For each column the token that goes there, if there is one."""
    batch, heads, new, d_k = key.shape
    room = cache.size(-2)
    token = torch.arange(room, device=start.device) - start.view(batch, 1)  # (batch, room)
    inside = (token >= 0) & (token < new)
    index = token.clamp(0, new - 1).view(batch, 1, room, 1).expand(batch, heads, room, d_k)
    steps = torch.arange(new, device=start.device).view(1, 1, new) + start.view(batch, 1, 1)
    candidates = rotate(key, steps, 1e4).gather(2, index)
    merged = torch.where(inside.view(batch, 1, room, 1), candidates, cache)
    seen = token.unsqueeze(1) <= torch.arange(new, device=start.device).view(new, 1)
    return rotate(query, steps, 1e4), merged, seen.unsqueeze(1)


@exercise.variant
def with_complex_numbers_of_its_own(query, key, cache, start):
    last = int(start.max()) + query.size(-2)
    powers = torch.arange(0, query.size(-1), 2, device=query.device).double() / query.size(-1)
    lines = torch.outer(torch.arange(last, device=query.device).double(), 1e4**-powers)
    wheel = torch.polar(torch.ones_like(lines), lines)  # (positions, pairs)
    steps = torch.stack([s + torch.arange(query.size(-2), device=s.device) for s in start])

    def turn(x):
        z = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(z * wheel[steps].unsqueeze(1)).flatten(3).to(x.dtype)

    kept = cache.clone()
    for b, columns in enumerate(steps):
        kept[b].index_copy_(1, columns, turn(key)[b])
    mask = torch.zeros(*steps.shape, cache.size(-2), dtype=torch.bool, device=query.device)
    mask = mask.scatter(2, steps.unsqueeze(-1), True).flip(-1).cumsum(-1).flip(-1) > 0
    return turn(query), kept, mask[:, None]
