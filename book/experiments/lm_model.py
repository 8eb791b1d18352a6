"""Small language models: a transformer with parts that can be taken away, and a GRU.

The work of a token is counted: two operations for each multiplication with a weight, and for each
score that is computed, those above the diagonal too, as the kernel may.
"""

import math
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

VOCABULARY, LENGTH, D_MODEL = 384, 32, 32
SMALL = 0.1


@dataclass(frozen=True)
class Kind:
    """What a transformer is made of.

    attention: "learned", "mean" (all earlier tokens alike) or "none". positions: "rope",
    "alibi", "learned" or "none". window: how many keys a query sees, 0 for all.
    """

    layers: int = 2
    heads: int = 4
    kv_heads: int = 4
    attention: str = "learned"
    root: bool = True
    causal: bool = True
    residual: bool = True
    norm: bool = True
    mlp: bool = True
    positions: str = "rope"
    window: int = 0
    d_model: int = D_MODEL
    vocabulary: int = VOCABULARY
    longest: int = LENGTH
    small: float = SMALL  # what the last matrices of a block are multiplied by at the start


@cache
def turns(half: int, start: int, length: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines of the angles of each position and pair. [length, half]"""
    rates = 10000.0 ** (-torch.arange(half) / half)
    angles = torch.arange(start, start + length)[:, None] * rates
    return angles.cos(), angles.sin()


def rotated(x: Tensor, start: int = 0) -> Tensor:
    """Pairs of features turned by their position. x: [batch, heads, length, d_k]"""
    first, second = x.chunk(2, dim=-1)
    cos, sin = turns(first.size(-1), start, x.size(2))
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


def biased(mask: Tensor | None, heads: int, queries: int, keys: int) -> Tensor:
    """ALiBi: a head's slope times the distance, and minus infinity where the mask is False."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    distance = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * distance.abs()
    return bias if mask is None else bias.masked_fill(~mask, -math.inf)


class Attention(nn.Module):
    def __init__(self, kind: Kind):
        super().__init__()
        self.kind, self.d_k = kind, kind.d_model // kind.heads
        widths = [self.d_k * heads for heads in (kind.heads, kind.kv_heads, kind.kv_heads)]
        self.W_q, self.W_k, self.W_v = (nn.Linear(kind.d_model, n, bias=False) for n in widths)
        self.W_o = nn.Linear(kind.d_model, kind.d_model, bias=False)

    def forward(self, x: Tensor, cache: list[Tensor] | None = None) -> Tensor:
        query, key, value = (
            W(x).unflatten(-1, (-1, self.d_k)).transpose(1, 2)
            for W in (self.W_q, self.W_k, self.W_v)
        )  # [batch, heads, length, d_k]
        if self.kind.positions == "rope":
            start = cache[0].size(2) if cache else 0
            query, key = rotated(query, start), rotated(key, start)
        if cache is not None:
            if cache:
                key, value = torch.cat([cache[0], key], dim=2), torch.cat([cache[1], value], dim=2)
            cache[:] = key, value
        key, value = (part.repeat_interleave(self.kind.heads // self.kind.kv_heads, dim=1)
                      for part in (key, value))  # fmt: skip
        if self.kind.attention == "mean":
            query = torch.zeros_like(query)
        scale = 1 / math.sqrt(self.d_k) if self.kind.root else 1.0
        mask = self.mask(query.size(2), key.size(2))
        if self.kind.positions == "alibi":
            mask = biased(mask, self.kind.heads, query.size(2), key.size(2))
        found = F.scaled_dot_product_attention(query, key, value, mask, scale=scale)
        return self.W_o(found.transpose(1, 2).flatten(2))

    def mask(self, queries: int, keys: int) -> Tensor | None:
        """True where a query may attend; the last query stands at the last key."""
        if not self.kind.causal:
            return None
        seen = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
        return seen.triu(keys - queries + 1 - self.kind.window) if self.kind.window else seen


class Block(nn.Module):
    def __init__(self, kind: Kind):
        super().__init__()
        self.kind = kind
        self.parts = nn.ModuleList()
        if kind.attention != "none":
            self.parts.append(Attention(kind))
        if kind.mlp:
            inner = 4 * kind.d_model
            wide = (nn.Linear(kind.d_model, inner), nn.GELU(), nn.Linear(inner, kind.d_model))
            self.parts.append(nn.Sequential(*wide))
        norm = nn.RMSNorm if kind.norm else nn.Identity
        self.norms = nn.ModuleList(norm(kind.d_model) for _ in self.parts)

    def forward(self, x: Tensor, cache: list[Tensor] | None = None) -> Tensor:
        for norm, part in zip(self.norms, self.parts, strict=True):
            given = (norm(x), cache) if isinstance(part, Attention) else (norm(x),)
            found = part(*given)
            x = x + found if self.kind.residual else found
        return x


class Transformer(nn.Module):
    """Tokens [batch, length] to logits [batch, length, vocabulary]; one table at both ends."""

    def __init__(self, kind: Kind):
        super().__init__()
        self.kind = kind
        self.embed = nn.Embedding(kind.vocabulary, kind.d_model)
        self.positions = nn.Embedding(kind.longest, kind.d_model)
        self.blocks = nn.ModuleList(Block(kind) for _ in range(kind.layers))
        self.norm = nn.RMSNorm(kind.d_model) if kind.norm else nn.Identity()
        for weight in (self.embed.weight, self.positions.weight):
            nn.init.normal_(weight, std=1 / math.sqrt(kind.d_model))
        for name, weight in self.named_parameters():
            if name.endswith(("W_o.weight", "2.weight")) and kind.residual:
                weight.data *= kind.small  # at first each part adds little to what is embedded

    def forward(self, tokens: Tensor, caches: list[list[Tensor]] | None = None) -> Tensor:
        x = self.embed(tokens)
        start = caches[0][0].size(2) if caches and caches[0] else 0
        if self.kind.positions == "learned":
            x = x + self.positions(torch.arange(start, start + tokens.size(1)))
        for at, block in enumerate(self.blocks):
            x = block(x, None if caches is None else caches[at])
        return F.linear(self.norm(x), self.embed.weight)

    def work(self) -> float:
        """Operations of a token forward, in a whole window."""
        weights = sum(
            part.numel() for name, part in self.blocks.named_parameters() if part.dim() > 1
        )
        attends = self.kind.attention != "none"
        scores = self.kind.layers * 2 * self.kind.longest * self.kind.d_model if attends else 0
        return 2.0 * (weights + scores + self.embed.weight.numel())


class Recurrent(nn.Module):
    """A GRU, with embedding and readout shared as above."""

    def __init__(self, width: int = 64, layers: int = 1, vocabulary: int = VOCABULARY):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.gru = nn.GRU(width, width, layers, batch_first=True)
        nn.init.normal_(self.embed.weight, std=1 / math.sqrt(width))

    def forward(self, tokens: Tensor) -> Tensor:
        return F.linear(self.gru(self.embed(tokens))[0], self.embed.weight)

    def work(self) -> float:
        weights = [part for part in self.gru.parameters() if part.dim() > 1]
        return 2.0 * (sum(map(Tensor.numel, weights)) + self.embed.weight.numel())
