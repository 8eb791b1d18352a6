"""Attention whose large memory counts every number that is read from it or written to it.

The small memory holds one tile and the sums of its queries; everything else is in the large one.
Attention at once is taken at its best: every operation reads its inputs once and writes its result
once, and the scale costs nothing. Formulas say what the loops should come to.
"""

import math

import torch
from pieces_attention import Partial, finish, merge, partial, scores_of, spans
from torch import Tensor


class Memory:
    """The large memory: it counts every number that is read from it or written to it."""

    def __init__(self) -> None:
        self.moved = 0

    def read(self, tensor: Tensor) -> Tensor:
        self.moved += tensor.numel()
        return tensor

    write = read


def forward_at_once(given: list[Tensor], memory: Memory) -> list[Tensor]:
    """The output, and the weights, which the backward pass reads."""
    query, key, value = given
    read, write = memory.read, memory.write
    scores = write(scores_of(read(query), read(key), None))
    weights = write(read(scores).softmax(dim=-1))
    return [write(read(weights) @ read(value)), weights]


def backward_at_once(
    given: list[Tensor], found: list[Tensor], above: Tensor, memory: Memory
) -> list[Tensor]:
    query, key, value = given
    read, write = memory.read, memory.write
    of_value = write(read(found[1]).mT @ read(above))
    of_weights = write(read(above) @ read(value).mT)
    weights, change = read(found[1]), read(of_weights)
    of_scores = weights * (change - (weights * change).sum(dim=-1, keepdim=True))
    of_scores = write(of_scores / math.sqrt(query.size(-1)))
    of_query = write(read(of_scores) @ read(key))
    of_key = write(read(of_scores).mT @ read(query))
    return [of_query, of_key, of_value]


def forward_in_tiles(given: list[Tensor], tile: int, memory: Memory) -> list[Tensor]:
    """Output and log-sum: each tile of queries reads all keys and values once."""
    query, key, value = given
    found = []
    for rows in spans(query.size(0), tile):
        asked, state = memory.read(query[rows]), None
        for at in spans(key.size(0), tile):
            part = partial(asked, memory.read(key[at]), memory.read(value[at]))
            state = part if state is None else merge(state, part)
        assert isinstance(state, Partial)
        found.append([memory.write(tensor) for tensor in finish(state)])
    return [torch.cat(parts) for parts in zip(*found, strict=True)]


def backward_in_tiles(
    given: list[Tensor], found: list[Tensor], above: Tensor, tile: int, memory: Memory
) -> list[Tensor]:
    """Each tile of keys reads all queries once, and adds to their gradients, which are large."""
    query, key, value = given
    read, write = memory.read, memory.write
    row_sum = write((read(above) * read(found[0])).sum(dim=-1, keepdim=True))
    of_query, scale = write(torch.zeros_like(query)), 1 / math.sqrt(query.size(-1))
    of_keys = []
    for at in spans(key.size(0), tile):
        keys, values = read(key[at]), read(value[at])
        of_key, of_value = torch.zeros_like(keys), torch.zeros_like(values)
        for rows in spans(query.size(0), tile):
            asked, change = read(query[rows]), read(above[rows])
            weights = (scores_of(asked, keys, None) - read(found[1][rows])).exp()
            of_scores = weights * (change @ values.mT - read(row_sum[rows])) * scale
            of_query[rows] = write(read(of_query[rows]) + of_scores @ keys)
            of_key += of_scores.mT @ asked
            of_value += weights.mT @ change
        of_keys.append((write(of_key), write(of_value)))
    return [of_query, *(torch.cat(parts) for parts in zip(*of_keys, strict=True))]


def inputs(length: int, width: int, seed: int = 0) -> list[Tensor]:
    """Query, key, value, and the gradient of the output."""
    rng = torch.Generator().manual_seed(seed)
    return [torch.randn(length, width, generator=rng, dtype=torch.float64) for _ in range(4)]


def run(length: int, width: int, tile: int | None, seed: int = 0) -> tuple[list[int], list[Tensor]]:
    """Numbers moved after the forward and after the backward pass; output and gradients."""
    *given, above = inputs(length, width, seed)
    memory = Memory()
    if tile is None:
        found = forward_at_once(given, memory)
    else:
        found = forward_in_tiles(given, tile, memory)
    moved = [memory.moved]
    if tile is None:
        gradients = backward_at_once(given, found, above, memory)
    else:
        gradients = backward_in_tiles(given, found, above, tile, memory)
    return [*moved, memory.moved], [found[0], *gradients]


def formulas(length: int, width: int, tile: int | None) -> list[int]:
    """Numbers moved after the forward pass, and after the backward pass."""
    row, square = length * width, length**2
    if tile is None:
        return [4 * square + 4 * row, 11 * square + 12 * row]
    times = -(-length // tile)
    forward = 2 * times * row + 2 * row + length
    return [forward, forward + times * (4 * row + 2 * length) + 7 * row + length]
