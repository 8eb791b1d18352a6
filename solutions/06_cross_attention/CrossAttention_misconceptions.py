"""Known mistakes of `CrossAttention`."""

import math

import torch
import torch.nn.functional as F  # noqa: F401

from .CrossAttention import Layers, exercise


class Attention(Layers):
    """A right module, from which the mistakes differ in a few words."""

    def heads(self, layer, x):
        return layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # [..., n, d_k]

    def share(self, q, k, mask):
        scores = q @ k.mT / q.size(-1) ** 0.5  # [batch, heads, queries, keys]
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        return scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)

    def forward(self, x, memory, mask=None):
        q, k = self.heads(self.W_q, x), self.heads(self.W_k, memory)
        weights, v = self.share(q, k, mask), self.heads(self.W_v, memory)
        output = self.W_o((weights @ v).transpose(1, 2).flatten(2))  # [batch, queries, d_model]
        return output, weights


right = exercise.base(Attention)


# fmt: off
right.mistake("AttendsToItself",
    {"q, k =": "memory = x if x.shape == memory.shape else memory\n        q, k ="},
    "Where the widths agree, your keys and values come from x, which is self-attention. What "
    "should be computed from the memory?")
right.mistake("UsesWqForTheKeys", {"W_k": "W_q"},
    "Where the widths agree, your keys are computed with W_q; where they differ, the call raises "
    "an exception. Query and key each have their own matrix. Which layer turns the memory into "
    "keys?")
right.mistake("ExchangesKeysAndValues", {"W_k": "W_v", "W_v": "W_k"},
    "W_k and W_v are exchanged. Keys are compared with the queries, and values are mixed by the "
    "weights. Which layer is for which?")
right.mistake("TakesThreeAxesForSequences",
    {"hidden =":
        "mask = mask[:, None] if mask is not None and mask.dim() == 3 else mask\n"
        "        hidden ="},
    "The result is wrong for a mask of three axes. It is aligned with the scores from the right. "
    "Which of their four axes does it lack?")
right.mistake("ViewsWithoutATranspose",
    {"unflatten(-1, (self.num_heads, -1)).transpose(1, 2)":
        "reshape(x.size(0), self.num_heads, -1, layer.out_features // self.num_heads)"},
    "The heads are cut with `view` or `reshape` alone, so each is a block of tokens, not a part "
    "of every token's features. Which two axes have to change places?")
right.mistake("DealsFeaturesOut",
    {"(self.num_heads, -1)).transpose(1, 2)": "(-1, self.num_heads)).permute(0, 3, 1, 2)",
     "(weights @ v).transpose(1, 2)": "(weights @ v).permute(0, 2, 3, 1)"},
    "Features are dealt out to the heads in turn. Head 0 should have the first d_k of them, and "
    "head 1 the next.")
right.mistake("DropsInTraining", {"weights @ v": "F.dropout(weights, 0.1, self.training) @ v"},
    "In training mode some of your weights are dropped. This module drops nothing, in either mode.")
right.mistake("ComputesHeadByHead",
    {"scores = q @ k.mT":
        "pairs = zip(q.split(1, dim=1), k.split(1, dim=1), strict=True)\n"
        "        scores = torch.cat([one @ other.mT for one, other in pairs], dim=1)",
     "output = self.W_o((weights @ v)":
        "pairs = zip(weights.split(1, dim=1), v.split(1, dim=1), strict=True)\n"
        "        heads = torch.cat([one @ other for one, other in pairs], dim=1)\n"
        "        output = self.W_o(heads"},
    "The numbers are right, but each head computes its own products. Which axis can hold all "
    "heads, so that one product computes them all?")
right.mistake("FillsWithTooLittle",
    {"hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask":
        "if mask is None:\n"
        "            return scores.softmax(dim=-1)\n"
        "        hidden = ~mask",
     "-math.inf": "-1e4"},
    "Where all visible scores are far below 0, they get no weight. If the fill is a finite "
    "number, a visible score can be lower. Which number is below every score?")
right.mistake("MergesWithoutATranspose",
    {"self.W_o((weights @ v).transpose(1, 2).flatten(2))":
        "self.W_o((weights @ v).reshape(q.size(0), q.size(2), -1))"},
    "The weights are right, but the output is not: the heads were merged without exchanging heads "
    "and queries first.")
right.mistake("ScalesByDModel", {"q @": "q * (1 / self.num_heads) ** 0.5 @"},
    "You divide by the root of d_model. A score of one head is a sum of how many products?")
right.mistake("MultipliesByTheRoot", {"q @": "q * q.size(-1) @"},
    "You multiply the scores by the root of d_k. Should they become larger or smaller?")
right.mistake("NormalisesOverQueries",
    {"q, k =": "k, q =", "~mask": "~mask.mT", "hidden, 0)": "hidden, 0).mT"},
    "The softmax runs over the queries, so each token of the memory shares out its weight among "
    "them. Which axis of the scores holds the keys?")
right.mistake("ForgetsWO",
    {"self.W_o((weights @ v).transpose(1, 2).flatten(2))":
        "(weights @ v).transpose(1, 2).flatten(2)"},
    "The weights are right, but the output of the heads is not projected. What is W_o for?")
right.mistake("AddsACausalMask",
    {"hidden =":
        "causal = torch.ones(q.size(2), k.size(2), dtype=torch.bool, device=q.device).tril()\n"
        "        mask = causal if mask is None else mask & causal\n"
        "        hidden ="},
    "Your attention has a causal mask. Every target token may look at the whole memory.")
right.mistake("AttendsToWhatIsForbidden",
    {"hidden =": "mask = None if mask is None else ~mask\n        hidden ="},
    "You attend to exactly what the mask forbids. In this course True means \"may attend\".")
right.mistake("LeavesEmptyRowsNan",
    {"hidden = torch.zeros_like(scores, dtype=torch.bool)": "scores = scores",
     "~mask": "scores.masked_fill(~mask, -math.inf)",
     "scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)":
        "scores.softmax(dim=-1)"},
    "A memory of nothing but padding gives NaN. With -inf alone, a row without a key is NaN after "
    "the softmax, but its weights should be 0.")
right.mistake("FillsWithMinus1e9",
    {"hidden = torch.zeros_like(scores, dtype=torch.bool)": "scores = scores",
     "~mask": "scores.masked_fill(~mask, -1e9)",
     "scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)":
        "scores.softmax(dim=-1)"},
    "A memory of nothing but padding gives its average. If you fill with -1e9, all scores are "
    "then equal, and half precision cannot represent that number.")
right.mistake("AveragesTheWeights",
    {"return output, weights": "return output, weights.mean(dim=1)"},
    "You average the weights over the heads. The exercise asks for those of every head.")
