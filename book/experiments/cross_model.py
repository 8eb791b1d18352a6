"""A small encoder-decoder whose attention layers keep keys and values, if asked to.

One attention module serves three times: the encoder's self-attention, the decoder's causal
self-attention, and the decoder's cross-attention over the memory. Mask True = may attend.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

Layer = Callable[[int, int], nn.Module]  # made from d_model and num_heads
Kept = tuple[Tensor, Tensor]  # keys and values, each [batch, heads, keys, d_k]


class Attention(nn.Module):
    """Multi-head attention of x over a memory, which may have another length."""

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k, self.W_v = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, -1).transpose(1, 2)

    def keep(self, memory: Tensor) -> Kept:
        """Keys and values of a memory [batch, keys, d_model]: all that is needed of it."""
        return self.split(self.W_k(memory)), self.split(self.W_v(memory))

    def forward(self, x: Tensor, kept: Kept, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Output [batch, queries, d_model] and weights [batch, heads, queries, keys]."""
        query, (key, value) = self.split(self.W_q(x)), kept
        scores = query @ key.mT / query.size(-1) ** 0.5  # [batch, heads, queries, keys]
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        output = (weights @ value).transpose(1, 2)  # [batch, queries, heads, d_k]
        return self.W_o(output.reshape(x.shape)), weights


def mlp(d_model: int, times: int = 4) -> nn.Sequential:
    """Normalise each vector, then transform it by itself through `times` its width."""
    return nn.Sequential(
        nn.LayerNorm(d_model),
        nn.Linear(d_model, times * d_model),
        nn.GELU(),
        nn.Linear(times * d_model, d_model),
    )


class EncoderLayer(nn.Module):
    """Self-attention among the source tokens, then an MLP; normalised before each."""

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.norm, self.mlp = nn.LayerNorm(d_model), mlp(d_model)
        self.attend = Attention(d_model, num_heads)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        normed = self.norm(x)
        x = x + self.attend(normed, self.attend.keep(normed), mask)[0]
        return x + self.mlp(x)


class UnmixedLayer(nn.Module):
    """An encoder layer of the same size in which no token sees another: two MLPs per token."""

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.alone, self.mlp = mlp(d_model, 2), mlp(d_model)  # 4 d_model², as four projections

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = x + self.alone(x)
        return x + self.mlp(x)


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention over the memory, MLP; normalised before each."""

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attend_self = Attention(d_model, num_heads)
        self.attend_memory = Attention(d_model, num_heads)
        self.mlp = mlp(d_model)

    def forward(
        self,
        x: Tensor,
        memory: Kept,
        memory_mask: Tensor | None = None,
        past: Kept | None = None,
    ) -> tuple[Tensor, Tensor, Kept]:
        """Output, cross-attention weights, and the keys and values of all positions so far."""
        normed = self.norm_1(x)
        kept = self.attend_self.keep(normed)
        if past is not None:
            key, value = (torch.cat(pair, dim=2) for pair in zip(past, kept, strict=True))
            kept = key, value
        x = x + self.attend_self(normed, kept, causal(x.size(1), kept[0].size(2), x.device))[0]
        output, weights = self.attend_memory(self.norm_2(x), memory, memory_mask)
        x = x + output
        return x + self.mlp(x), weights, kept


def causal(queries: int, keys: int, device: torch.device | str = "cpu") -> Tensor:
    """The last query sees the last key. [queries, keys]"""
    ones = torch.ones(queries, keys, dtype=torch.bool, device=device)
    return ones.tril(diagonal=keys - queries)


class Translator(nn.Module):
    """An encoder layer, its output pooled or not, and a decoder layer, with learned positions."""

    def __init__(self, symbols: tuple[int, int], lengths: tuple[int, int], d_model: int,
                 num_heads: int, encoder: Layer = EncoderLayer, pooled: bool = False):  # fmt: skip
        super().__init__()
        self.pooled = pooled
        self.embed = nn.ModuleList(nn.Embedding(count, d_model) for count in symbols)
        self.position = nn.ParameterList(0.1 * torch.randn(n, d_model) for n in lengths)
        self.encoder = encoder(d_model, num_heads)
        self.norm_memory = nn.LayerNorm(d_model)
        self.decoder = DecoderLayer(d_model, num_heads)
        self.readout = nn.Sequential(nn.LayerNorm(d_model), nn.Linear(d_model, symbols[1]))

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Memory [batch, keys, d_model] and its mask [batch, 1, 1, keys]; 0 is padding."""
        real = source != 0  # [batch, keys]
        mask = real[:, None, None]
        x = self.embed[0](source) + self.position[0][: source.size(1)]
        x = self.norm_memory(self.encoder(x, mask))
        if not self.pooled:
            return x, mask
        mean = (x * real[..., None]).sum(dim=1, keepdim=True) / real.sum(dim=1)[:, None, None]
        return mean, mask[..., :1]

    def decode(
        self, target: Tensor, memory: Kept, mask: Tensor, past: Kept | None = None
    ) -> tuple[Tensor, Tensor, Kept]:
        """Logits of the next symbols, cross-attention weights, keys and values so far."""
        start = 0 if past is None else past[0].size(2)
        place = self.position[1][start : start + target.size(1)]
        x, weights, kept = self.decoder(self.embed[1](target) + place, memory, mask, past)
        return self.readout(x), weights, kept

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits [batch, length, symbols] with the true target as input."""
        memory, mask = self.encode(source)
        return self.decode(target, self.decoder.attend_memory.keep(memory), mask)[0]

    @torch.no_grad()
    def greedy(
        self, source: Tensor, start: int, steps: int, hidden: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The likeliest symbols [batch, steps], one at a time, and their cross-attention weights.

        Both caches are used; weights are [batch, heads, steps, keys]. The encoder sees what is
        `hidden` [batch, keys], the decoder may not attend to it.
        """
        memory, mask = self.encode(source)
        if hidden is not None:
            mask = mask & ~hidden[:, None, None]
        kept = self.decoder.attend_memory.keep(memory)
        past: Kept | None = None
        tokens, looked = [torch.full((source.size(0), 1), start)], []
        for _ in range(steps):
            logits, weights, past = self.decode(tokens[-1], kept, mask, past)
            tokens.append(logits.argmax(dim=-1))
            looked.append(weights)
        return torch.cat(tokens[1:], dim=1), torch.cat(looked, dim=2)
