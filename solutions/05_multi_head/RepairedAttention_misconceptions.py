"""Known mistakes of `RepairedAttention`."""

import math

import torch
from torch import nn

from .RepairedAttention import exercise


class Wrong(nn.Module):
    """What the wrong classes have in common: they differ from this in one method or number."""

    fill, axis = -math.inf, -1

    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_k or d_model
        self.W_q, self.W_k = nn.Linear(d_model, d_k), nn.Linear(d_model, d_k)
        self.W_v = nn.Linear(d_model, d_model)

    def score(self, x):
        return self.W_q(x) @ self.W_k(x).mT / self.W_q.out_features**0.5

    def share(self, scores, mask):
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
        return scores.masked_fill(hidden, self.fill).softmax(self.axis).masked_fill(hidden, 0)

    def forward(self, x, mask=None):
        weights = self.share(self.score(x), mask)
        return weights @ self.W_v(x), weights


@exercise.misconception(
    "Where every key is masked you return an average of what nobody may attend to. If the fill of "
    "-1e9 was left: all scores of such a row are then equal, and half precision cannot hold it."
)
class KeepsTheFill(Wrong):
    def share(self, scores, mask):
        return (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(dim=-1)


@exercise.misconception(
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, all "
    "weights are 0."
)
class LeavesEmptyRowsNan(Wrong):
    def share(self, scores, mask):
        return (scores if mask is None else scores.masked_fill(~mask, -math.inf)).softmax(dim=-1)


@exercise.misconception(
    "Where the scores are far below 0, masked keys take a share from the others. If you fill with "
    "a number such as -1e4: what is larger, that number or a score of -2e4?"
)
class FillsWithASmallerNumber(Wrong):
    fill = -1e4


@exercise.misconception(
    "You divide by the root of d_model. A score sums d_k products: by which root is it to be "
    "divided?"
)
class ScalesByDModel(Wrong):
    def score(self, x):
        return self.W_q(x) @ self.W_k(x).mT / x.size(-1) ** 0.5


@exercise.misconception("The scores are not divided by the root of d_k, as they were in the class.")
class LosesTheScale(Wrong):
    def score(self, x):
        return self.W_q(x) @ self.W_k(x).mT


@exercise.misconception(
    "You attend to exactly what the mask forbids. In this course True means: may attend."
)
class InvertsTheMask(Wrong):
    def share(self, scores, mask):
        return super().share(scores, None if mask is None else ~mask)


@exercise.misconception("The mask changes nothing. Which scores does it leave to the softmax?")
class DropsTheMask(Wrong):
    def share(self, scores, mask):
        return super().share(scores, None)


@exercise.misconception(
    "Where a masked score is far above the others, the allowed keys get nothing. If you mask after "
    "the softmax, hide the keys before it. If you add a number to the masked scores, put another "
    "score in their place."
)
class RenormalisesAfterTheSoftmax(Wrong):
    def share(self, scores, mask):
        weights = scores.softmax(dim=-1)
        kept = weights if mask is None else weights * mask
        return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-6)


@exercise.misconception(
    "The values are the tokens themselves: W_v was removed where it was to be repaired. It reads "
    "tokens that are d_model wide, and its results are d_model wide."
)
class TakesTokensAsValues(Wrong):
    def forward(self, x, mask=None):
        weights = self.share(self.score(x), mask)
        return weights @ x, weights


@exercise.misconception(
    "W_v is applied to the keys. Where d_k is d_model the widths agree, and nothing complains. "
    "What should a value be made of?"
)
class MakesValuesOfKeys(Wrong):
    def forward(self, x, mask=None):
        weights = self.share(self.score(x), mask)
        fits = self.W_k.out_features == self.W_v.in_features
        return weights @ self.W_v(self.W_k(x) if fits else x), weights


@exercise.misconception(
    "The softmax runs over the queries: the columns of your weights sum to 1. Which axis of the "
    "scores are the keys?"
)
class NormalisesOverQueries(Wrong):
    axis = -2


@exercise.misconception(
    "A mask that is False everywhere has no effect, as if there were none. It says that no query "
    "may attend to anything. If you ask `mask.any()`: what do you want to know?"
)
class IgnoresAnEmptyMask(Wrong):
    def share(self, scores, mask):
        return super().share(scores, mask if mask is not None and mask.any() else None)
