"""What the heads of `heads_model` do: scores read off their weights, perturbations.

Every test sequence is one block of `PERIOD` different symbols, twice. In the second copy the next
symbol is certain for whoever finds the first one.
"""

import torch
from heads_model import LENGTH, SYMBOLS, AttentionOnly
from torch import Tensor
from torch.nn import functional as F

PERIOD = LENGTH // 2
FIRST, SECOND = torch.arange(1, PERIOD), torch.arange(PERIOD, LENGTH)  # queries of each copy


def repeated(count: int, rng: torch.Generator, shortest: int, longest: int) -> Tensor:
    """Blocks of different symbols, each repeated until the window is full. [count, length + 1]"""
    symbols = torch.rand(count, SYMBOLS, generator=rng).argsort(dim=1)
    periods = torch.randint(shortest, longest + 1, (count, 1), generator=rng)
    return symbols.gather(1, torch.arange(LENGTH + 1) % periods)


def test_sequences(count: int, seed: int) -> Tensor:
    return repeated(count, torch.Generator().manual_seed(50_000 + seed), PERIOD, PERIOD)


def loss_of_copies(
    model: AttentionOnly,
    tokens: Tensor,
    gates: Tensor | None = None,
    instead: Tensor | None = None,
) -> Tensor:
    """Mean loss in nats over the first copy and over the second. [2]"""
    logits, _ = model(tokens[:, :-1], gates, instead)
    loss = F.cross_entropy(logits.mT, tokens[:, 1:], reduction="none").mean(dim=0)  # [length]
    return torch.stack([loss[FIRST].mean(), loss[SECOND].mean()])


def head_scores(weights: Tensor) -> dict[str, Tensor]:
    """From weights [layers, batch, heads, queries, keys]; each score is [layers, heads].

    `previous`: mean weight on the symbol before, over the first copy; `previous_late` over the
    second. `induction`: mean weight, in the second copy, on what followed this symbol before.
    `distance`: mean distance from query to key, over all queries.
    """
    mean = weights.mean(dim=1)  # [layers, heads, queries, keys]
    place = torch.arange(mean.size(-1))
    distance = (place[:, None] - place).clamp(min=0)  # [queries, keys]
    return {
        "previous": mean[..., FIRST, FIRST - 1].mean(dim=-1),
        "previous_late": mean[..., SECOND, SECOND - 1].mean(dim=-1),
        "induction": mean[..., SECOND, SECOND - PERIOD + 1].mean(dim=-1),
        "distance": (mean * distance).sum(dim=-1).mean(dim=-1),
    }


def perturbed(model: AttentionOnly, tokens: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """How far a changed symbol at each place lowers the answer's log-probability, and the weights.

    One query a sequence, in the second copy. A place gets a symbol that the block does not hold.
    Returns effect [batch, keys] in nats, by offset from the query, newest first, and the weights
    of that query [layers, batch, heads, keys] in the same order.
    """
    batch, rows = len(tokens), torch.arange(len(tokens))
    query = torch.randint(PERIOD + 2, LENGTH, (batch,), generator=rng)  # [batch]
    answer = tokens[rows, query + 1]
    base, weights = model(tokens[:, :-1])
    before = base.log_softmax(dim=-1)[rows, query, answer]
    unused = unused_symbol(tokens)
    effects = []
    for offset in range(PERIOD + 2):
        changed = tokens[:, :-1].clone()
        changed[rows, query - offset] = unused
        after = model(changed)[0].log_softmax(dim=-1)[rows, query, answer]
        effects.append(before - after)
    places = query[:, None] - torch.arange(PERIOD + 2)  # [batch, keys]
    seen = weights[:, rows[:, None], :, query[:, None], places]  # [batch, keys, layers, heads]
    return torch.stack(effects, dim=1), seen.permute(2, 0, 3, 1)


def unused_symbol(tokens: Tensor) -> Tensor:
    """The smallest symbol that a sequence does not hold. [batch]"""
    held = F.one_hot(tokens, SYMBOLS).amax(dim=1)  # [batch, symbols]
    return held.argmin(dim=1)
