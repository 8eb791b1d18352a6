"""A small causal transformer of attention alone that learns with six ways to know positions.

Several seeds are trained at once, as the first axis. Positions are arguments of the forward pass,
so that tokens can be put anywhere, and so is a window of keys.
"""

import math

import torch
from torch import Tensor

SCHEMES = ("none", "learned", "sinusoidal", "relative", "alibi", "rope")
LONGEST, D_MODEL, HEADS, CLIP = 256, 32, 4, 16
BASE = 10_000.0


def angles(positions: Tensor, width: int, base: float = BASE) -> Tensor:
    """Each position times the speed of each pair of columns: [length, width / 2]."""
    pairs = torch.arange(0, width, 2, dtype=torch.float64) / width
    return (positions.double()[:, None] * base**-pairs).to(torch.get_default_dtype())


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """The table of chapter 2: [length, width]."""
    angle = angles(positions, width)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)


def rotate(x: Tensor, angle: Tensor) -> Tensor:
    """x: [..., length, d_k], angle: [length, d_k / 2]. Turns entries 2r and 2r + 1 together."""
    first, second = x.unflatten(-1, (-1, 2)).unbind(dim=-1)  # each [..., length, pairs]
    cos, sin = angle.cos(), angle.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2)


def slopes(num_heads: int) -> Tensor:
    """Of ALiBi, for a power of two: 1/4, 1/16, 1/64 and 1/256 with four heads."""
    return 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)


class Model:
    """One model per seed. `clip` is the number of entries of the relative table, `base` RoPE's."""

    def __init__(
        self, scheme: str, layers: int, symbols: int, seeds: range, clip: int = CLIP
    ) -> None:
        self.scheme, self.layers, self.seeds = scheme, layers, len(seeds)
        self.base = BASE
        self.factor: float | Tensor = (
            1.0  # of the angles, for RoPE; one number for each pair, or one
        )
        self.rng = torch.Generator().manual_seed(seeds.start)
        self.embed = self.normal(1.0, symbols, D_MODEL)
        self.readout = self.normal(D_MODEL**-0.5, D_MODEL, symbols)
        self.W_qkv = [self.normal(D_MODEL**-0.5, D_MODEL, 3 * D_MODEL) for _ in range(layers)]
        small = (2 * layers * D_MODEL) ** -0.5
        self.W_o = [self.normal(small, D_MODEL, D_MODEL) for _ in range(layers)]
        self.parameters = [self.embed, self.readout, *self.W_qkv, *self.W_o]
        if scheme == "learned":
            self.table = self.normal(1.0, LONGEST, D_MODEL)
            self.parameters.append(self.table)
        if scheme == "relative":
            self.tables = [self.normal(0.0, HEADS, clip) for _ in range(layers)]
            self.parameters += self.tables

    def normal(self, std: float, *shape: int) -> Tensor:
        made = std * torch.randn(self.seeds, *shape, generator=self.rng)
        return made.requires_grad_()

    def __call__(
        self, tokens: Tensor, positions: Tensor | None = None, window: int = LONGEST
    ) -> Tensor:
        """tokens: [seeds, batch, length]. Returns logits [seeds, batch, length, symbols]."""
        return self.forward(tokens, positions, window)[0]

    def forward(
        self, tokens: Tensor, positions: Tensor | None = None, window: int = LONGEST
    ) -> tuple[Tensor, list[Tensor]]:
        """The logits, and each layer's weights [seeds, batch, heads, queries, keys]."""
        length = tokens.size(-1)
        positions = torch.arange(length) if positions is None else positions
        distance = positions[:, None] - positions  # [queries, keys]
        mask = (distance >= 0) & (distance < window)
        x = self.embedded(tokens, positions)  # [seeds, batch, length, d_model]
        kept = []
        for layer in range(self.layers):
            output, weights = self.attend(x, layer, positions, mask)
            x = x + output
            kept.append(weights)
        return _apply(x, self.readout), kept

    def embedded(self, tokens: Tensor, positions: Tensor) -> Tensor:
        seed = torch.arange(self.seeds)[:, None, None]
        x = self.embed[seed, tokens]
        if self.scheme == "learned":
            return x + self.table[:, None, positions]
        if self.scheme == "sinusoidal":
            return x + sinusoids(positions, D_MODEL)
        return x

    def attend(
        self, x: Tensor, layer: int, positions: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        query, key, value = self.project(x, layer)
        scores = self.scores(query, key, layer, positions)
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        output = (weights @ value).transpose(2, 3).flatten(-2)
        return _apply(output, self.W_o[layer]), weights

    def scores(self, query: Tensor, key: Tensor, layer: int, positions: Tensor) -> Tensor:
        """[seeds, batch, heads, queries, keys], of later keys as well."""
        if self.scheme == "rope":
            angle = angles(positions, query.size(-1), self.base) * self.factor
            query, key = rotate(query, angle), rotate(key, angle)
        return query @ key.mT / math.sqrt(query.size(-1)) + self.bias(layer, positions)

    def project(self, x: Tensor, layer: int) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value, each [seeds, batch, heads, length, d_k]."""
        parts = _apply(x, self.W_qkv[layer]).unflatten(-1, (3, HEADS, -1))
        query, key, value = parts.permute(3, 0, 1, 4, 2, 5)
        return query, key, value

    def bias(self, layer: int, positions: Tensor) -> Tensor:
        """What is added to the scores: [seeds, 1, heads, queries, keys], or what broadcasts."""
        distance = (positions[:, None] - positions).clamp(min=0)  # [queries, keys]
        if self.scheme == "alibi":
            return -slopes(HEADS)[:, None, None] * distance
        if self.scheme == "relative":
            table = self.tables[layer]
            return table[:, :, distance.clamp(max=table.size(-1) - 1)][:, None]
        return torch.zeros(())


def _apply(x: Tensor, matrix: Tensor) -> Tensor:
    """Each seed's matrix, applied to its batch: [seeds, batch, length, ...]."""
    return (x.flatten(1, 2) @ matrix).unflatten(1, x.shape[1:3])
