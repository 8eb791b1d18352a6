"""Known mistakes of `AdditiveAttention`."""

import math

import torch
from torch import nn

from .AdditiveAttention import Layers, exercise


class Right(Layers):
    def forward(self, query, key, value, mask):
        hidden = torch.tanh(self.W_q(query)[:, :, None] + self.W_k(key)[:, None])
        scores = self.v(hidden).squeeze(-1)  # [batch, queries, keys]
        weights = scores.masked_fill(~mask[:, None], -math.inf).softmax(dim=-1)
        weights = weights.masked_fill(~mask[:, None], 0)
        return weights @ value, weights


right = exercise.base(Right)


# fmt: off
@exercise.misconception(
    "Read which line raised. If the message mentions the state_dict, compare the names and shapes "
    "of your parameters with the list: `nn.Linear` has a bias by default. If it mentions tensor "
    "sizes, write down the shapes that meet in that line: axes are aligned from the last one."
)
class HasBiases(nn.Module):
    def __init__(self, d_q, d_k, d_hidden):
        super().__init__()
        self.W_q, self.W_k = nn.Linear(d_q, d_hidden), nn.Linear(d_k, d_hidden)
        self.v = nn.Linear(d_hidden, 1)

    def forward(self, query, key, value, mask):
        return query, key


right.mistake("IgnoresTheMask",
    {"scores.masked_fill(~mask[:, None], -math.inf)": "scores",
     "        weights = weights.masked_fill(~mask[:, None], 0)\n": ""},
    "The mask changes nothing. Which keys should still take part in the softmax?")
right.mistake("AttendsToWhatIsForbidden", {"hidden =": "mask = ~mask\n        hidden ="},
    "You attend to exactly what the mask forbids. In this course True means \"may attend\".")
right.mistake("LinesTheBatchUpWithTheQueries",
    {"~mask[:, None], -math": "~mask, -math",
     "weights.masked_fill(~mask[:, None], 0)": "weights * mask"},
    "A mask of shape (batch, keys) is aligned with (queries, keys), so query i gets the mask of "
    "sequence i. Which axis is missing, and where?")
right.mistake("NormalisesOverTheQueries", {"dim=-1": "dim=1"},
    "Your softmax runs over the queries. Each query shares out its own weights among the keys.")
right.mistake("LeavesEmptyRowsNan",
    {"        weights = weights.masked_fill(~mask[:, None], 0)\n": ""},
    "A row of nothing but -inf becomes NaN in the softmax. Where no key may be attended to, output "
    "and weights are zeros.")
right.mistake("RemovesNanTooLate",
    {"        weights = weights.masked_fill(~mask[:, None], 0)\n": "",
     "weights @ value, weights": "(weights @ value).nan_to_num(0), weights.nan_to_num(0)"},
    "You remove the NaN only after the values have been multiplied by it. The result looks right, "
    "but the gradient is NaN. Mend the weights before they are used.")
right.mistake("FillsWithMinus1e9",
    {"math.inf": "1e9", "        weights = weights.masked_fill(~mask[:, None], 0)\n": ""},
    "Where every key is masked, you return an average of values that no query may see. If you "
    "fill with a large negative number, what are the scores of such a row then?")
right.mistake("FillsWithMinus1e9AndClears", {"math.inf": "1e9"},
    "Everything is right except in half precision, where the largest number is 65504. If you fill "
    "with a number beyond that, which fill fits every dtype?")
right.mistake("FillsWithMinus1e4AndClears", {"math.inf": "1e4"},
    "Where all scores are far below 0, you attend to masked keys, or to none. If you fill with a "
    "finite number, scores may lie below it. Which number is below every score?")
right.mistake("LinesTheMaskUpWithTheQueries",
    {"~mask[:, None], -math": "~mask[:, :, None], -math",
     "weights.masked_fill(~mask[:, None], 0)": "weights.nan_to_num(0)"},
    "The mask got its new axis at the end, so it is aligned with the queries. The scores are "
    "(batch, queries, keys). Which axis of the mask should come last?")
right.mistake("ScalesByTheRootOfDK", {"squeeze(-1)": "squeeze(-1) / key.size(-1) ** 0.5"},
    "You divide the scores by the root of d_k, as for a dot product. Look at the formula of the "
    "additive score again: is anything divided?")
