"""A small transformer in which one thing can be wrong, for the laboratory of chapter 11.

Two pre-norm blocks, learned positions, dropout, a readout that is tied to the embedding. Several
seeds are trained at once, as the first axis. `Use` says how the model is called: in training or
not, with each row alone, token by token.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

WIDTH, HEADS, HIDDEN, LAYERS, DROPOUT, LONGEST = 32, 4, 64, 2, 0.1, 24

# What can be wrong, by the name that pages print: of the model, of the data, of the loop.
IN_MODEL = (
    "no root",
    "softmax over the queries",
    "mask inverted",
    "one key ahead",
    "masked after the softmax",
    "heads not merged",
    "dropout never ends",
    "batch statistics",
    "positions restart",
    "tie lost",
    "padding in the mean",
)
IN_DATA = ("targets not shifted",)
IN_LOOP = ("gradients kept", "clipped after the step")
RIGHT = "nothing"
DEFECTS = (*IN_MODEL, *IN_DATA, *IN_LOOP)
# Chosen because they should keep a model from learning, as those above do not.
LOUD = ("blocks detached", "steps uphill", "softmax over the positions", "targets out of order")


@dataclass(frozen=True)
class Use:
    """How a model is called."""

    training: bool = False
    alone: bool = False  # each row as if it were the only one
    by_token: bool = False  # positions as in calls of one token; there is no cache


class Model:
    """One model per seed, with one defect; `pooled` returns one row of logits a text."""

    def __init__(self, symbols: int, defect: str, seeds: range, pooled: bool = False) -> None:
        self.defect, self.pooled, self.seeds = defect, pooled, len(seeds)
        self.rng = torch.Generator().manual_seed(seeds.start)
        self.embed = self.normal(0.5, symbols, WIDTH)
        self.place = self.normal(0.5, LONGEST, WIDTH)
        self.blocks = [self.block() for _ in range(LAYERS)]
        self.parameters = [self.embed, self.place, *(w for block in self.blocks for w in block)]
        self.readout = self.embed
        if defect == "tie lost":
            self.readout = self.embed.detach().clone().requires_grad_()
            self.parameters.append(self.readout)
        self.noise = torch.Generator().manual_seed(seeds.start + 1)

    def block(self) -> list[Tensor]:
        """W_q, W_k, W_v, W_o and the two matrices of the MLP."""
        inward, small = WIDTH**-0.5, (2 * LAYERS * WIDTH) ** -0.5
        attention = [self.normal(inward, WIDTH, WIDTH) for _ in range(3)]
        mlp = [self.normal(inward, WIDTH, HIDDEN), self.normal(small, HIDDEN, WIDTH)]
        return [*attention, self.normal(small, WIDTH, WIDTH), *mlp]

    def normal(self, std: float, *shape: int) -> Tensor:
        made = std * torch.randn(self.seeds, *shape, generator=self.rng)
        return made.requires_grad_()

    def __call__(self, tokens: Tensor, real: Tensor, use: Use) -> Tensor:
        """tokens, real: [seeds, batch, length]. Logits [seeds, batch, (length,) symbols]."""
        x = self.embedded(tokens, use)  # [seeds, batch, length, width]
        for W_q, W_k, W_v, W_o, W_in, W_out in self.blocks:
            heads = self.attend(_norm(x), (W_q, W_k, W_v), real)
            x = x + self.dropped(_apply(heads, W_o), use)
            x = x + self.dropped(_apply(F.gelu(_apply(_norm(x), W_in)), W_out), use)
        if self.defect == "blocks detached":  # nothing but the readout gets a gradient
            x = x.detach()
        x = self.centred(_norm(x), use)
        return _apply(self.mean(x, real) if self.pooled else x, self.readout.mT)

    def embedded(self, tokens: Tensor, use: Use) -> Tensor:
        at = torch.arange(tokens.size(-1))
        if self.defect == "positions restart" and use.by_token:
            at = torch.zeros_like(at)  # each call begins at position 0
        seed = torch.arange(self.seeds)[:, None, None]
        return self.dropped(self.embed[seed, tokens] + self.place[:, None, at], use)

    def dropped(self, x: Tensor, use: Use) -> Tensor:
        if not (use.training or self.defect == "dropout never ends"):
            return x
        kept = torch.rand(x.shape, generator=self.noise) >= DROPOUT
        return x * kept / (1 - DROPOUT)

    def centred(self, x: Tensor, use: Use) -> Tensor:
        """With the defect, each feature relative to its mean over the rows of the batch."""
        if self.defect != "batch statistics":
            return x
        return x - (x if use.alone else x.mean(dim=1, keepdim=True))

    def allowed(self, real: Tensor) -> Tensor:
        """True = may attend: [seeds, batch, 1, queries, keys]."""
        length = real.size(-1)
        if self.pooled:
            seen = ~real if self.defect == "mask inverted" else real
            return seen[:, :, None, None, :].expand(-1, -1, 1, length, length)
        i, j = torch.arange(length)[:, None], torch.arange(length)
        ahead = 1 if self.defect == "one key ahead" else 0
        return (j >= i if self.defect == "mask inverted" else j <= i + ahead)[None, None, None]

    def attend(self, x: Tensor, matrices: tuple[Tensor, ...], real: Tensor) -> Tensor:
        query, key, value = (
            _apply(x, W).unflatten(-1, (HEADS, -1)).transpose(2, 3) for W in matrices
        )  # [seeds, batch, heads, length, d_k]
        root = 1 if self.defect == "no root" else math.sqrt(query.size(-1))
        heads = self.weights(query @ key.mT / root, self.allowed(real)) @ value
        if self.defect != "heads not merged":
            heads = heads.transpose(2, 3)
        return heads.reshape(x.shape)

    def weights(self, scores: Tensor, mask: Tensor) -> Tensor:
        """A query that may attend to nothing gets zeros."""
        if self.defect == "masked after the softmax":
            return scores.softmax(dim=-1) * mask
        axis = -2 if self.defect == "softmax over the queries" else -1
        return scores.masked_fill(~mask, -1e9).softmax(dim=axis) * mask

    def mean(self, x: Tensor, real: Tensor) -> Tensor:
        if self.defect == "padding in the mean":
            return x.mean(dim=2)
        return (x * real[..., None]).sum(dim=2) / real.sum(dim=2)[..., None]


def _norm(x: Tensor) -> Tensor:
    return F.layer_norm(x, (WIDTH,))


def _apply(x: Tensor, matrix: Tensor) -> Tensor:
    """Each seed's matrix, applied to its batch: [seeds, batch, ..., width]."""
    return (x.flatten(1, -2) @ matrix).unflatten(1, x.shape[1:-1])
