"""Known mistakes of `MultiHeadAttention`."""

import math

import torch
import torch.nn.functional as F  # noqa: F401
from torch import nn

from .MultiHeadAttention import exercise


class Layers(nn.Module):
    """What the wrong modules have in common: they differ from this in one method."""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True, kdim=None, vdim=None):
        super().__init__()
        self.num_heads, self.dropout = num_heads, dropout
        self.W_q, self.W_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(2))
        self.W_k = nn.Linear(kdim or d_model, d_model, bias=bias)
        self.W_v = nn.Linear(vdim or d_model, d_model, bias=bias)

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # [batch, heads, length, d_k]

    def merge(self, heads):
        return heads.transpose(1, 2).flatten(2)  # [batch, queries, d_model]

    def projected(self, query, key, value):
        return self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))

    def score(self, query, key):
        return query @ key.mT / query.size(-1) ** 0.5  # [batch, heads, queries, keys]

    def share(self, scores, mask):
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        return scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)

    def finish(self, weights, value):
        output = self.W_o(self.merge(weights @ value))  # [batch, queries, d_model]
        return output, weights

    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        return self.finish(self.share(self.score(query, key), mask), value)


right = exercise.base(Layers)


# fmt: off
right.mistake("ViewsWithoutATranspose",
    {"unflatten(-1, (self.num_heads, -1)).transpose(1, 2)":
        "reshape(x.size(0), self.num_heads, -1, x.size(-1) // self.num_heads)"},
    "The heads are cut with `view` alone: each is a block of tokens, not a part of every token's "
    "features. Does the module call your `split_heads`?")
right.mistake("MergesWithoutATranspose",
    {"transpose(1, 2).flatten(2)": "reshape(len(heads), heads.size(2), -1)"},
    "The weights are right, the output is not: it was merged without exchanging heads and queries. "
    "Compare with your `merge_heads`.")
right.mistake("ScalesByDModel", {"query.size(-1)": "(self.num_heads * query.size(-1))"},
    "You divide by the root of d_model. A score of one head sums how many products?")
right.mistake("ForgetsToScale", {"mT / query.size(-1) ** 0.5": "mT"},
    "The scores are not scaled. A dot product's spread grows with the width of a head.")


@exercise.misconception(
    "The softmax runs over the queries: the columns of your weights sum to 1. Among what does a "
    "query share out its attention, and which axis of the scores is that?"
)
class NormalisesOverQueries(Layers):
    def share(self, scores, mask):
        return super().share(scores.mT, None if mask is None else mask.mT).mT


right.mistake("ForgetsWO", {"self.W_o(self.merge(weights @ value))": "self.merge(weights @ value)"},
    "The output of the heads was not projected. What is W_o for?")


@exercise.misconception(
    "You attend to exactly what the mask forbids. In this course True means: may attend."
)
class AttendsToWhatIsForbidden(Layers):
    def share(self, scores, mask):
        return super().share(scores, None if mask is None else ~mask)


@exercise.misconception("The mask changes nothing. Which scores does it leave to the softmax?")
class IgnoresTheMask(Layers):
    def share(self, scores, mask):
        return super().share(scores, None)


@exercise.misconception(
    "Where a masked score is far above the others, the allowed keys get nothing. If you mask after "
    "the softmax, hide the keys before it. If you add a number to the masked scores, put another "
    "score in their place."
)
class RenormalisesAfterTheSoftmax(Layers):
    def share(self, scores, mask):
        weights = scores.softmax(dim=-1)
        kept = weights if mask is None else weights * mask
        return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-6)


@exercise.misconception(
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, all "
    "weights are 0."
)
class LeavesEmptyRowsNan(Layers):
    fill = -math.inf

    def share(self, scores, mask):
        scores = scores if mask is None else scores.masked_fill(~mask, self.fill)
        return scores.softmax(dim=-1)


