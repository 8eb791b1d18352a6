"""Three small tasks for models with a defect, each with a floor that no right model can pass.

chain: the next symbol of a Markov chain of order two. repeat: half a text is random, then it comes
again. count: whether the symbols of a padded text are mostly small. `Batch` is what one step sees.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from bugs_model import Model, Use
from markov import entropy_of, random_chain
from torch import Tensor
from torch.nn import functional as F

TASKS = ("chain", "repeat", "count")
SYMBOLS, LENGTH = 8, 16  # in count, one more symbol is the padding
CHAIN = random_chain(SYMBOLS, 0.3, seed=11)


@dataclass(frozen=True)
class Batch:
    """tokens, real: [seeds, batch, length]; targets as tokens, or one for each text."""

    tokens: Tensor
    real: Tensor
    targets: Tensor


def floor(task: str) -> float:
    """The mean loss in nats of the best model that sees what it may see."""
    if task == "chain":
        return CHAIN.floor(LENGTH)
    return (LENGTH // 2 - 1) / (LENGTH - 1) * math.log(SYMBOLS) if task == "repeat" else 0.0


def guessing() -> float:
    """The mean loss in nats on the chain of a model that knows how frequent each symbol is."""
    return float(entropy_of(CHAIN.pairs.sum(axis=0)))


def batch(task: str, seeds: int, size: int, rng: np.random.Generator) -> Batch:
    """Fresh texts, others for each seed."""
    if task == "count":
        return _count(seeds, size, rng)
    if task == "chain":
        drawn = CHAIN.sample(seeds * size, LENGTH + 1, rng)
    else:
        drawn = np.tile(rng.integers(SYMBOLS, size=(seeds * size, LENGTH // 2)), 2)
    text = torch.from_numpy(drawn).unflatten(0, (seeds, size))
    tokens, targets = text[..., :-1], text[..., 1:]
    return Batch(tokens, torch.ones_like(tokens, dtype=torch.bool), targets)


def _count(seeds: int, size: int, rng: np.random.Generator) -> Batch:
    """Texts of 3 to LENGTH symbols: are more of them below SYMBOLS / 2 than not? No ties."""
    lengths = torch.from_numpy(2 * rng.integers(1, LENGTH // 2, size=(seeds, size)) + 1)
    real = torch.arange(LENGTH) < lengths[..., None]
    tokens = torch.from_numpy(rng.integers(SYMBOLS, size=(seeds, size, LENGTH)))
    small = ((tokens < SYMBOLS // 2) & real).sum(dim=-1)
    targets = (2 * small > lengths).long()
    return Batch(torch.where(real, tokens, SYMBOLS), real, targets)


def losses(model: Model, given: Batch, use: Use) -> Tensor:
    """Cross-entropy in nats, of each seed."""
    logits = model(given.tokens, given.real, use).flatten(1, -2)
    each = F.cross_entropy(logits.flatten(0, 1), given.targets.flatten(), reduction="none")
    return each.unflatten(0, (model.seeds, -1)).mean(dim=1)


@torch.no_grad()
def in_use(model: Model, task: str, given: Batch) -> Tensor:
    """The loss of each seed where the model does its work: nothing of the answer is there yet.

    Each text is alone and has no padding. A text is continued token by token: there is no cache,
    each prefix is computed again, with the positions that a cache would give.
    """
    use = Use(alone=True, by_token=True)
    if task == "count":
        return _without_padding(model, given, use)
    logits = [model(given.tokens[..., :n], given.real[..., :n], use)[:, :, -1]
              for n in range(1, given.tokens.size(-1) + 1)]  # fmt: skip
    found = torch.stack(logits, dim=2).flatten(0, 2)
    each = F.cross_entropy(found, given.targets.flatten(), reduction="none")
    return each.unflatten(0, (model.seeds, -1)).mean(dim=1)


def _without_padding(model: Model, given: Batch, use: Use) -> Tensor:
    """Texts of one length at a time, cut to it: in each seed, those of the others count 0."""
    lengths, total = given.real.sum(dim=-1), torch.zeros(model.seeds)
    for n in lengths.unique().tolist():
        logits = model(given.tokens[..., :n], given.real[..., :n] | True, use)
        each = F.cross_entropy(logits.flatten(0, 1), given.targets.flatten(), reduction="none")
        total += (each.unflatten(0, (model.seeds, -1)) * (lengths == n)).sum(dim=1)
    return total / lengths.size(1)
