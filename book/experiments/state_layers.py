"""Causal models of several mixing layers, softmax or gated delta, that recall pairs they have read.

A sequence is pairs, each at one position, and then questions, which hold a key and a mark. Layers
have one head and no MLP. All models of a call train at once, as the first axis.
"""

import math
from collections.abc import Callable, Sequence

import torch
from recall import Params
from state_model import D_MODEL, D_V, OPEN, corrected, fading, fit
from state_tasks import VALUES
from torch import Tensor
from torch.nn import functional as F

KEYS, D_K, ASKED = 128, 8, 24
Kinds = Sequence[str]  # of the layers, the first one first
Sequences = tuple[Tensor, Tensor, Tensor]  # keys, values [batch, length], answer [batch, ASKED]
Draw = Callable[[torch.Generator], Sequences]


def sequences(rng: torch.Generator, batch: int, count: int) -> Sequences:
    """Distinct keys with random values; ASKED of them are asked for, a key more than once where
    there are fewer pairs. The mark of a question has the place of a value."""
    keys = torch.rand(batch, KEYS, generator=rng).argsort(dim=-1)[:, :count]
    values = torch.randint(VALUES, (batch, count), generator=rng)
    rounds = -(-ASKED // count)
    at = torch.rand(batch, rounds, count, generator=rng).argsort(dim=-1).flatten(1)[:, :ASKED]
    mark = torch.full((batch, ASKED), VALUES)
    with_questions = torch.cat([keys, keys.gather(1, at)], dim=1)
    return with_questions, torch.cat([values, mark], dim=1), values.gather(1, at)


def new_models(kinds: Kinds, seeds: Sequence[int]) -> Params:
    """One model per seed."""
    each = [_new_model(kinds, torch.Generator().manual_seed(seed)) for seed in seeds]
    return {name: torch.stack([model[name] for model in each]) for name in each[0]}


def _new_model(kinds: Kinds, rng: torch.Generator) -> Params:
    shapes = {"key": (KEYS, D_MODEL), "value": (VALUES + 1, D_MODEL), "out": (D_MODEL, VALUES)}
    for layer, kind in enumerate(kinds):
        shapes |= {f"W_{part}{layer}": (D_MODEL, width)
                   for part, width in (("q", D_K), ("k", D_K), ("v", D_V))}  # fmt: skip
        shapes[f"W_o{layer}"] = (D_V, D_MODEL)
        if kind == "gated delta":
            shapes |= {f"W_gates{layer}": (D_MODEL, 2)}
    made = {name: torch.randn(shape, generator=rng) for name, shape in shapes.items()}
    for name in shapes:
        if name.startswith("W_") or name == "out":
            made[name] /= math.sqrt(shapes[name][0])
        if name.startswith("W_o"):
            made[name] /= 2 * math.sqrt(len(kinds))
        if name.startswith("W_gates"):
            made[name] /= 10
            made["b" + name[1:]] = torch.tensor([[OPEN, 0.0]])
    return made


def logits(models: Params, kinds: Kinds, keys: Tensor, values: Tensor) -> Tensor:
    """Of the values, at each question: [models, batch, ASKED, values]."""
    x = models["key"][:, keys] + models["value"][:, values]  # [models, batch, length, d_model]
    for layer, kind in enumerate(kinds):
        x = x + mixed(models, layer, kind, F.layer_norm(x, x.shape[-1:]))
    x = x[..., -ASKED:, :]
    return times(F.layer_norm(x, x.shape[-1:]), models["out"])


def mixed(models: Params, layer: int, kind: str, x: Tensor) -> Tensor:
    query, key, value = (times(x, models[f"W_{part}{layer}"]) for part in "qkv")
    if kind == "softmax":
        later = torch.ones(x.size(-2), x.size(-2)).triu(1).bool()
        scores = query @ key.mT / math.sqrt(D_K)
        output = scores.masked_fill(later, -math.inf).softmax(dim=-1) @ value
    else:
        gates = times(x, models[f"W_gates{layer}"]) + models[f"b_gates{layer}"][:, None]
        log_decay, beta = F.logsigmoid(gates[..., 0]), gates[..., 1].sigmoid()
        query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
        left = (query @ key.mT * fading(log_decay)).tril()
        output = left @ corrected(key, value, beta, log_decay)
    return times(output, models[f"W_o{layer}"])


def times(x: Tensor, matrix: Tensor) -> Tensor:
    """Each model's matrix, applied to its batch."""
    return (x.flatten(1, 2) @ matrix).unflatten(1, x.shape[1:3])


def train(
    kinds: Kinds, rates: Sequence[float], seeds: Sequence[int], draw: Draw, steps: int
) -> Params:
    """As `state_model.train` does."""
    models, rng = new_models(kinds, seeds), torch.Generator().manual_seed(80_000 + seeds[0])
    return fit(models, lambda: losses(models, kinds, draw(rng)), rates, steps)


def losses(models: Params, kinds: Kinds, batch: Sequences) -> Tensor:
    """In nats, of each model."""
    found = logits(models, kinds, *batch[:2])
    answer = batch[2].expand(found.shape[:-1]).flatten()
    each = F.cross_entropy(found.flatten(0, -2), answer, reduction="none")
    return each.view(found.size(0), -1).mean(dim=1)


@torch.no_grad()
def right(models: Params, kinds: Kinds, batch: Sequences) -> Tensor:
    """Share of right answers of each model."""
    found = logits(models, kinds, *batch[:2]).argmax(dim=-1) == batch[2]
    return found.double().flatten(1).mean(dim=1)