@exercise.misconception(
    "Where every key is masked you return an average of what nobody may attend to. If you fill "
    "with -1e9: all scores of such a row are then equal, and half precision cannot hold it."
)
class FillsWithMinus1e9(LeavesEmptyRowsNan):
    fill = -1e9


right.mistake("FillsWithAFiniteNumber", {"math.inf": "1e4"},
    "Where the scores are far below 0, masked keys take a share from the others. If you fill with "
    "a number such as -1e4: what is larger, that number or a score of -3e4?")
right.mistake("DropsInEvaluationMode",
    {"weights @ value": "F.dropout(weights, p=self.dropout) @ value"},
    "Weights are dropped in evaluation mode, too. `F.dropout` does not know in which mode the "
    "module is unless it is told: what does its argument `training` default to?")


@exercise.misconception("Keys and values are made of `query`, which only self-attention allows.")
class MakesAllThreeOfTheQuery(Layers):
    def projected(self, query, key, value):
        fits = query.size(2) == self.W_k.in_features
        return super().projected(query, *((query, query) if fits else (key, value)))


right.mistake("TakesValuesFromTheKeys", {"self.W_v(value)": "self.W_v(key)"},
    "The values are made of `key`. What is `value` for, and how wide is it?")


@exercise.misconception(
    "Without a mask no query attends to what comes after its position. None says that every key "
    "may be attended to."
)
class AddsACausalMask(Layers):
    def share(self, scores, mask):
        causal = torch.ones_like(scores, dtype=torch.bool).tril()
        return super().share(scores, causal if mask is None else mask)


right.mistake("AveragesTheWeights",
    {"return output, weights": "return output, weights.mean(dim=1)"},
    "The weights have no axis of heads. If you average over the heads, or squeeze an axis of "
    "length 1: asked for are the weights of every head.")
right.mistake("AttendsWithOneHead",
    {"x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": "x[:, None]"},
    "There is one head, as wide as the model, whatever `num_heads` says. Where do the queries and "
    "the keys get their axis of heads?")
right.mistake("ProjectsKeysWithWQ",
    {"return self.split":
        "layer = self.W_q if key.size(2) == self.W_q.in_features else self.W_k\n"
        "        return self.split",
     "self.W_k(key)": "layer(key)"},
    "Queries and keys went through the same layer. Which layer is for the keys?")


@exercise.misconception(
    "A mask of three axes was taken for one of each sequence. Broadcasting counts axes from the "
    "right: which axis of the scores does its first one meet?"
)
class TakesThreeAxesForTheBatch(Layers):
    def share(self, scores, mask):
        of_each = mask is not None and mask.dim() == 3
        return super().share(scores, mask[:, None] if of_each else mask)


@exercise.misconception(
    "A mask that is False everywhere has no effect, as if there were none. It says that no query "
    "may attend to anything. If you ask `mask.any()`: what do you want to know?"
)
class IgnoresAnEmptyMask(Layers):
    def share(self, scores, mask):
        return super().share(scores, mask if mask is not None and mask.any() else None)


@exercise.misconception(
    "Where no key may be attended to, your weights are right, and the output is 0. What does W_o "
    "make of a row of zeros?"
)
class ClearsTheOutputOfEmptyRows(Layers):
    def finish(self, weights, value):
        output, weights = super().finish(weights, value)
        return output.masked_fill((weights.sum(dim=-1) == 0).all(dim=1)[..., None], 0), weights


@exercise.misconception(
    "The result is right, but each head takes products of its own. With an axis of heads, one "
    "product makes the scores of all of them."
)
class GoesHeadByHead(Layers):
    def score(self, query, key):
        pairs = zip(query.unbind(1), key.unbind(1), strict=True)
        return torch.stack([q @ k.mT / q.size(-1) ** 0.5 for q, k in pairs], dim=1)

    def finish(self, weights, value):
        heads = [row @ v for row, v in zip(weights.unbind(1), value.unbind(1), strict=True)]
        return self.W_o(torch.cat(heads, dim=-1)), weights
