"""A causal transformer whose head often has nothing to look for, with five kinds of attention.

The task: a text is a random Markov chain, but after one of a few trigger symbols comes the symbol
before the trigger. A head that copies it has something to do at a trigger and nothing elsewhere.
Several seeds are trained at once, as the first axis.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

KINDS = ("softmax", "zero", "learned", "gate", "sigmoid")
SYMBOLS, TRIGGERS, D_MODEL, HEADS, CLIP = 24, 3, 32, 1, 16
TRAINED, BATCH, RATE = 64, 8, 1e-2
OFTEN = 0.2  # of triggers after any other symbol
START = SYMBOLS  # the token before a text begins
Texts = Callable[[int, int, bool], Tensor]  # from batch, length and whether START comes first


class Text:
    """Random chains, one for each seed, and texts from them."""

    def __init__(self, seeds: range) -> None:
        self.rng = torch.Generator().manual_seed(seeds.start + 7)
        logits = 2.0 * torch.randn(len(seeds), SYMBOLS, SYMBOLS, generator=self.rng)
        logits[..., :TRIGGERS] = -math.inf
        self.chain = (1 - OFTEN) * logits.softmax(dim=-1)  # [seeds, last, next]
        self.chain[..., :TRIGGERS] = OFTEN / TRIGGERS
        self.chain[:, :TRIGGERS] = 1 / SYMBOLS  # never used but at the beginning
        self.seeds = len(seeds)

    def __call__(self, batch: int, length: int, start: bool) -> Tensor:
        """[seeds, batch, length], the first one START if asked for."""
        tokens = torch.randint(TRIGGERS, SYMBOLS, (self.seeds, batch, length), generator=self.rng)
        uniform = torch.rand(self.seeds, batch, length, generator=self.rng)
        total, seed = self.chain.cumsum(dim=-1), torch.arange(self.seeds)[:, None]
        for t in range(1, length):
            last = tokens[..., t - 1]
            new = (total[seed, last] < uniform[..., t, None]).sum(dim=-1).clamp(max=SYMBOLS - 1)
            if t > 1:
                new = torch.where(last < TRIGGERS, tokens[..., t - 2], new)
            tokens[..., t] = new
        return F.pad(tokens[..., :-1], (1, 0), value=START) if start else tokens


class Model:
    """Layers of attention, no MLP. Positions: a bias for each distance, clipped at CLIP."""

    def __init__(self, kind: str, layers: int, seeds: range) -> None:
        self.kind, self.layers, self.seeds = kind, layers, len(seeds)
        self.rng = torch.Generator().manual_seed(seeds.start)
        self.embed = self.normal(1.0, SYMBOLS + 1, D_MODEL)
        self.readout = self.normal(D_MODEL**-0.5, D_MODEL, SYMBOLS)
        shapes = {"qkv": (D_MODEL, 3 * D_MODEL), "o": (D_MODEL, D_MODEL), "gate": (D_MODEL, HEADS)}
        self.W = [{name: self.normal(shape[0] ** -0.5, *shape) for name, shape in shapes.items()}
                  for _ in range(layers)]  # fmt: skip
        self.tables = [self.normal(0.0, HEADS, CLIP + 1) for _ in range(layers)]
        self.extra = [self.normal(0.0, HEADS) for _ in range(layers)]  # the logit of nothing
        of_layers = [x for layer in self.W for name, x in layer.items()
                     if name != "gate" or kind == "gate"]  # fmt: skip
        self.parameters = [self.embed, self.readout, *self.tables, *of_layers]
        self.parameters += self.extra if kind == "learned" else []

    def normal(self, std: float, *shape: int) -> Tensor:
        made = std * torch.randn(self.seeds, *shape, generator=self.rng)
        return made.requires_grad_()

    def __call__(self, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.forward(tokens, mask)[0]

    def forward(self, tokens: Tensor, mask: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        """Logits, and each layer's weights [seeds, batch, heads, queries, keys]."""
        position = torch.arange(tokens.size(-1))
        distance = position[:, None] - position
        allowed = distance >= 0 if mask is None else mask
        x, kept = self.embed[torch.arange(self.seeds)[:, None, None], tokens], []
        for layer in range(self.layers):
            output, weights = self.attend(norm(x), layer, distance.clamp(0, CLIP), allowed)
            x = x + output
            kept.append(weights)
        return _apply(norm(x), self.readout), kept

    def attend(self, x: Tensor, layer: int, far: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        W = self.W[layer]
        query, key, value = (
            _apply(x, W["qkv"]).unflatten(-1, (3, HEADS, -1)).permute(3, 0, 1, 4, 2, 5)
        )
        scores = query @ key.mT / math.sqrt(query.size(-1)) + self.tables[layer][:, :, far][:, None]
        weights = self.weights(scores.masked_fill(~mask, -math.inf), layer)
        output = self.gated((weights @ value).transpose(2, 3), x, layer)
        return _apply(output.flatten(-2), W["o"]), weights

    def gated(self, output: Tensor, x: Tensor, layer: int) -> Tensor:
        """output: [seeds, batch, length, heads, d_k], which one kind closes, a gate a head."""
        if self.kind != "gate":
            return output
        return output * _apply(x, self.W[layer]["gate"]).sigmoid()[..., None]

    def weights(self, scores: Tensor, layer: int) -> Tensor:
        """With a logit of nothing, weights sum to less than 1; with sigmoids, to anything."""
        if self.kind == "sigmoid":
            return (scores - math.log(TRAINED)).sigmoid()
        if self.kind in ("zero", "learned"):
            nothing = self.extra[layer][:, None, :, None, None].expand(*scores.shape[:-1], 1)
            return torch.cat([nothing, scores], dim=-1).softmax(dim=-1)[..., 1:]
        return scores.softmax(dim=-1)


def norm(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:])


