"""Known mistakes of `CrossAttention`."""

import math

import torch
import torch.nn.functional as F

from .CrossAttention import Layers, exercise


class Attention(Layers):
    """What the wrong modules have in common: they differ from this in one method."""

    def heads(self, layer, x):
        parts = layer(x).unflatten(-1, (self.num_heads, -1))
        return parts.transpose(1, 2)  # [batch, heads, length, d_k]

    def share(self, query, key, mask):
        scores = query @ key.mT / query.size(-1) ** 0.5  # [batch, heads, queries, keys]
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        return scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)

    def finish(self, weights, value):
        merged = (weights @ value).transpose(1, 2).flatten(2)  # [batch, queries, d_model]
        return self.W_o(merged), weights

    def forward(self, x, memory, mask=None):
        query, key = self.heads(self.W_q, x), self.heads(self.W_k, memory)
        return self.finish(self.share(query, key, mask), self.heads(self.W_v, memory))


right = exercise.base(Attention)


# fmt: off
@exercise.misconception(
    "Where the widths agree, your keys and values come from x: that is self-attention. What does "
    "the memory answer with?"
)
class AttendsToItself(Attention):
    def forward(self, x, memory, mask=None):
        return super().forward(x, x if x.shape == memory.shape else memory, mask)


right.mistake("UsesWqForTheKeys", {"W_k": "W_q"},
    "Where the widths agree, your keys are made with W_q: query and key have a matrix of their own "
    "each. Where they differ the call raises. Which layer turns the memory into keys?")
right.mistake("ExchangesKeysAndValues", {"W_k": "W_v", "W_v": "W_k"},
    "W_k and W_v are exchanged: what the memory is found by is not what it answers with.")


@exercise.misconception(
    "Wrong for a mask of three axes. It lines up with the scores from the right: which of their "
    "four axes has it not got?"
)
class TakesThreeAxesForSequences(Attention):
    def share(self, query, key, mask):
        each = mask is not None and mask.dim() == 3
        return super().share(query, key, mask[:, None] if each else mask)


@exercise.misconception(
    "Heads are cut with `view` or `reshape` alone: each is a block of tokens, not a part of every "
    "token's features. Which two axes have to change places?"
)
class ViewsWithoutATranspose(Attention):
    def heads(self, layer, x):
        width = layer.out_features // self.num_heads
        return layer(x).reshape(x.size(0), self.num_heads, -1, width)


@exercise.misconception(
    "Features are dealt out to the heads in turn. Head 0 has the first d_k of them, head 1 the "
    "next."
)
class DealsFeaturesOut(Attention):
    def heads(self, layer, x):
        return layer(x).unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)

    def finish(self, weights, value):
        return self.W_o((weights @ value).permute(0, 2, 3, 1).flatten(2)), weights


@exercise.misconception(
    "In training mode some of your weights are dropped. Here nothing is, in either mode."
)
class DropsInTraining(Attention):
    def finish(self, weights, value):
        dropped = F.dropout(weights, 0.1, self.training)
        return super().finish(dropped, value)[0], weights


@exercise.misconception(
    "The numbers are right, but each head has products of its own. Which axis can hold all heads, "
    "so that one product serves them?"
)
class ComputesHeadByHead(Attention):
    def share(self, query, key, mask):
        pairs = zip(query.split(1, dim=1), key.split(1, dim=1), strict=True)
        scores = torch.cat([q @ k.mT for q, k in pairs], dim=1) / query.size(-1) ** 0.5
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        return scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)

    def finish(self, weights, value):
        pairs = zip(weights.split(1, dim=1), value.split(1, dim=1), strict=True)
        heads = torch.cat([share @ of_head for share, of_head in pairs], dim=1)
        return self.W_o(heads.transpose(1, 2).flatten(2)), weights


@exercise.misconception(
    "Where all visible scores are far below 0, they get no weight. If the fill is a finite "
    "number: a visible score can be lower still. Which score is below every other?"
)
class FillsWithTooLittle(Attention):
    def share(self, query, key, mask):
        scores = query @ key.mT / query.size(-1) ** 0.5
        if mask is None:
            return scores.softmax(dim=-1)
        hidden = ~mask
        return scores.masked_fill(hidden, -1e4).softmax(dim=-1).masked_fill(hidden, 0)


right.mistake("MergesWithoutATranspose",
    {"merged = (weights @ value).transpose(1, 2).flatten(2)": "heads = weights @ value",
     "W_o(merged)": "W_o(heads.reshape(heads.size(0), heads.size(2), -1))"},
    "The weights are right, the output is not: the heads were merged without exchanging heads and "
    "queries first.")


@exercise.misconception(
    "You divide by the root of d_model. A score of one head sums how many products?"
)
class ScalesByDModel(Attention):
    def share(self, query, key, mask):
        return super().share(query * (1 / self.num_heads) ** 0.5, key, mask)


@exercise.misconception(
    "You multiply scores by the root of d_k. They are too large by as much as that: divide."
)
class MultipliesByTheRoot(Attention):
    def share(self, query, key, mask):
        return super().share(query * query.size(-1), key, mask)


@exercise.misconception(
    "The softmax runs over the queries: each token of the memory shares itself out among them. "
    "Which axis of the scores holds the keys?"
)
class NormalisesOverQueries(Attention):
    def share(self, query, key, mask):
        return super().share(key, query, None if mask is None else mask.mT).mT


@exercise.misconception(
    "The weights are right, but the heads' output was not projected. What is W_o for?"
)
class ForgetsWO(Attention):
    def finish(self, weights, value):
        return (weights @ value).transpose(1, 2).flatten(2), weights


@exercise.misconception(
    "A causal mask has slipped in. Every target token may look at the whole memory."
)
class AddsACausalMask(Attention):
    def share(self, query, key, mask):
        sizes = query.size(2), key.size(2)
        causal = torch.ones(sizes, dtype=torch.bool, device=query.device).tril()
        return super().share(query, key, causal if mask is None else mask & causal)


@exercise.misconception(
    "You attend to exactly what the mask forbids. In this course True means: may attend."
)
class AttendsToWhatIsForbidden(Attention):
    def share(self, query, key, mask):
        return super().share(query, key, None if mask is None else ~mask)


@exercise.misconception(
    "A memory of nothing but padding gives NaN. With -inf alone a row without a key is NaN after "
    "the softmax; its weights are to be 0."
)
class LeavesEmptyRowsNan(Attention):
    fill = -math.inf

    def share(self, query, key, mask):
        scores = query @ key.mT / query.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, self.fill)
        return scores.softmax(dim=-1)


@exercise.misconception(
    "A memory of nothing but padding gives its average. If you fill with -1e9: all scores are then "
    "equal, and half precision cannot hold that number."
)
class FillsWithMinus1e9(LeavesEmptyRowsNan):
    fill = -1e9


@exercise.misconception(
    "You average the weights over the heads. Asked for are those of every head."
)
class AveragesTheWeights(Attention):
    def finish(self, weights, value):
        return super().finish(weights, value)[0], weights.mean(dim=1)
