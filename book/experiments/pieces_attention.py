"""Attention in pieces, as the experiments of chapter 9 use it: forward, backward, and a window.

Inputs are those of one head, [length, d_k]. What is known of a row of scores after some of its keys
is a `Partial`: the largest score, the sum of exponentials, the sum of values weighted with them,
both relative to that largest score.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

INFINITE = float("inf")


class Partial(NamedTuple):
    """Of each query, after some of its keys; -inf and zeros where it saw none."""

    maximum: Tensor  # [queries, 1]
    total: Tensor  # [queries, 1]
    summed: Tensor  # [queries, d_v]


def scores_of(query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
    scores = query @ key.mT / math.sqrt(query.size(-1))  # [queries, keys]
    return scores if mask is None else scores.masked_fill(~mask, -INFINITE)


def finite(maximum: Tensor) -> Tensor:
    """0 for a row that saw no key: -inf minus -inf would be NaN."""
    return maximum.masked_fill(maximum == -INFINITE, 0.0)


def partial(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Partial:
    """What these keys alone say."""
    scores = scores_of(query, key, mask)
    maximum = scores.amax(dim=-1, keepdim=True)
    exp_scores = (scores - finite(maximum)).exp()
    return Partial(maximum, exp_scores.sum(dim=-1, keepdim=True), exp_scores @ value)


def merge(one: Partial, other: Partial) -> Partial:
    """What two disjoint sets of keys say together, in whatever order."""
    maximum = torch.maximum(one.maximum, other.maximum)
    left, right = ((part.maximum - finite(maximum)).exp() for part in (one, other))
    total = one.total * left + other.total * right
    return Partial(maximum, total, one.summed * left + other.summed * right)


def finish(part: Partial) -> tuple[Tensor, Tensor]:
    """The output, zeros where there was no key, and the logarithm of each row's sum."""
    output = part.summed / part.total.masked_fill(part.total == 0, 1.0)
    return output, part.maximum + part.total.log()


def spans(length: int, chunk: int) -> Iterator[slice]:
    for start in range(0, length, chunk):
        yield slice(start, min(start + chunk, length))


def causal_mask(queries: slice, keys: slice, device: torch.device) -> Tensor | None:
    """Of one tile; None where everything is seen."""
    if keys.stop <= queries.start + 1:
        return None
    rows = torch.arange(queries.start, queries.stop, device=device)
    return rows[:, None] >= torch.arange(keys.start, keys.stop, device=device)


def tiles(length: int, chunk: int, causal: bool, queries: slice) -> Iterator[slice]:
    """The keys that some query of these may see, a piece at a time."""
    for keys in spans(length, chunk):
        if not causal or keys.start < queries.stop:
            yield keys


def rows_by_chunks(
    query: Tensor, key: Tensor, value: Tensor, chunk: int, causal: bool, rows: slice
) -> tuple[Tensor, Tensor]:
    """Output and log-sum of some queries, `chunk` keys at a time."""
    state: Partial | None = None
    for keys in tiles(key.size(0), chunk, causal, rows):
        mask = causal_mask(rows, keys, query.device) if causal else None
        part = partial(query[rows], key[keys], value[keys], mask)
        state = part if state is None else merge(state, part)
    assert state is not None
    return finish(state)


def by_chunks(
    query: Tensor, key: Tensor, value: Tensor, chunk: int, causal: bool = False
) -> tuple[Tensor, Tensor]:
    """Output and log-sum of all queries; autograd, if it watches, keeps every tile."""
    found = [
        rows_by_chunks(query, key, value, chunk, causal, rows)
        for rows in spans(query.size(0), chunk)
    ]
    outputs, log_sums = zip(*found, strict=True)
    return torch.cat(outputs), torch.cat(log_sums)


def gradients(
    saved: tuple[Tensor, ...], gradient: Tensor, chunk: int, causal: bool
) -> list[Tensor]:
    """Those of query, key and value; the weights of each tile are computed again.

    After Dao et al. (2022), algorithm 4.
    """
    query, key, value, output, log_sum = saved
    found = [torch.zeros_like(tensor) for tensor in (query, key, value)]
    scale = 1 / math.sqrt(query.size(-1))
    row_sums = (gradient * output).sum(dim=-1, keepdim=True)  # [queries, 1]
    for rows in spans(query.size(0), chunk):
        for keys in tiles(key.size(0), chunk, causal, rows):
            mask = causal_mask(rows, keys, query.device) if causal else None
            weights = (scores_of(query[rows], key[keys], mask) - log_sum[rows]).exp()
            found[2][keys] += weights.mT @ gradient[rows]
            of_scores = weights * (gradient[rows] @ value[keys].mT - row_sums[rows]) * scale
            found[0][rows] += of_scores @ key[keys]
            found[1][keys] += of_scores.mT @ query[rows]
    return found


class Recomputed(torch.autograd.Function):
    """Attention by chunks that keeps the inputs, the output and one number for each query."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, chunk: int, causal: bool
    ) -> Tensor:
        output, log_sum = by_chunks(query, key, value, chunk, causal)
        ctx.save_for_backward(query, key, value, output, log_sum)
        ctx.how = (chunk, causal)
        return output

    @staticmethod
    def backward(ctx: Any, *gradient: Tensor) -> tuple[Any, ...]:
        return (*gradients(ctx.saved_tensors, gradient[0], *ctx.how), None, None)


def recomputed(
    query: Tensor, key: Tensor, value: Tensor, chunk: int, causal: bool = False
) -> Tensor:
    output = Recomputed.apply(query, key, value, chunk, causal)
    assert isinstance(output, Tensor)
    return output


def at_once(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """All scores at one time."""
    return scores_of(query, key, mask).softmax(dim=-1) @ value


def window_mask(length: int, window: int, device: torch.device | None = None) -> Tensor:
    """Each query sees itself and the `window` - 1 keys before it. [queries, keys]"""
    ones = torch.ones(length, length, dtype=torch.bool, device=device)
    return ones.tril() & ones.triu(1 - window)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """The same output as with `window_mask`, in memory linear in the length.

    Blocks of `window` queries; each block can see its own keys and those of the block before.
    """
    length = query.size(0)
    blocks = -(-length // window)
    end = blocks * window - length
    padded = (torch.nn.functional.pad(x, (0, 0, window, end)) for x in (key, value))
    keys, values = (x.unfold(0, 2 * window, window).mT for x in padded)  # [blocks, 2 window, d]
    asked = torch.nn.functional.pad(query, (0, 0, 0, end)).unflatten(0, (blocks, window))
    at = torch.arange(2 * window, device=query.device)
    ahead = at - window - at[:window, None]  # of the key, seen from the query
    mask = ((ahead <= 0) & (ahead > -window)).expand(blocks, -1, -1).clone()
    mask[0, :, :window] = False  # what was padded in front
    return at_once(asked, keys, values, mask).flatten(0, 1)[:length]
