"""Known mistakes of `AdditiveAttention`."""

import math

import torch
from torch import nn

from .AdditiveAttention import Layers, exercise


class Right(Layers):
    """What the wrong modules have in common: they differ from this in one part."""

    fill = -math.inf

    def score(self, query, key):
        hidden = torch.tanh(self.W_q(query)[:, :, None] + self.W_k(key)[:, None])
        return self.v(hidden).squeeze(-1)  # [batch, queries, keys]

    def hide(self, scores, mask):
        return scores.masked_fill(~mask[:, None], self.fill)  # [batch, queries, keys]

    def share(self, scores, mask):
        weights = self.hide(scores, mask).softmax(dim=-1)
        return weights.masked_fill(~mask[:, None], 0)  # [batch, queries, keys]

    def finish(self, weights, value):
        return weights @ value, weights  # [batch, queries, d_v] and [batch, queries, keys]

    def forward(self, query, key, value, mask):
        return self.finish(self.share(self.score(query, key), mask), value)


right = exercise.base(Right)


# fmt: off
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


right.mistake("IgnoresTheMask",
    {"weights = self.hide(scores, mask)": "return scores",
     "1)\n        return weights.masked_fill(~mask[:, None], 0": "1"},
    "The mask changes nothing. Which keys does it leave to the softmax?")


@exercise.misconception(
    "You attend to exactly what the mask forbids. In this course True means: may attend."
)
class AttendsToWhatIsForbidden(Right):
    def share(self, scores, mask):
        return super().share(scores, ~mask)


@exercise.misconception(
    "A mask of shape (batch, keys) lines up with (queries, keys): query i got the mask of sequence "
    "i. Which axis is missing, and where?"
)
class LinesTheBatchUpWithTheQueries(Right):
    def share(self, scores, mask):
        return scores.masked_fill(~mask, -math.inf).softmax(-1) * mask


right.mistake("NormalisesOverTheQueries", {"dim=-1": "dim=1"},
    "Your softmax runs over the queries. Each query shares out its own weights among the keys.")


@exercise.misconception(
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, output "
    "and weights are zeros."
)
class LeavesEmptyRowsNan(Right):
    def share(self, scores, mask):
        return self.hide(scores, mask).softmax(dim=-1)


@exercise.misconception(
    "You remove the NaN only after the values were multiplied by it. The result looks right, but "
    "their gradient is NaN: mend the weights before they are used."
)
class RemovesNanTooLate(LeavesEmptyRowsNan):
    def finish(self, weights, value):
        return (weights @ value).nan_to_num(0), weights.nan_to_num(0)


@exercise.misconception(
    "Where every key is masked you return an average of what nobody may attend to. If you fill "
    "with a large negative number: all scores of such a row are then equal."
)
class FillsWithMinus1e9(LeavesEmptyRowsNan):
    fill = -1e9


right.mistake("FillsWithMinus1e9AndClears", {"fill = -math.inf": "fill = -1e9"},
    "All is right but half precision, which ends at 65504. If you fill with a larger number: which "
    "fill fits every dtype?")
right.mistake("FillsWithMinus1e4AndClears", {"fill = -math.inf": "fill = -1e4"},
    "Where all scores are far below 0 you attend to masked keys, or to none. If you fill with a "
    "finite number, scores may lie below it. Which number is below every score?")


@exercise.misconception(
    "The mask got its new axis at the end, so it lines up with the queries. The scores are (batch, "
    "queries, keys): which axis of the mask is the last?"
)
class LinesTheMaskUpWithTheQueries(Right):
    def share(self, scores, mask):
        return scores.masked_fill(~mask[:, :, None], -math.inf).softmax(dim=-1).nan_to_num(0)


@exercise.misconception(
    "You divide the scores by the root of d_k, as a dot product asks for. Look at the formula of "
    "the additive score again: what is it divided by?"
)
class ScalesByTheRootOfDK(Right):
    def score(self, query, key):
        return super().score(query, key) / key.size(-1) ** 0.5


@exercise.misconception(
    "You divide the scores by the root of d_hidden. Look at the formula of the additive score "
    "again: what is it divided by?"
)
class ScalesByTheRootOfDHidden(Right):
    def score(self, query, key):
        return super().score(query, key) / self.v.in_features**0.5


@exercise.misconception(
    "Masked keys get the score 0, and a score of 0 still has a share. Which score has the "
    "exponential 0?"
)
class FillsWithZero(LeavesEmptyRowsNan):
    fill = 0


right.mistake("MasksAfterTheSoftmax",
    {"weights = self.hide(scores, mask).softmax(dim=-1)\n"
     "        return weights.masked_fill(~mask[:, None], 0)":
        "return scores.softmax(dim=-1) * mask[:, None]"},
    "You mask after the softmax, when the masked keys have taken their share: the rest does not "
    "sum to 1. Hide them before the weights are shared out.")


@exercise.misconception(
    "Next to a masked score that is far above the others, these get no weight. Do masked keys have "
    "a part in your softmax, or in a maximum that you subtract? Hide them before that."
)
class HidesTheKeysTooLate(Right):
    def share(self, scores, mask):
        weights = scores.softmax(dim=-1) * mask[:, None]
        return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)


@exercise.misconception(
    "There is no tanh between the projections and v. Compare with your `additive_score`."
)
class ForgetsTheTanh(Right):
    def score(self, query, key):
        return self.v(self.W_q(query)[:, :, None] + self.W_k(key)[:, None]).squeeze(-1)


right.mistake("SwapsTheTwo", {"@ value, weights": ", weights @ value"},
    "The two results are right but the wrong way round. First comes the output.")


@exercise.misconception(
    "In a sequence without keys you attend to padding. If you add a large negative number to "
    "masked scores: what does the softmax make of a number that all scores of a row share?"
)
class AddsMinus1e4(Right):
    def share(self, scores, mask):
        return (scores + -1e4 * ~mask[:, None]).softmax(dim=-1)


@exercise.misconception(
    "In a sequence without keys the output is cleared, but its weights are not. Both are to be "
    "zeros."
)
class ClearsOnlyTheOutput(LeavesEmptyRowsNan):
    def finish(self, weights, value):
        empty = weights.isnan().any(dim=-1, keepdim=True)
        weights = weights.masked_fill(empty, 1 / value.size(1))
        return (weights @ value).masked_fill(empty, 0), weights


@exercise.misconception(
    "Rows sum to a little less than 1. If you add a small number to what you divide by: it is "
    "there in every row, not only where the sum is 0."
)
class AddsAMillionth(Right):
    extra = 1e-6

    def share(self, scores, mask):
        lowest = scores.masked_fill(~mask[:, None], torch.finfo(scores.dtype).min)
        shares = (lowest - lowest.amax(dim=-1, keepdim=True)).exp() * mask[:, None]
        return shares / (shares.sum(dim=-1, keepdim=True) + self.extra)


@exercise.misconception(
    "In float64, rows sum to a little less than 1. If you add a small number to what you divide "
    "by: which rows need it?"
)
class AddsABillionth(AddsAMillionth):
    extra = 1e-9


@exercise.misconception(
    "The call raised AttributeError. If it names `Module.__init__`: the parent class was not set "
    "up before its first layer. Else compare the attribute that it names with those you made."
)
class ForgetsToSetUpTheParent(nn.Module):
    def __init__(self, d_q, d_k, d_hidden):
        self.W_q = nn.Linear(d_q, d_hidden, bias=False)
