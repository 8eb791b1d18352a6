"""Known mistakes of `MultiHeadAttention`."""

import math

import torch
import torch.nn.functional as F  # noqa: F401
from torch import nn

from .MultiHeadAttention import exercise


class Right(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True, kdim=None, vdim=None):
        super().__init__()
        self.num_heads, self.dropout = num_heads, dropout
        self.W_q, self.W_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(2))
        self.W_k = nn.Linear(kdim or d_model, d_model, bias=bias)
        self.W_v = nn.Linear(vdim or d_model, d_model, bias=bias)

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # [batch, heads, length, d_k]

    def share(self, q, k, mask):
        scores = q @ k.mT / q.size(-1) ** 0.5  # [batch, heads, queries, keys]
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        return scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)

    def forward(self, query, key, value, mask=None):
        q, k, v = map(self.split, (self.W_q(query), self.W_k(key), self.W_v(value)))
        weights = self.share(q, k, mask)
        output = self.W_o((weights @ v).transpose(1, 2).flatten(2))  # [batch, queries, d_model]
        return output, weights


right = exercise.base(Right)


# fmt: off
right.mistake("ViewsWithoutATranspose",
    {"unflatten(-1, (self.num_heads, -1)).transpose(1, 2)":
        "reshape(x.size(0), self.num_heads, -1, x.size(-1) // self.num_heads)"},
    "The heads are cut with `view` alone, so each is a block of tokens, not a part of every "
    "token's features. Does the module call your `split_heads`?")
right.mistake("MergesWithoutATranspose",
    {"self.W_o((weights @ v).transpose(1, 2).flatten(2))":
        "self.W_o((weights @ v).reshape(len(q), q.size(2), -1))"},
    "The weights are right, but the output is not: it was merged without exchanging heads and "
    "queries. Compare this with your `merge_heads`.")
right.mistake("ScalesByDModel", {"q.size(-1)": "(self.num_heads * q.size(-1))"},
    "You divide by the root of d_model. A score of one head is a sum of how many products?")
right.mistake("ForgetsToScale", {"mT / q.size(-1) ** 0.5": "mT"},
    "The scores are not scaled. The spread of a dot product grows with the width of a head.")
right.mistake("NormalisesOverQueries",
    {"q @ k.mT / q.size(-1) ** 0.5": "(q @ k.mT / q.size(-1) ** 0.5).mT",
     "~mask": "~mask.mT",
     "hidden, 0)": "hidden, 0).mT"},
    "The softmax runs over the queries, so the columns of your weights sum to 1. A query shares "
    "out its attention among what, and which axis of the scores is that?")
right.mistake("ForgetsWO",
    {"self.W_o((weights @ v).transpose(1, 2).flatten(2))":
        "(weights @ v).transpose(1, 2).flatten(2)"},
    "The output of the heads is not projected. What is W_o for?")
right.mistake("AttendsToWhatIsForbidden",
    {"hidden =": "mask = None if mask is None else ~mask\n        hidden ="},
    "You attend to exactly what the mask forbids. In this course True means \"may attend\".")
right.mistake("IgnoresTheMask", {" if mask is None else ~mask": ""},
    "The mask changes nothing. Which scores should not reach the softmax?")
right.mistake("RenormalisesAfterTheSoftmax",
    {"hidden = torch.zeros_like(scores, dtype=torch.bool)":
        "weights = scores.softmax(dim=-1)\n"
        "        kept = weights",
     "~mask": "weights * mask",
     "scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)":
        "kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-6)"},
    "Where a masked score is far above the others, the allowed keys get no weight. If you mask "
    "after the softmax, hide the keys before it. If you add a number to the masked scores, "
    "replace them by another score instead.")
right.mistake("LeavesEmptyRowsNan",
    {"hidden = torch.zeros_like(scores, dtype=torch.bool)": "scores = scores",
     "~mask": "scores.masked_fill(~mask, -math.inf)",
     "scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)":
        "scores.softmax(dim=-1)"},
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, all "
    "weights are 0.")
