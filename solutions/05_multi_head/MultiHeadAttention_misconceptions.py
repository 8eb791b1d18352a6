"""Known mistakes of `MultiHeadAttention`."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from .MultiHeadAttention import exercise


class Layers(nn.Module):
    """What the wrong modules have in common: their layers, and parts that are right."""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True, kdim=None, vdim=None):
        super().__init__()
        self.num_heads, self.dropout = num_heads, dropout
        self.W_q, self.W_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(2))
        self.W_k = nn.Linear(kdim or d_model, d_model, bias=bias)
        self.W_v = nn.Linear(vdim or d_model, d_model, bias=bias)

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def projected(self, query, key, value):
        return self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))

    def share(self, scores, mask):
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        weights = scores.masked_fill(hidden, -math.inf).softmax(dim=-1)
        return weights.masked_fill(hidden, 0)

    def finish(self, weights, value):
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


@exercise.misconception(
    "The heads are cut with `view` alone: each is a block of tokens, not a part of every token's "
    "features. Does the module call your `split_heads`?"
)
class ViewsWithoutATranspose(Layers):
    def forward(self, query, key, value, mask=None):
        sizes = (query.size(0), self.num_heads, -1, self.W_q.out_features // self.num_heads)
        query, key = self.W_q(query).reshape(sizes), self.W_k(key).reshape(sizes)
        weights = self.share(query @ key.mT / query.size(-1) ** 0.5, mask)
        return self.finish(weights, self.W_v(value).reshape(sizes))


@exercise.misconception(
    "The weights are right, the output is not: it was merged without exchanging heads and queries. "
    "Compare with your `merge_heads`."
)
class MergesWithoutATranspose(Layers):
    def forward(self, query, key, value, mask=None):
        queries, (query, key, value) = query.size(1), self.projected(query, key, value)
        weights = self.share(query @ key.mT / query.size(-1) ** 0.5, mask)
        return self.W_o((weights @ value).reshape(len(query), queries, -1)), weights


@exercise.misconception(
    "You divide by the root of d_model. A score of one head sums how many products?"
)
class ScalesByDModel(Layers):
    def forward(self, query, key, value, mask=None):
        width, (query, key, value) = query.size(-1), self.projected(query, key, value)
        return self.finish(self.share(query @ key.mT / width**0.5, mask), value)


@exercise.misconception(
    "The scores are not scaled. A dot product's spread grows with the width of a head."
)
class ForgetsToScale(Layers):
    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        return self.finish(self.share(query @ key.mT, mask), value)


@exercise.misconception("The output of the heads was not projected. What is W_o for?")
class ForgetsWO(Layers):
    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        weights = self.share(query @ key.mT / query.size(-1) ** 0.5, mask)
        return (weights @ value).transpose(1, 2).flatten(2), weights


@exercise.misconception(
    "You attend to exactly what the mask forbids. In this course True means: may attend."
)
class AttendsToWhatIsForbidden(Layers):
    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        weights = self.share(
            query @ key.mT / query.size(-1) ** 0.5, None if mask is None else ~mask
        )
        return self.finish(weights, value)


@exercise.misconception("The mask changes nothing. Which scores does it leave to the softmax?")
class IgnoresTheMask(Layers):
    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        return self.finish(self.share(query @ key.mT / query.size(-1) ** 0.5, None), value)


@exercise.misconception(
    "You mask after the softmax and divide by what is left of the row. When a masked score is far "
    "above the others nothing is left. Hide the keys before the softmax."
)
class RenormalisesAfterTheSoftmax(Layers):
    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        weights = (query @ key.mT / query.size(-1) ** 0.5).softmax(dim=-1)
        kept = weights if mask is None else weights * mask
        return self.finish(kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-6), value)


@exercise.misconception(
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, all "
    "weights are 0."
)
class LeavesEmptyRowsNan(Layers):
    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        scores = query @ key.mT / query.size(-1) ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask, -math.inf)
        return self.finish(scores.softmax(dim=-1), value)


@exercise.misconception(
    "Where every key is masked you return an average of what nobody may attend to. If you fill "
    "with -1e9: all scores of such a row are then equal, and half precision cannot hold it."
)
class FillsWithMinus1e9(Layers):
    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        scores = query @ key.mT / query.size(-1) ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
        return self.finish(scores.softmax(dim=-1), value)


@exercise.misconception(
    "Weights are dropped in evaluation mode, too. `F.dropout` does not know in which mode the "
    "module is unless it is told: what does its argument `training` default to?"
)
class DropsInEvaluationMode(Layers):
    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        weights = self.share(query @ key.mT / query.size(-1) ** 0.5, mask)
        return self.finish(F.dropout(weights, p=self.dropout), value)[0], weights


@exercise.misconception("Keys and values are made of `query`, which only self-attention allows.")
class MakesAllThreeOfTheQuery(Layers):
    def forward(self, query, key, value, mask=None):
        key, value = (query, query) if query.size(2) == self.W_k.in_features else (key, value)
        query, key, value = self.projected(query, key, value)
        return self.finish(self.share(query @ key.mT / query.size(-1) ** 0.5, mask), value)


@exercise.misconception(
    "You average the weights over the heads. Asked for are those of every head."
)
class AveragesTheWeights(Layers):
    def forward(self, query, key, value, mask=None):
        query, key, value = self.projected(query, key, value)
        weights = self.share(query @ key.mT / query.size(-1) ** 0.5, mask)
        return self.finish(weights, value)[0], weights.mean(dim=1)


@exercise.misconception(
    "The result is right, but each head takes products of its own. With an axis of heads, one "
    "product makes the scores of all of them."
)
class GoesHeadByHead(Layers):
    def forward(self, query, key, value, mask=None):
        parts = zip(*(x.unbind(1) for x in self.projected(query, key, value)), strict=True)
        pairs = [(q @ k.mT / q.size(-1) ** 0.5, v) for q, k, v in parts]
        weights = self.share(torch.stack([scores for scores, _ in pairs], dim=1), mask)
        heads = [row @ v for row, (_, v) in zip(weights.unbind(1), pairs, strict=True)]
        return self.W_o(torch.cat(heads, dim=-1)), weights
