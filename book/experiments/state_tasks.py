"""What the models of `state_model.py` read and are asked: pairs, pairs written twice, pairs far
apart."""

import torch
from torch import Tensor

KEYS, VALUES, FILLERS = 256, 32, 32  # symbols; a filler has none of the values, which is the last
FEWER = 64  # keys among fillers
LENGTH = 256  # positions of a sequence with fillers, in training
Batch = tuple[Tensor, Tensor, Tensor, Tensor]  # keys, values [batch, length]; asked, answer [...]


def pairs(rng: torch.Generator, batch: int, count: int, of: int = KEYS) -> Batch:
    """Distinct keys, of the first so many, with random values; all are asked for."""
    keys = torch.rand(batch, of, generator=rng).argsort(dim=-1)[:, :count]
    values = torch.randint(VALUES, (batch, count), generator=rng)
    return keys, values, keys, values


def rewritten(rng: torch.Generator, batch: int, count: int) -> Batch:
    """Each key twice, at random places and with two different values; the newest are asked for."""
    keys, old, *_ = pairs(rng, batch, count)
    new = (old + torch.randint(1, VALUES, old.shape, generator=rng)) % VALUES
    moment = torch.rand(batch, 2, count, generator=rng).sort(dim=1).values.flatten(1)
    order = moment.argsort(dim=-1)
    both, values = torch.cat([keys, keys], dim=1), torch.cat([old, new], dim=1)
    return both.gather(1, order), values.gather(1, order), keys, new


def any_count(rng: torch.Generator, least: int, most: int) -> int:
    """Drawn evenly on a logarithmic scale."""
    share = torch.rand((), generator=rng).item()
    return round(least * (most / least) ** share)


def among_fillers(rng: torch.Generator, batch: int, count: int, length: int) -> Batch:
    """Pairs at random places of a longer sequence. They are asked for in the order of places."""
    asked, answer, *_ = pairs(rng, batch, count, FEWER)
    keys = torch.randint(KEYS, KEYS + FILLERS, (batch, length), generator=rng)
    place = torch.rand(batch, length, generator=rng).argsort(dim=-1)[:, :count].sort(dim=-1).values
    values = torch.full_like(keys, VALUES)
    return keys.scatter(1, place, asked), values.scatter(1, place, answer), asked, answer


def first_values(batch: Batch) -> Tensor:
    """The value that each key asked for came with first: [batch, questions]."""
    keys, values, asked, _ = batch
    first = (keys[:, None] == asked[..., None]).int().argmax(dim=-1)
    return values.gather(1, first)