def _apply(x: Tensor, matrix: Tensor) -> Tensor:
    """Each seed's matrix, applied to its batch: [seeds, batch, length, ...]."""
    return (x.flatten(1, 2) @ matrix).unflatten(1, x.shape[1:3])


def train(kind: str, layers: int, steps: int, start: bool, seeds: range) -> tuple[Model, Text]:
    model, text = Model(kind, layers, seeds), Text(seeds)
    fit(model, text, steps, start)
    return model, text


def fit(model: Model, text: Texts, steps: int, start: bool, rate: float = RATE) -> None:
    optimizer = torch.optim.Adam(model.parameters)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    for _ in range(steps):
        tokens = text(BATCH, TRAINED + 1, start)
        loss = F.cross_entropy(model(tokens[..., :-1]).flatten(0, -2), tokens[..., 1:].flatten())
        optimizer.zero_grad()
        (model.seeds * loss).backward()
        optimizer.step()
        schedule.step()


def rolling_mask(length: int, window: int, sinks: int) -> Tensor:
    """What each query sees of a rolling cache: [queries, keys]."""
    position = torch.arange(length)
    distance = position[:, None] - position
    return (distance >= 0) & ((distance < window) | (position < sinks))


@torch.no_grad()
def losses(model: Model, tokens: Tensor, mask: Tensor | None) -> Tensor:
    """By seed and position, [seeds, length], in nats."""
    logits = model(tokens[..., :-1], mask)
    found = F.cross_entropy(logits.flatten(0, -2), tokens[..., 1:].flatten(), reduction="none")
    return found.view(tokens[..., 1:].shape).mean(dim=1)


@torch.no_grad()
def shares(model: Model, tokens: Tensor) -> dict[str, list[float]]:
    """Of the last layer, by seed, for queries from CLIP on: mean weight on the first token at
    triggers ("busy") and elsewhere ("idle"), and the mean sum of the weights elsewhere."""
    weights = model.forward(tokens[..., :-1])[1][-1][..., CLIP:, :].mean(dim=2)
    first, total = weights[..., 0], weights.sum(dim=-1)  # [seeds, batch, queries]
    busy = tokens[..., CLIP:-1] < TRIGGERS
    asked = {"busy": (first, busy), "idle": (first, ~busy), "sum": (total, ~busy)}
    return {name: ((x * at).sum(dim=(1, 2)) / at.sum(dim=(1, 2))).tolist()
            for name, (x, at) in asked.items()}  # fmt: skip


@torch.no_grad()
def said_by_start(model: Model) -> list[float]:
    """What the first layer adds for a weight of 1 on the start token, beside the mean of the other
    tokens: lengths of the vectors after W_o, by seed."""
    W = model.W[0]
    said = norm(model.embed) @ W["qkv"][..., 2 * D_MODEL :] @ W["o"]
    size = said.norm(dim=-1)  # [seeds, symbols]
    return (size[:, START] / size[:, :START].mean(dim=-1)).tolist()
