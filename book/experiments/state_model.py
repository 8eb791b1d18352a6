"""One layer that reads pairs of a key and a value, and then answers what the value of a key was.

A position holds a pair: the sum of the embeddings of its two symbols. The layer has one head. Of
the kinds but softmax it keeps only a state of d_k times d_v numbers, from which a question, the
embedding of a key alone, reads. All models of a call train at once, as the first axis.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import torch
from recall import Params, Rates, adam, equal_rates
from state_tasks import FILLERS, KEYS, LENGTH, VALUES, Batch
from torch import Tensor
from torch.nn import functional as F

KINDS = ("linear", "gated", "delta", "gated delta", "softmax")
MAPS: dict[str, Callable[[Tensor], Tensor]] = {"identity": lambda x: x, "relu": F.relu}
D_MODEL, D_V = 64, 32
OPEN = 4.0  # logit of the decay when training begins: 0.98
FARTHEST = 64  # of the distances that softmax may have a bias for
CHUNK = 64  # positions that the delta rule handles at once
# Of the learning rate: the write strength stays at 0 after too large a step.
PACES = {"W_beta": 0.1, "b_beta": 0.1}
Draw = Callable[[torch.Generator], Batch]
Paces = Mapping[str, float]


def fading(log_decay: Tensor) -> Tensor:
    """What is left at t of what was written at i, for i up to t: [..., t, i]."""
    total = log_decay.cumsum(dim=-1)
    return (total[..., :, None] - total[..., None, :]).clamp(max=0.0).exp()


def corrected(key: Tensor, value: Tensor, beta: Tensor, log_decay: Tensor | None) -> Tensor:
    """The vectors that the delta rule writes instead of the values, for all positions at once.

    [..., length, d_v]. u_t = b_t (v_t - sum over i < t of (k_t k_i) u_i), faded by the decay.
    """
    overlap = key @ key.mT if log_decay is None else (key @ key.mT) * fading(log_decay)
    before = (beta[..., None] * overlap).tril(-1)
    return torch.linalg.solve_triangular(
        before, beta[..., None] * value, upper=False, unitriangular=True
    )


def state(key: Tensor, value: Tensor, log_decay: Tensor | None, beta: Tensor | None) -> Tensor:
    """After the last position: [..., d_k, d_v]."""
    found = key.new_zeros(*key.shape[:-2], key.size(-1), value.size(-1))
    for start in range(0, key.size(-2), CHUNK):
        part = slice(start, start + CHUNK)
        gates = [None if gate is None else gate[..., part] for gate in (log_decay, beta)]
        found = after(found, key[..., part, :], value[..., part, :], *gates)
    return found


def after(
    before: Tensor, key: Tensor, value: Tensor, log_decay: Tensor | None, beta: Tensor | None
) -> Tensor:
    """The state after some positions, from the state before them."""
    total = key.new_zeros(key.shape[:-1]) if log_decay is None else log_decay.cumsum(dim=-1)
    if beta is not None:
        value = value - (key * total.exp()[..., None]) @ before
        value = corrected(key, value, beta, log_decay)
    key = key * (total[..., -1:] - total).exp()[..., None]
    return total[..., -1, None, None].exp() * before + key.mT @ value


def new_models(seeds: Sequence[int], d_k: int, opened: float = OPEN) -> Params:
    """One model per seed. opened: the logit of the decay."""
    each = [_new_model(torch.Generator().manual_seed(seed), d_k, opened) for seed in seeds]
    return {name: torch.stack([model[name] for model in each]) for name in each[0]}


def _new_model(rng: torch.Generator, d_k: int, opened: float) -> Params:
    shapes = {"key": (KEYS + FILLERS, D_MODEL), "value": (VALUES + 1, D_MODEL),
              "W_q": (D_MODEL, d_k), "W_k": (D_MODEL, d_k), "W_v": (D_MODEL, D_V),
              "W_o": (D_V, VALUES), "W_decay": (D_MODEL, 1), "W_beta": (D_MODEL, 1)}  # fmt: skip
    made = {name: torch.randn(shape, generator=rng) for name, shape in shapes.items()}
    for name in shapes:
        if name.startswith("W_"):
            made[name] /= math.sqrt(shapes[name][0])
    made["W_decay"], made["W_beta"] = made["W_decay"] / 10, made["W_beta"] / 10
    made["b_decay"], made["b_beta"] = torch.full((1, 1), opened), torch.zeros(1, 1)
    return made | {"far": torch.zeros(FARTHEST + 1, 1)}


def projected(models: Params, matrix: str, keys: Tensor, values: Tensor | None) -> Tensor:
    """Positions times a matrix, [models, *keys.shape, width]: the embeddings are multiplied first,
    which gives the same numbers at less work."""
    found = _look_up(models["key"] @ models[matrix], keys)
    if values is not None:
        found = found + _look_up(models["value"] @ models[matrix], values)
    return found


def _look_up(tables: Tensor, index: Tensor) -> Tensor:
    return tables.index_select(1, index.flatten()).unflatten(1, index.shape)


def logits(models: Params, kind: str, shape: str, batch: Batch) -> Tensor:
    """Of the values, for each question: [models, batch, questions, values].

    shape: the name of the map of keys and queries; for softmax "bias" for a learned bias by
    distance, "log" for scores that grow with the logarithm of the length, "" for neither.
    """
    keys, values, asked, _ = batch
    query, key = projected(models, "W_q", asked, None), projected(models, "W_k", keys, values)
    value = projected(models, "W_v", keys, values)
    if kind == "softmax":
        scores = query @ key.mT / math.sqrt(key.size(-1))
        if shape == "bias":
            distance = torch.arange(keys.size(-1), 0, -1).clamp(max=FARTHEST)
            scores = scores + models["far"][:, None, None, distance, 0]
        if shape == "log":
            scores = scores * math.log(keys.size(-1)) / math.log(LENGTH)
        output = scores.softmax(dim=-1) @ value
    else:
        query, key = (F.normalize(MAPS[shape](x), dim=-1) for x in (query, key))
        output = query @ state(key, value, *gates(models, kind, keys, values))
    return output @ models["W_o"][:, None]


def gates(
    models: Params, kind: str, keys: Tensor, values: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    """The logarithm of the decay and the write strength, [models, batch, length], where the kind
    has them."""
    found: list[Tensor | None] = [None, None]
    if "gated" in kind:
        logit = projected(models, "W_decay", keys, values)[..., 0] + models["b_decay"]
        found[0] = F.logsigmoid(logit)
    if "delta" in kind:
        logit = projected(models, "W_beta", keys, values)[..., 0] + models["b_beta"]
        found[1] = logit.sigmoid()
    return found[0], found[1]


def train(
    kind: str, shape: str, d_k: int, rates: Sequence[float], seeds: Sequence[int], draw: Draw,
    steps: int, opened: float = OPEN, paces: Paces = PACES,
) -> Params:  # fmt: skip
    """Models of one kind, each with its seed and rate; Adam. Every model sees the same batches.

    paces: of some parameters, what part of the rate they learn with.
    """
    models, rng = new_models(seeds, d_k, opened), torch.Generator().manual_seed(70_000 + seeds[0])
    return fit(models, lambda: _loss(models, kind, shape, draw(rng)), rates, steps, paces)


def fit(
    models: Params, losses: Callable[[], Tensor], rates: Sequence[float], steps: int,
    paces: Paces | None = None,
) -> Params:  # fmt: skip
    """Train in place; losses: of each model, on the next batch. Rates rise linearly for a
    short time, then fall linearly to 0."""
    update, each = adam(), equal_rates(models, rates)
    each |= {name: pace * each[name] for name, pace in (paces or {}).items()}
    for tensor in models.values():
        tensor.requires_grad_()
    for step in range(steps):
        gradients = torch.autograd.grad(losses().sum(), [*models.values()], allow_unused=True)
        pairs = zip(models, gradients, strict=True)
        used = {name: gradient for name, gradient in pairs if gradient is not None}
        with torch.no_grad():
            update(models, used, scaled(each, min(10 * (step + 1), steps - step) / steps))
    return models


def scaled(rates: Rates, part: float) -> Rates:
    return {name: rate * part for name, rate in rates.items()}


def _loss(models: Params, kind: str, shape: str, batch: Batch) -> Tensor:
    found = logits(models, kind, shape, batch)
    answer = batch[3].expand(found.shape[:-1])
    each = F.cross_entropy(found.flatten(0, -2), answer.flatten(), reduction="none")
    return each.view(found.size(0), -1).mean(dim=1)


@torch.no_grad()
def average_loss(models: Params, kind: str, shape: str, batches: Sequence[Batch]) -> Tensor:
    return torch.stack([_loss(models, kind, shape, batch) for batch in batches]).mean(dim=0)


@torch.no_grad()
def right(models: Params, kind: str, shape: str, batches: Sequence[Batch]) -> Tensor:
    """Share of right answers of each model, by question: [models, questions]."""
    found = [logits(models, kind, shape, batch).argmax(dim=-1) == batch[3] for batch in batches]
    return torch.cat(found, dim=1).double().mean(dim=1)
