"""A transformer of attention alone: two layers, no MLP, so that only heads can do anything.

Each head has a gate, which is 1; set to 0 it silences the head. Weights are returned on request.
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

    def __init__(self) -> None:
        super().__init__()
        self.W_q, self.W_k, self.W_v, self.W_o = (
            nn.Linear(D_MODEL, D_MODEL, bias=False) for _ in range(4)
        )

    def forward(self, x: Tensor, gates: Tensor) -> tuple[Tensor, Tensor]:
        """x: [batch, length, d_model], gates: [heads]. Returns output and weights."""
        batch, length, _ = x.shape
        query, key, value = (
            W(x).view(batch, length, HEADS, -1).transpose(1, 2)  # [batch, heads, length, d_k]
            for W in (self.W_q, self.W_k, self.W_v)
        )
        mask = torch.ones(length, length, dtype=torch.bool).tril()  # [queries, keys]
        scores = query @ key.mT / math.sqrt(query.size(-1))  # [batch, heads, queries, keys]
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        output = gates[:, None, None] * (weights @ value)  # [batch, heads, queries, d_v]
        return self.W_o(output.transpose(1, 2).reshape(batch, length, D_MODEL)), weights


class AttentionOnly(nn.Module):
    """Embedding plus positions, two residual layers of attention, readout."""

    position: Tensor  # [length, d_model]

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(SYMBOLS, D_MODEL)
        self.register_buffer("position", waves(LENGTH, D_MODEL))
        self.norms = nn.ModuleList(nn.LayerNorm(D_MODEL) for _ in range(LAYERS + 1))
        self.layers = nn.ModuleList(Attention() for _ in range(LAYERS))
        self.readout = nn.Linear(D_MODEL, SYMBOLS, bias=False)

    def forward(self, tokens: Tensor, gates: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """tokens: [batch, length], gates: [layers, heads], 1 = the head works, 0 = it is silent.

        Returns logits [batch, length, symbols] and weights [layers, batch, heads, queries, keys].
        """
        gates = torch.ones(LAYERS, HEADS) if gates is None else gates
        x = self.embed(tokens) + self.position[: tokens.size(1)]  # [batch, length, d_model]
        kept = []
        for at, layer in enumerate(self.layers):
            output, weights = layer(self.norms[at](x), gates[at])
            x = x + output
            kept.append(weights)
        return self.readout(self.norms[-1](x)), torch.stack(kept)