right.mistake("ScalesByTheRootOfDHidden", {"squeeze(-1)": "squeeze(-1) / self.v.in_features**0.5"},
    "You divide the scores by the root of d_hidden. Look at the formula of the additive score "
    "again: is anything divided?")
right.mistake("FillsWithZero",
    {"-math.inf": "0", "        weights = weights.masked_fill(~mask[:, None], 0)\n": ""},
    "Masked keys get the score 0, and a score of 0 still gets some weight. Which score has the "
    "exponential 0?")
right.mistake("MasksAfterTheSoftmax",
    {"scores.masked_fill(~mask[:, None], -math.inf)": "scores",
     "weights.masked_fill(~mask[:, None], 0)": "weights * mask[:, None]"},
    "You mask after the softmax, when the masked keys have already taken their share, so the rest "
    "does not sum to 1. Hide them before the weights are shared out.")
right.mistake("HidesTheKeysTooLate",
    {"scores.masked_fill(~mask[:, None], -math.inf)": "scores",
     "weights.masked_fill(~mask[:, None], 0)":
        "weights * mask[:, None]\n"
        "        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)"},
    "Next to a masked score that is far above the others, the allowed keys get no weight. Do "
    "masked keys take part in your softmax, or in a maximum that you subtract? Hide them before "
    "that.")
right.mistake("ForgetsTheTanh", {"torch.tanh(": "("},
    "There is no tanh between the projections and v. Compare this with your `additive_score`.")
right.mistake("SwapsTheTwo", {"@ value, weights": ", weights @ value"},
    "The two results are right but in the wrong order. The output comes first.")
right.mistake("AddsMinus1e4",
    {"scores.masked_fill(~mask[:, None], -math.inf)": "(scores + -1e4 * ~mask[:, None])",
     "        weights = weights.masked_fill(~mask[:, None], 0)\n": ""},
    "In a sequence without keys you attend to padding. If you add a large negative number to "
    "masked scores, what does the softmax do when every score of a row gets the same number?")
right.mistake("ClearsOnlyTheOutput",
    {"weights = weights.masked_fill(~mask[:, None], 0)":
        "empty = weights.isnan().any(dim=-1, keepdim=True)\n"
        "        weights = weights.masked_fill(empty, 1 / value.size(1))",
     "weights @ value,": "(weights @ value).masked_fill(empty, 0),"},
    "In a sequence without keys the output is cleared, but its weights are not. Both should be "
    "zeros.")
right.mistake("AddsAMillionth",
    {"weights = scores.masked_fill(~mask[:, None], -math.inf).softmax(dim=-1)":
        "lowest = scores.masked_fill(~mask[:, None], torch.finfo(scores.dtype).min)\n"
        "        shares = (lowest - lowest.amax(dim=-1, keepdim=True)).exp() * mask[:, None]",
     "weights.masked_fill(~mask[:, None], 0)":
        "shares / (shares.sum(dim=-1, keepdim=True) + 1e-6)"},
    "Rows sum to a little less than 1. If you add a small number to the divisor, it is added in "
    "every row, not only where the sum is 0.")
right.mistake("AddsABillionth",
    {"weights = scores.masked_fill(~mask[:, None], -math.inf).softmax(dim=-1)":
        "lowest = scores.masked_fill(~mask[:, None], torch.finfo(scores.dtype).min)\n"
        "        shares = (lowest - lowest.amax(dim=-1, keepdim=True)).exp() * mask[:, None]",
     "weights.masked_fill(~mask[:, None], 0)":
        "shares / (shares.sum(dim=-1, keepdim=True) + 1e-9)"},
    "In float64, rows sum to a little less than 1. If you add a small number to the divisor, "
    "which rows need it?")


@exercise.misconception(
    "The call raised AttributeError. If the message mentions `Module.__init__`, the parent class "
    "was not set up before its first layer. Otherwise compare the attribute that it names with "
    "those you defined."
)
class ForgetsToSetUpTheParent(nn.Module):
    def __init__(self, d_q, d_k, d_hidden):
        self.W_q = nn.Linear(d_q, d_hidden, bias=False)
