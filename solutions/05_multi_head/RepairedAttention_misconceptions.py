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
    "Where every key is masked you return an average of what nobody may attend to. If the fill of "
    "-1e9 was left: all scores of such a row are then equal, and half precision cannot hold it.")
right.mistake("LeavesEmptyRowsNan", {".masked_fill(hidden, 0)": ""},
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, all "
    "weights are 0.")
right.mistake("FillsWithASmallerNumber", {"math.inf": "1e4"},
    "Where the scores are far below 0, masked keys take a share from the others. If you fill with "
    "a number such as -1e4: what is larger, that number or a score of -2e4?")
right.mistake("ScalesByDModel", {"self.W_q.out_features": "x.size(-1) "},
    "You divide by the root of d_model. A score sums d_k products: by which root is it to be "
    "divided?")
right.mistake("LosesTheScale", {" / self.W_q.out_features**0.5": ""},
    "The scores are not divided by the root of d_k, as they were in the class.")
right.mistake("InvertsTheMask", {"~mask": "mask"},
    "You attend to exactly what the mask forbids. In this course True means: may attend.")
right.mistake("DropsTheMask", {" if mask is None else ~mask": ""},
    "The mask changes nothing. Which scores does it leave to the softmax?")
right.mistake("RenormalisesAfterTheSoftmax",
    {"scores.masked_fill(hidden, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)":
        "scores.softmax(dim=-1) * ~hidden\n"
        "        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)"},
    "Where a masked score is far above the others, the allowed keys get nothing. If you mask after "
    "the softmax, hide the keys before it. If you add a number to the masked scores, put another "
    "score in their place.")
right.mistake("TakesTokensAsValues", {"@ self.W_v(x)": "@ x"},
    "The values are the tokens themselves: W_v was removed where it was to be repaired. It reads "
    "tokens that are d_model wide, and its results are d_model wide.")
right.mistake("MakesValuesOfKeys",
    {"return weights @ self.W_v(x)":
        "key = self.W_k(x)\n"
        "        return weights @ self.W_v(key if key.shape == x.shape else x)"},
    "W_v is applied to the keys. Where d_k is d_model the widths agree, and nothing complains. "
    "What should a value be made of?")
right.mistake("NormalisesOverQueries", {"dim=-1": "dim=-2"},
    "The softmax runs over the queries: the columns of your weights sum to 1. Which axis of the "
    "scores are the keys?")
right.mistake("IgnoresAnEmptyMask", {"mask is None": "mask is None or not mask.any()"},
    "A mask that is False everywhere has no effect, as if there were none. It says that no query "
    "may attend to anything. If you ask `mask.any()`: what do you want to know?")
