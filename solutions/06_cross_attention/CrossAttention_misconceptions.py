"""Known mistakes of `CrossAttention`."""

import math

import torch
from torch import nn

from .CrossAttention import exercise


class Layers(nn.Module):
    """What the wrong modules have in common: their layers, and parts that are right."""

    def __init__(self, d_model, d_memory, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q, self.W_o = (
            nn.Linear(d_model, d_model, bias=False),
            nn.Linear(d_model, d_model, bias=False),
        )
        self.W_k, self.W_v = (
            nn.Linear(d_memory, d_model, bias=False),
            nn.Linear(d_memory, d_model, bias=False),
        )

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def projected(self, x, memory):
        return self.split(self.W_q(x)), self.split(self.W_k(memory)), self.split(self.W_v(memory))

    def share(self, query, key, mask):
        scores = query @ key.mT / query.size(-1) ** 0.5
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        return scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)

    def finish(self, weights, value):
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@exercise.misconception(
    "Calls raise. If the message names the state_dict: compare the names and shapes of your layers "
    "with the table; `nn.Linear` has a bias unless told otherwise. Which layers read the memory?"
)
class ReadsTheMemoryWithTheWidthOfX(nn.Module):
    def __init__(self, d_model, d_memory, num_heads):
        super().__init__()
        self.num_heads = num_heads
        for part in "qkvo":
            self.add_module(f"W_{part}", nn.Linear(d_model, d_model, bias=False))

    def forward(self, x, memory, mask=None):
        q, k, v = (
            layer(y).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for layer, y in ((self.W_q, x), (self.W_k, memory), (self.W_v, memory))
        )
        scores = q @ k.mT / q.size(-1) ** 0.5
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        weights = scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)
        return self.W_o((weights @ v).transpose(1, 2).flatten(2)), weights


@exercise.misconception(
    "Where the widths agree, your keys and values come from x: that is self-attention. What does "
    "the memory answer with?"
)
class AttendsToItself(Layers):
    def forward(self, x, memory, mask=None):
        memory = x if x.shape == memory.shape else memory
        query, key, value = self.projected(x, memory)
        return self.finish(self.share(query, key, mask), value)


@exercise.misconception(
    "Heads are cut with `view` or `reshape` alone: each is a block of tokens, not a part of every "
    "token's features. Which two axes have to change places?"
)
class ViewsWithoutATranspose(Layers):
    def forward(self, x, memory, mask=None):
        sizes = (x.size(0), self.num_heads, -1, self.W_q.out_features // self.num_heads)
        query, key = self.W_q(x).reshape(sizes), self.W_k(memory).reshape(sizes)
        return self.finish(self.share(query, key, mask), self.W_v(memory).reshape(sizes))


@exercise.misconception(
    "The weights are right, the output is not: the heads were merged without exchanging heads and "
    "queries first."
)
class MergesWithoutATranspose(Layers):
    def forward(self, x, memory, mask=None):
        query, key, value = self.projected(x, memory)
        weights = self.share(query, key, mask)
        return self.W_o((weights @ value).reshape(x.shape)), weights


@exercise.misconception(
    "You divide by the root of d_model. A score of one head sums how many products?"
)
class ScalesByDModel(Layers):
    def forward(self, x, memory, mask=None):
        query, key, value = self.projected(x, memory)
        query = query * (query.size(-1) / x.size(-1)) ** 0.5
        return self.finish(self.share(query, key, mask), value)


@exercise.misconception(
    "The weights are right, but the heads' output was not projected. What is W_o for?"
)
class ForgetsWO(Layers):
    def forward(self, x, memory, mask=None):
        query, key, value = self.projected(x, memory)
        weights = self.share(query, key, mask)
        return (weights @ value).transpose(1, 2).flatten(2), weights


@exercise.misconception(
    "A causal mask has slipped in. Every target token may look at the whole memory."
)
class AddsACausalMask(Layers):
    def forward(self, x, memory, mask=None):
        query, key, value = self.projected(x, memory)
        causal = torch.ones(x.size(1), memory.size(1), dtype=torch.bool, device=x.device).tril()
        return self.finish(self.share(query, key, causal if mask is None else mask & causal), value)


@exercise.misconception(
    "You attend to exactly what the mask forbids. In this course True means: may attend."
)
class AttendsToWhatIsForbidden(Layers):
    def forward(self, x, memory, mask=None):
        query, key, value = self.projected(x, memory)
        return self.finish(self.share(query, key, None if mask is None else ~mask), value)


@exercise.misconception(
    "A memory of nothing but padding gives NaN. With -inf alone a row without a key is NaN after "
    "the softmax; its weights are to be 0."
)
class LeavesEmptyRowsNan(Layers):
    def forward(self, x, memory, mask=None):
        query, key, value = self.projected(x, memory)
        scores = query @ key.mT / query.size(-1) ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask, -math.inf)
        return self.finish(scores.softmax(dim=-1), value)


@exercise.misconception(
    "A memory of nothing but padding gives its average. If you fill with -1e9: all scores are then "
    "equal, and half precision cannot hold that number."
)
class FillsWithMinus1e9(Layers):
    def forward(self, x, memory, mask=None):
        query, key, value = self.projected(x, memory)
        scores = query @ key.mT / query.size(-1) ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
        return self.finish(scores.softmax(dim=-1), value)


@exercise.misconception(
    "You average the weights over the heads. Asked for are those of every head."
)
class AveragesTheWeights(Layers):
    def forward(self, x, memory, mask=None):
        query, key, value = self.projected(x, memory)
        weights = self.share(query, key, mask)
        return self.finish(weights, value)[0], weights.mean(dim=1)
