"""Multi-head attention as the chapter writes it, and PyTorch's packed weights loaded into it."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class MultiHeadAttention(nn.Module):
    """Split, attend, merge, project. Mask: True = may attend; every query has a key.

    `always_drops` is the defect of claim 17: dropout that does not know the evaluation mode.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        always_drops: bool = False,
    ) -> None:
        super().__init__()
        self.num_heads, self.dropout, self.always_drops = num_heads, dropout, always_drops
        self.W_q, self.W_k, self.W_v, self.W_o = (
            nn.Linear(d_model, d_model, bias=bias) for _ in range(4)
        )

    def split(self, x: Tensor) -> Tensor:
        """[batch, length, d_model] to [batch, heads, length, d_k]."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def turn(self, x: Tensor) -> Tensor:
        """What is done to queries and to keys by their positions; here nothing."""
        return x

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, queries, d_model] and weights [batch, heads, queries, keys]."""
        query, key = (
            self.turn(self.split(W(x))) for W, x in ((self.W_q, query), (self.W_k, key))
        )  # each [batch, heads, length, d_k]
        value = self.split(self.W_v(value))  # [batch, heads, keys, d_k]
        scores = query @ key.mT / math.sqrt(key.size(-1))  # [batch, heads, queries, keys]
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        drops = self.training or self.always_drops
        output = F.dropout(weights, self.dropout, training=drops) @ value
        return self.W_o(output.transpose(1, 2).flatten(-2)), weights


class RotaryAttention(MultiHeadAttention):
    """The same with rotary positions (Su et al. 2021): pairs of features turn with the position."""

    def turn(self, x: Tensor) -> Tensor:
        """Each of query and key turned, pair by pair, by its position times a speed of the pair."""
        length, d_k = x.shape[-2:]
        speed = 10_000.0 ** -(torch.arange(0, d_k, 2, dtype=x.dtype) / d_k)  # [pairs]
        angle = torch.arange(length, dtype=x.dtype)[:, None] * speed  # [length, pairs]
        first, second = x.unflatten(-1, (-1, 2)).unbind(dim=-1)  # each [..., length, pairs]
        turned = (
            first * angle.cos() - second * angle.sin(),
            first * angle.sin() + second * angle.cos(),
        )
        return torch.stack(turned, dim=-1).flatten(-2)


def packed(layer: nn.MultiheadAttention) -> dict[str, Tensor]:
    """The state dict of our module from PyTorch's, whose queries, keys and values are stacked."""
    theirs = layer.state_dict()
    ours = {"W_o.weight": theirs["out_proj.weight"]}
    rows = theirs["in_proj_weight"].chunk(3)  # each [d_model, d_model]
    ours |= {f"W_{name}.weight": part for name, part in zip("qkv", rows, strict=True)}
    if "in_proj_bias" in theirs:
        ours["W_o.bias"] = theirs["out_proj.bias"]
        rows = theirs["in_proj_bias"].chunk(3)  # each [d_model]
        ours |= {f"W_{name}.bias": part for name, part in zip("qkv", rows, strict=True)}
    return ours


def causal(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()  # [queries, keys]
