"""A softmax that reads only some blocks of keys, and small models that recall pairs through it.

A block is scored by the query and the mean of its keys, as in MoBA (Lu et al. 2025). The question
is the last token of a text, so its own block is the last one and is always read. All models of a
call train at once; their tensors have `models` as first axis.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from recall import Params, adam, equal_rates
from torch import Tensor
from torch.nn import functional as F

NAMES, VALUES, TOKENS, BLOCK, D_MODEL, D_K = 512, 16, 256, 16, 64, 32
BLOCKS = TOKENS // BLOCK
BATCH, QUESTIONS = 8, 16  # texts of a step, and questions about each text
TOPICS = 32  # groups of names that have something in common


@dataclass(frozen=True)
class Reading:
    """Which keys a question reads.

    by: "mean" (blocks by the mean of their keys), "greatest" (by their greatest score, which needs
    all scores), "random" or "last" (a window). count: of blocks, the own one among them.
    block: tokens.
    """

    by: str = "mean"
    count: int = BLOCKS
    block: int = BLOCK


ALL = Reading()


@dataclass
class Texts:
    """Names and values of pairs, [batch, pairs], and questions with their answers."""

    names: Tensor
    values: Tensor
    at: Tensor  # [batch, questions]: which pair is asked for

    @property
    def asked(self) -> Tensor:
        return self.names.gather(1, self.at)

    @property
    def answers(self) -> Tensor:
        return self.values.gather(1, self.at)


def sample(rng: torch.Generator, batch: int, alike: bool) -> Texts:
    """Pairs of distinct names: those of a topic stand together if alike, else in any order."""
    names = torch.rand(batch, NAMES, generator=rng).argsort(dim=-1)[:, : TOKENS - 1]
    if alike:
        order = torch.rand(batch, TOPICS, generator=rng)
        names = names.gather(1, order.gather(1, names % TOPICS).argsort(dim=-1))
    values = torch.randint(VALUES, names.shape, generator=rng)
    return Texts(names, values, torch.randint(TOKENS - 1, (batch, QUESTIONS), generator=rng))


def new_models(seeds: Sequence[int]) -> Params:
    each = [_new_model(torch.Generator().manual_seed(seed)) for seed in seeds]
    return {name: torch.stack([one[name] for one in each]) for name in each[0]}


def _new_model(rng: torch.Generator) -> Params:
    shapes = {"name": (NAMES, D_MODEL), "topic": (TOPICS, D_MODEL)}
    shapes |= {
        "value": (VALUES, D_MODEL),
        "W_q": (D_MODEL, D_K),
        "W_k": (D_MODEL, D_K),
        "W_v": (D_MODEL, D_MODEL),
        "W_o": (D_MODEL, VALUES),
    }
    made = {name: torch.randn(shape, generator=rng) for name, shape in shapes.items()}
    return {name: x / math.sqrt(D_MODEL) if name[0] == "W" else x for name, x in made.items()}


def scores_of(models: Params, texts: Texts) -> tuple[Tensor, Tensor]:
    """Scores [models, batch, questions, pairs], and normalised pairs [models, batch, pairs, d]."""
    pairs = normalised(_named(models, texts.names) + look_up(models["value"], texts.values))
    asked = normalised(_named(models, texts.asked))
    query, key = _apply(asked, models["W_q"]), _apply(pairs, models["W_k"])
    return query @ key.mT / math.sqrt(D_K), pairs


def _named(models: Params, names: Tensor) -> Tensor:
    """A name is embedded as the sum of its own vector and that of its topic."""
    own, topic = look_up(models["name"], names), models["topic"]
    return own + look_up(topic, names % TOPICS)


def look_up(tables: Tensor, index: Tensor) -> Tensor:
    """Each model's embeddings of the same symbols: [models, *index.shape, d_model]."""
    return tables.index_select(1, index.flatten()).unflatten(1, index.shape)


def normalised(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:])


