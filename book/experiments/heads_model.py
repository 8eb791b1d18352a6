"""A transformer of attention alone: no MLP, so that only heads can do anything.

Each head has a gate, which is 1; set to 0 it silences the head, and what is given instead of its
output, if anything, takes its place.
"""

import math

import torch
from torch import Tensor, nn

SYMBOLS, LENGTH, D_MODEL, HEADS, LAYERS = 24, 32, 64, 4, 2


def waves(length: int, d_model: int) -> Tensor:
    """Sinusoidal positions whose slowest wave is about as long as the window. [length, d_model]"""
    position = torch.arange(length)[:, None]
    speed = torch.exp(-math.log(length) * torch.arange(0, d_model, 2) / d_model)
    return torch.cat([torch.sin(position * speed), torch.cos(position * speed)], dim=1)


class Attention(nn.Module):
    """Causal multi-head self-attention without biases."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )

    def forward(
        self, x: Tensor, gates: Tensor, instead: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """x: [batch, length, d_model], gates: [heads]. Returns output and weights.

        `instead` [batch, heads, queries, d_v] takes the place of the output of heads whose gate
        is 0; without it they give zero.
        """
        query, key, value = (
            W(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for W in (self.W_q, self.W_k, self.W_v)
        )  # each [batch, heads, length, d_k]
        length, gates = x.size(1), gates[:, None, None]
        mask = torch.ones(length, length, dtype=torch.bool).tril()  # [queries, keys]
        scores = query @ key.mT / math.sqrt(query.size(-1))  # [batch, heads, queries, keys]
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        output = gates * (weights @ value)  # [batch, heads, queries, d_v]
        if instead is not None:
            output = output + (1 - gates) * instead
        return self.W_o(output.transpose(1, 2).flatten(-2)), weights


class AttentionOnly(nn.Module):
    """Embedding plus positions, residual layers of attention, readout."""

    position: Tensor  # [length, d_model]

    def __init__(
        self, num_layers: int = LAYERS, num_heads: int = HEADS, d_model: int = D_MODEL
    ) -> None:
        super().__init__()
        self.num_layers, self.num_heads = num_layers, num_heads
        self.embed = nn.Embedding(SYMBOLS, d_model)
        self.register_buffer("position", waves(LENGTH, d_model))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(num_layers + 1))
        self.layers = nn.ModuleList(Attention(d_model, num_heads) for _ in range(num_layers))
        self.readout = nn.Linear(d_model, SYMBOLS, bias=False)

    def forward(
        self, tokens: Tensor, gates: Tensor | None = None, instead: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """tokens: [batch, length], gates: [layers, heads], 1 = the head works, 0 = it is silent.

        `instead` [layers, batch, heads, queries, d_v]: what silent heads give, zero without it.
        Returns logits [batch, length, symbols] and weights [layers, batch, heads, queries, keys].
        """
        gates = torch.ones(self.num_layers, self.num_heads) if gates is None else gates
        x = self.embed(tokens) + self.position[: tokens.size(1)]  # [batch, length, d_model]
        kept = []
        for at, layer in enumerate(self.layers):
            other = None if instead is None else instead[at]
            output, weights = layer(self.norms[at](x), gates[at], other)
            x = x + output
            kept.append(weights)
        return self.readout(self.norms[-1](x)), torch.stack(kept)