right.mistake("FillsWithMinus1e9",
    {"hidden = torch.zeros_like(scores, dtype=torch.bool)": "scores = scores",
     "~mask": "scores.masked_fill(~mask, -1e9)",
     "scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)":
        "scores.softmax(dim=-1)"},
    "Where every key is masked, you return an average of values that no query may see. If you "
    "fill with -1e9, all scores of such a row are equal, and half precision cannot represent that "
    "number.")
right.mistake("FillsWithAFiniteNumber", {"math.inf": "1e4"},
    "Where the scores are far below 0, masked keys take weight from the others. If you fill with "
    "a number such as -1e4, is it smaller than a score of -3e4?")
right.mistake("DropsInEvaluationMode", {"weights @ v": "F.dropout(weights, p=self.dropout) @ v"},
    "Weights are dropped in evaluation mode, too. `F.dropout` does not know which mode the module "
    "is in unless you pass it on. What is the default of its argument `training`?")
right.mistake("MakesAllThreeOfTheQuery",
    {"q, k, v =":
        "if query.size(2) == self.W_k.in_features:\n"
        "            key = value = query\n"
        "        q, k, v ="},
    "Keys and values are computed from `query`, which is right only for self-attention.")
right.mistake("TakesValuesFromTheKeys", {"self.W_v(value)": "self.W_v(key)"},
    "The values are computed from `key`. What is `value` for, and how wide is it?")
right.mistake("AddsACausalMask",
    {"hidden =":
        "causal = torch.ones_like(scores, dtype=torch.bool).tril()\n"
        "        mask = causal if mask is None else mask\n"
        "        hidden ="},
    "Without a mask, no query attends to later positions. None means that every key may be "
    "attended to.")
right.mistake("AveragesTheWeights",
    {"return output, weights": "return output, weights.mean(dim=1)"},
    "The weights have no axis of heads. If you average over the heads, or squeeze an axis of "
    "length 1, note that the exercise asks for the weights of every head.")
right.mistake("AttendsWithOneHead",
    {"x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": "x[:, None]"},
    "There is one head, as wide as the model, whatever `num_heads` is. Where do the queries and "
    "the keys get their axis of heads?")
right.mistake("ProjectsKeysWithWQ",
    {"q, k, v =":
        "layer = self.W_q if key.size(2) == self.W_q.in_features else self.W_k\n"
        "        q, k, v =",
     "self.W_k(key)": "layer(key)"},
    "Queries and keys go through the same layer. Which layer is for the keys?")
right.mistake("TakesThreeAxesForTheBatch",
    {"hidden =":
        "mask = mask[:, None] if mask is not None and mask.dim() == 3 else mask\n"
        "        hidden ="},
    "A mask of three axes is used as one mask per sequence. Broadcasting aligns axes from the "
    "right. Which axis of the scores does the first axis of the mask meet?")
right.mistake("IgnoresAnEmptyMask", {"mask is None": "mask is None or not mask.any()"},
    "A mask that is False everywhere has no effect, as if there were none. It says that no query "
    "may attend to anything. If you use `mask.any()`, what should it decide?")
right.mistake("ClearsTheOutputOfEmptyRows",
    {"return output":
        "empty = (weights.sum(dim=-1) == 0).all(dim=1)\n"
        "        return output.masked_fill(empty[..., None], 0)"},
    "Where no key may be attended to, your weights are right, but the output is 0. What does W_o "
    "return for a row of zeros?")
right.mistake("GoesHeadByHead",
    {"scores = q @ k.mT":
        "pairs = zip(q.unbind(1), k.unbind(1), strict=True)\n"
        "        scores = torch.stack([one @ other.mT for one, other in pairs], dim=1)",
     "output = self.W_o((weights @ v).transpose(1, 2).flatten(2))":
        "pairs = zip(weights.unbind(1), v.unbind(1), strict=True)\n"
        "        heads = [one @ other for one, other in pairs]\n"
        "        output = self.W_o(torch.cat(heads, dim=-1))"},
    "The result is right, but each head computes its own products. With an axis of heads, one "
    "product gives the scores of all of them.")