def _apply(x: Tensor, matrix: Tensor) -> Tensor:
    return (x.flatten(1, 2) @ matrix).unflatten(1, x.shape[1:3])


def read(scores: Tensor, reading: Reading, rng: torch.Generator) -> Tensor:
    """Which keys are read. [models, batch, questions, pairs], boolean

    The mean of a block's scores is the score of the mean of its keys.
    """
    if reading.count * reading.block >= TOKENS:
        return torch.ones_like(scores, dtype=torch.bool)
    earlier = scores.detach()[..., : TOKENS - reading.block].unflatten(-1, (-1, reading.block))
    rank = {
        "mean": lambda: earlier.mean(dim=-1),
        "greatest": lambda: earlier.amax(dim=-1),
        "random": lambda: torch.rand(earlier.shape[:-1], generator=rng),
        "last": lambda: torch.arange(1.0 * earlier.size(-2)).expand(earlier.shape[:-1]),
    }[reading.by]()
    best = rank.topk(reading.count - 1, dim=-1).indices
    chosen = torch.zeros_like(rank, dtype=torch.bool).scatter(-1, best, True)
    own = torch.ones_like(chosen[..., :1])
    kept = torch.cat([chosen, own], dim=-1).repeat_interleave(reading.block, dim=-1)
    return kept[..., : TOKENS - 1]


def logits_of(models: Params, texts: Texts, reading: Reading, rng: torch.Generator) -> Tensor:
    """[models, batch, questions, values]"""
    scores, pairs = scores_of(models, texts)
    weights = scores.masked_fill(~read(scores, reading, rng), -math.inf).softmax(dim=-1)
    return _apply(_apply(weights @ pairs, models["W_v"]), models["W_o"])


def losses(models: Params, texts: Texts, reading: Reading, rng: torch.Generator) -> Tensor:
    """Nats a question of each model. [models]"""
    logits = logits_of(models, texts, reading, rng).flatten(1, 2)
    target = texts.answers.flatten().expand(logits.shape[:2])
    return F.cross_entropy(logits.mT, target, reduction="none").mean(dim=-1)


def train(
    seeds: Sequence[int], rates: Sequence[float], steps: int, reading: Reading, alike: bool
) -> Params:
    """One model for each seed, with its rate, which falls along half a cosine."""
    models, rng = new_models(seeds), torch.Generator().manual_seed(90_000 + seeds[0])
    update = adam()
    for tensor in models.values():
        tensor.requires_grad_()
    for step in range(steps):
        loss = losses(models, sample(rng, BATCH, alike), reading, rng)
        gradients = torch.autograd.grad(loss.sum(), list(models.values()))
        factor = min(1.0, 10 * (step + 1) / steps) * (1 + math.cos(math.pi * step / steps)) / 2
        each = equal_rates(models, [factor * rate for rate in rates])
        with torch.no_grad():
            update(models, dict(zip(models, gradients, strict=True)), each)
    return models


@torch.no_grad()
def tested(
    models: Params, reading: Reading, alike: bool, texts: int = 64
) -> dict[str, list[float]]:
    """By model: percent of the answers that are right, of the pairs asked for that are read, and
    nats a question. All readings are asked the same questions.
    """
    asked, rng = torch.Generator().manual_seed(777), torch.Generator().manual_seed(778)
    found: dict[str, list[Tensor]] = {"right": [], "found": [], "loss": []}
    for _ in range(texts // BATCH):
        given = sample(asked, BATCH, alike)
        logits = logits_of(models, given, reading, rng)
        kept = read(scores_of(models, given)[0], reading, rng)
        pair = given.at.expand(len(kept), *given.at.shape)[..., None]
        found["right"].append(100 * (logits.argmax(dim=-1) == given.answers).double().mean((1, 2)))
        found["found"].append(100 * kept.gather(-1, pair).double().mean((1, 2, 3)))
        found["loss"].append(losses(models, given, reading, rng).double())
    return {name: torch.stack(parts).mean(dim=0).tolist() for name, parts in found.items()}
