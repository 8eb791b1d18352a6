"""Known mistakes of `stable_softmax`."""

import math  # noqa: F401

import torch
from jaxtyping import Float
from torch import Tensor

from .stable_softmax import exercise


def lowered(scores: Float[Tensor, "..."], dim: int) -> Float[Tensor, "..."]:
    """The scores less the highest along `dim`."""
    return scores - scores.amax(dim, keepdim=True)


def shared_out(scores: Float[Tensor, "..."], dim: int) -> Float[Tensor, "..."]:
    """Exponentials, divided by their sum: right where the scores were lowered."""
    shares = scores.exp()
    return shares / shares.sum(dim, keepdim=True)


@exercise.base
def right(scores, dim):
    shares = (scores - scores.amax(dim, keepdim=True)).exp()
    return shares / shares.sum(dim, keepdim=True)


# fmt: off
@exercise.misconception(
    "exp(89) is too large for float32, and exp(-104) is 0. Which number may be subtracted from "
    "all scores of a row without changing the result?"
)
def takes_exponentials_at_once(scores, dim):
    return scores.exp() / scores.exp().sum(dim, keepdim=True)


right.mistake("relies_on_float64",
    {"(scores - scores.amax(dim, keepdim=True))": "scores.double()",
     "return shares / shares.sum(dim, keepdim=True)":
        "return (shares / shares.sum(dim, keepdim=True)).to(scores.dtype)"},
    "You take the exponentials in float64, which only moves the limit from 88 to 709. Look first "
    "at what could be subtracted from all scores of a row.")
right.mistake("takes_off_the_highest_of_all", {"scores.amax(dim, keepdim=True)": "scores.max()"},
    "You subtract one number from the whole tensor. In a row far below it, all exponentials are "
    "0. Which maximum does each row need?")
right.mistake("takes_off_the_mean", {"amax": "mean"},
    "You subtract the mean. The largest score can be far above it. After which shift can no "
    "exponential be too large?")
right.mistake("takes_off_the_largest_size", {"scores.amax": "scores.abs().amax"},
    "Where all scores of a row are far below zero, its exponentials are all 0: what you subtract "
    "is right only for positive scores. What should the largest score of a row become?")
right.mistake("takes_off_the_lowest", {"amax": "amin"},
    "You subtract the smallest score, so the largest becomes even larger. Which score decides "
    "whether an exponential overflows?")
right.mistake("clamps_the_scores",
    {"(scores - scores.amax(dim, keepdim=True))": "scores.clamp(-80, 80)"},
    "You clamp the scores, so all scores beyond the limit become equal. Only differences of "
    "scores matter. Which operation preserves them?")


@exercise.misconception(
    "You subtract the logarithm of the sum. Where scores are large, that number has no decimals "
    "left, and an error of 0.01 in an exponent is 1 % of a weight. Make the scores small first."
)
def takes_off_the_log_of_the_sum(scores, dim):
    return (scores - torch.logsumexp(scores, dim, keepdim=True)).exp()


right.mistake("repairs_afterwards",
    {"(scores - scores.amax(dim, keepdim=True))": "scores",
     "return shares / shares.sum(dim, keepdim=True)":
        "return (shares / shares.sum(dim, keepdim=True)).nan_to_num(0.0, 0.0, 0.0)"},
    "You replace NaN and infinity afterwards. What was lost in the exponentials does not come "
    "back, so avoid the overflow.")
right.mistake("ignores_dim", {"amax(dim": "amax(-1", "sum(dim": "sum(-1"},
    "Your softmax runs over the last axis, whatever `dim` is.")
right.mistake("divides_by_the_sum_of_all", {"sum(dim, keepdim=True)": "sum()"},
    "The maximum is taken along `dim`, but the sum over the whole tensor. Which numbers should "
    "sum to 1?")
right.mistake("forgets_keepdim",
    {"amax(dim, keepdim=True)": "amax(dim)", "sum(dim, keepdim=True)": "sum(dim)"},
    "Without `keepdim` the reduced axis is gone. Shapes are aligned from the last axis, so the "
    "maxima no longer line up with their own rows.")
right.mistake("fills_minus_infinity",
    {"shares = (scores":
        "scores = scores.masked_fill(scores == -math.inf, -1e4)\n    shares = (scores"},
    "You replace minus infinity by a finite number, and some real scores lie below it. The entry "
    "that should get the weight 0 gets all of it. What is the exponential of minus infinity, and "
    "does it need any replacement?")
right.mistake("fills_with_minus_1e9",
    {"shares = (scores":
        "scores = scores.masked_fill(scores == -math.inf, -1e9)\n    shares = (scores"},
    "-1e9 does not fit half precision, where the limit is 65504, and in float32 real scores may "
    "lie below it. What is the exponential of minus infinity, and does it need any replacement?")
right.mistake("changes_the_scores",
    {"shares = (scores - scores.amax(dim, keepdim=True))":
        "scores -= scores.amax(dim, keepdim=True)\n    shares = scores"},
    "You change the caller's scores. What does `-=` do to a tensor?")
right.mistake("returns_float32",
    {"shares = (scores": "scores = scores.float()\n    shares = (scores"},
    "You compute in float32, which is a good idea for half precision, but you have to return the "
    "caller's dtype.")


@exercise.misconception(
    "The weights are right, but they are cut off from the scores, so no gradient reaches the "
    "scores."
)
def cuts_the_graph(scores, dim):
    with torch.no_grad():
        return shared_out(lowered(scores, dim), dim)


@exercise.misconception(
    "You add a number to the sum. If the largest score is 0, the sum is at least 1 and needs no "
    "help. Without that shift, no small number helps."
)
def adds_to_the_sum(scores, dim):
    return scores.exp() / (scores.exp().sum(dim, keepdim=True) + 1e-6)


right.mistake("adds_to_the_sum_of_the_lowered",
    {"shares.sum(dim, keepdim=True)": "(shares.sum(dim, keepdim=True) + 1e-6)"},
    "With the largest score at 0, the sum is at least 1, so nothing has to be added to it. What "
    "you add makes every weight too small, which half precision hides and float64 does not.")
right.mistake("forgets_keepdim_in_the_sum", {"sum(dim, keepdim=True)": "sum(dim)"},
    "The maximum keeps its axis, but the sum has lost it, so the sums do not line up with their "
    "own rows, or do not fit at all. The sum needs the same treatment as the maximum.")
