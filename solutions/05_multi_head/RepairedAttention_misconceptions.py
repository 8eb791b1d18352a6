"""Known mistakes of `RepairedAttention`."""

import math

import torch
from torch import nn

from .RepairedAttention import exercise


class Right(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_k or d_model
        self.W_q, self.W_k = nn.Linear(d_model, d_k), nn.Linear(d_model, d_k)
        self.W_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        scores = self.W_q(x) @ self.W_k(x).mT / self.W_q.out_features**0.5
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        weights = scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)
        return weights @ self.W_v(x), weights


right = exercise.base(Right)


# fmt: off
right.mistake("KeepsTheFill",
    {"-math.inf).softmax(dim=-1).masked_fill(hidden, 0)": "-1e9).softmax(dim=-1)"},
    "Where every key is masked, you return an average of values that no query may see. If you "
    "kept the fill of -1e9, all scores of such a row are equal, and half precision cannot "
    "represent that number.")
right.mistake("LeavesEmptyRowsNan", {".masked_fill(hidden, 0)": ""},
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, all "
    "weights are 0.")
right.mistake("FillsWithASmallerNumber", {"math.inf": "1e4"},
    "Where the scores are far below 0, masked keys take weight from the others. If you fill with "
    "a number such as -1e4, is it smaller than a score of -2e4?")
right.mistake("ScalesByDModel", {"self.W_q.out_features": "x.size(-1) "},
    "You divide by the root of d_model. A score is a sum of d_k products. Which root should "
    "divide it?")
right.mistake("LosesTheScale", {" / self.W_q.out_features**0.5": ""},
    "The scores are no longer divided by the root of d_k, as they were in the given class.")
right.mistake("InvertsTheMask", {"~mask": "mask"},
    "You attend to exactly what the mask forbids. In this course True means \"may attend\".")
right.mistake("DropsTheMask", {" if mask is None else ~mask": ""},
    "The mask changes nothing. Which scores should not reach the softmax?")
right.mistake("RenormalisesAfterTheSoftmax",
    {"scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)":
        "scores.softmax(dim=-1) * ~hidden\n"
        "        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)"},
    "Where a masked score is far above the others, the allowed keys get no weight. If you mask "
    "after the softmax, hide the keys before it. If you add a number to the masked scores, "
    "replace them by another score instead.")
right.mistake("TakesTokensAsValues", {"@ self.W_v(x)": "@ x"},
    "The values are the tokens themselves: W_v was removed instead of repaired. Its input is "
    "d_model wide, and so is its output.")
right.mistake("MakesValuesOfKeys",
    {"return weights @ self.W_v(x)":
        "key = self.W_k(x)\n"
        "        return weights @ self.W_v(key if key.shape == x.shape else x)"},
    "W_v is applied to the keys. Where d_k equals d_model the widths agree, so no error is "
    "raised. What should a value be computed from?")
right.mistake("NormalisesOverQueries", {"dim=-1": "dim=-2"},
    "The softmax runs over the queries, so the columns of your weights sum to 1. Which axis of "
    "the scores holds the keys?")
right.mistake("IgnoresAnEmptyMask", {"mask is None": "mask is None or not mask.any()"},
    "A mask that is False everywhere has no effect, as if there were none. It says that no query "
    "may attend to anything. If you use `mask.any()`, what should it decide?")
