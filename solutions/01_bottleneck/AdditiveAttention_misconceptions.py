"""Known mistakes of `AdditiveAttention`."""

import math

import torch
from torch import nn

from .AdditiveAttention import exercise


class Layers(nn.Module):
    """What the wrong modules have in common: their weights are right."""

    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q = nn.Linear(d_q, d_hidden, bias=False)
        self.W_k = nn.Linear(d_k, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def score(self, query, key):
        hidden = torch.tanh(self.W_q(query)[:, :, None] + self.W_k(key)[:, None])
        return self.v(hidden).squeeze(-1)  # (batch, queries, keys)


@exercise.misconception(
    "Read which line raised. If the message names the state_dict, compare names and shapes of your "
    "parameters with the list: `nn.Linear` has a bias unless told otherwise. If it names sizes of "
    "tensors, write down the shapes that meet in that line: axes line up from the last one."
)
class HasBiases(nn.Module):
    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q, self.W_k = nn.Linear(d_q, d_hidden), nn.Linear(d_k, d_hidden)
        self.v = nn.Linear(d_hidden, 1)

    def forward(self, query, key, value, mask):
        return query, key


@exercise.misconception("The mask changes nothing. Which keys does it leave to the softmax?")
class IgnoresTheMask(Layers):
    def forward(self, query, key, value, mask):
        weights = self.score(query, key).softmax(dim=-1)
        return weights @ value, weights


@exercise.misconception(
    "You attend to exactly what the mask forbids. In this course True means: may attend."
)
class AttendsToWhatIsForbidden(Layers):
    def forward(self, query, key, value, mask):
        scores = self.score(query, key).masked_fill(mask[:, None], float("-inf"))
        weights = scores.softmax(dim=-1).masked_fill(mask[:, None], 0)
        return weights @ value, weights


@exercise.misconception(
    "A mask of shape (batch, keys) lines up with (queries, keys): query i got the mask of sequence "
    "i. Which axis is missing, and where?"
)
class LinesTheBatchUpWithTheQueries(Layers):
    def forward(self, query, key, value, mask):
        weights = self.score(query, key).masked_fill(~mask, -math.inf).softmax(-1) * mask
        return weights @ value, weights


@exercise.misconception(
    "Your softmax runs over the queries. Each query shares out its own weights among the keys."
)
class NormalisesOverTheQueries(Layers):
    def forward(self, query, key, value, mask):
        scores = self.score(query, key).masked_fill(~mask[:, None], -math.inf)
        weights = scores.softmax(dim=1).masked_fill(~mask[:, None], 0)
        return weights @ value, weights


@exercise.misconception(
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, output "
    "and weights are zeros."
)
class LeavesEmptyRowsNan(Layers):
    def forward(self, query, key, value, mask):
        scores = self.score(query, key).masked_fill(~mask[:, None], float("-inf"))
        weights = scores.softmax(dim=-1)
        return weights @ value, weights


@exercise.misconception(
    "You remove the NaN only after the values were multiplied by it. The result looks right, but "
    "their gradient is NaN: mend the weights before they are used."
)
class RemovesNanTooLate(Layers):
    def forward(self, query, key, value, mask):
        weights = self.score(query, key).masked_fill(~mask[:, None], -math.inf).softmax(dim=-1)
        return (weights @ value).nan_to_num(0), weights.nan_to_num(0)


@exercise.misconception(
    "Where every key is masked you return an average of what nobody may attend to. If you fill "
    "with a large negative number: all scores of such a row are then equal, and half precision "
    "cannot hold -1e9."
)
class FillsWithMinus1e9(Layers):
    def forward(self, query, key, value, mask):
        weights = self.score(query, key).masked_fill(~mask[:, None], -1e9).softmax(dim=-1)
        return weights @ value, weights


@exercise.misconception(
    "All is right but half precision, which ends at 65504. Which fill fits every dtype?"
)
class FillsWithMinus1e9AndClears(Layers):
    def forward(self, query, key, value, mask):
        scores = self.score(query, key).masked_fill(~mask[:, None], -1e9)
        weights = scores.softmax(dim=-1) * mask[:, None]
        return weights @ value, weights


@exercise.misconception(
    "Your fill is a finite number, and real scores here lie below it. Which number is below every "
    "score?"
)
class FillsWithMinus1e4AndClears(Layers):
    def forward(self, query, key, value, mask):
        scores = self.score(query, key).masked_fill(~mask[:, None], -1e4)
        weights = scores.softmax(dim=-1) * mask[:, None]
        return weights @ value, weights


@exercise.misconception(
    "The mask got its new axis at the end, so it lines up with the queries. The scores are (batch, "
    "queries, keys): which axis of the mask is the last?"
)
class LinesTheMaskUpWithTheQueries(Layers):
    def forward(self, query, key, value, mask):
        scores = self.score(query, key).masked_fill(~mask[:, :, None], -math.inf)
        weights = scores.softmax(dim=-1).nan_to_num(0)
        return weights @ value, weights


@exercise.misconception(
    "You divide the scores by the root of d_k, as a dot product asks for. Look at the formula of "
    "the additive score again: what is it divided by?"
)
class ScalesByTheRootOfDK(Layers):
    def forward(self, query, key, value, mask):
        scores = self.score(query, key) / key.size(-1) ** 0.5
        scores = scores.masked_fill(~mask[:, None], -math.inf)
        weights = scores.softmax(dim=-1).masked_fill(~mask[:, None], 0)
        return weights @ value, weights


@exercise.misconception(
    "You divide the scores by the root of d_hidden. Look at the formula of the additive score "
    "again: what is it divided by?"
)
class ScalesByTheRootOfDHidden(Layers):
    def forward(self, query, key, value, mask):
        scores = self.score(query, key) / self.v.in_features**0.5
        scores = scores.masked_fill(~mask[:, None], -math.inf)
        weights = scores.softmax(dim=-1).masked_fill(~mask[:, None], 0)
        return weights @ value, weights


@exercise.misconception("A score of 0 still has a share. Which score has the exponential 0?")
class FillsWithZero(Layers):
    def forward(self, query, key, value, mask):
        weights = self.score(query, key).masked_fill(~mask[:, None], 0).softmax(dim=-1)
        return weights @ value, weights


@exercise.misconception(
    "You mask after the softmax, when the masked keys have taken their share: the rest does not "
    "sum to 1. Hide them before the weights are shared out."
)
class MasksAfterTheSoftmax(Layers):
    def forward(self, query, key, value, mask):
        weights = self.score(query, key).softmax(dim=-1) * mask[:, None]
        return weights @ value, weights


@exercise.misconception(
    "You mask after the softmax and divide by what is left of the row. When a masked score is far "
    "above the others nothing is left. Hide the keys before the softmax."
)
class RenormalisesAfterTheSoftmax(Layers):
    def forward(self, query, key, value, mask):
        weights = self.score(query, key).softmax(dim=-1) * mask[:, None]
        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)
        return weights @ value, weights


@exercise.misconception(
    "There is no tanh between the projections and v. Compare with your `additive_score`."
)
class ForgetsTheTanh(Layers):
    def forward(self, query, key, value, mask):
        scores = self.v(self.W_q(query)[:, :, None] + self.W_k(key)[:, None]).squeeze(-1)
        weights = scores.masked_fill(~mask[:, None], -math.inf).softmax(dim=-1)
        weights = weights.masked_fill(~mask[:, None], 0)
        return weights @ value, weights


@exercise.misconception(
    "The two results are right but the wrong way round. First comes the output."
)
class SwapsTheTwo(Layers):
    def forward(self, query, key, value, mask):
        scores = self.score(query, key).masked_fill(~mask[:, None], -math.inf)
        weights = scores.softmax(dim=-1).masked_fill(~mask[:, None], 0)
        return weights, weights @ value
