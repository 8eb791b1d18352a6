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
    "exp(89) is too large for float32, and exp(-104) is 0. Which number may you take off all "
    "scores of a row without changing the result?"
)
def takes_exponentials_at_once(scores, dim):
    return scores.exp() / scores.exp().sum(dim, keepdim=True)


right.mistake("relies_on_float64",
    {"(scores - scores.amax(dim, keepdim=True))": "scores.double()",
     "return shares / shares.sum(dim, keepdim=True)":
        "return (shares / shares.sum(dim, keepdim=True)).to(scores.dtype)"},
    "The exponentials are taken in float64, which moves the limit from 88 to 709 and no further. "
    "Look at what you could take off all scores of a row first.")
right.mistake("takes_off_the_highest_of_all", {"scores.amax(dim, keepdim=True)": "scores.max()"},
    "You take off one number for the whole tensor. A row far below it has only exponentials of 0 "
    "left. Which maximum does each row need?")
right.mistake("takes_off_the_mean", {"amax": "mean"},
    "You take off the mean. The largest score can be far above it. After which shift can no "
    "exponential be too large?")
right.mistake("takes_off_the_largest_size", {"scores.amax": "scores.abs().amax"},
    "Where all scores of a row are far below zero, its exponentials are all 0: what you take off "
    "is right for positive scores only. What should the largest score of a row become?")
right.mistake("takes_off_the_lowest", {"amax": "amin"},
    "You take off the smallest score, so that the largest becomes larger still. Which score "
    "decides whether an exponential overflows?")
right.mistake("clamps_the_scores",
    {"(scores - scores.amax(dim, keepdim=True))": "scores.clamp(-80, 80)"},
    "You clamp the scores. All that lie beyond the limit become equal. Only differences of scores "
    "matter: what keeps them?")


@exercise.misconception(
    "You take off the logarithm of the sum itself. Where scores are large, that number has no "
    "decimals left, and an error of 0.01 in an exponent is 1 % of a weight. Make the scores small "
    "first."
)
def takes_off_the_log_of_the_sum(scores, dim):
    return (scores - torch.logsumexp(scores, dim, keepdim=True)).exp()


right.mistake("repairs_afterwards",
    {"(scores - scores.amax(dim, keepdim=True))": "scores",
     "return shares / shares.sum(dim, keepdim=True)":
        "return (shares / shares.sum(dim, keepdim=True)).nan_to_num(0.0, 0.0, 0.0)"},
    "You replace what is NaN or infinite after the fact. What was lost in the exponentials does "
    "not come back: avoid it.")
right.mistake("ignores_dim", {"amax(dim": "amax(-1", "sum(dim": "sum(-1"},
    "Your softmax runs over the last axis, whatever `dim` is.")
right.mistake("divides_by_the_sum_of_all", {"sum(dim, keepdim=True)": "sum()"},
    "The maximum is taken along `dim`, the sum over the whole tensor. Which numbers should sum to "
    "1?")
right.mistake("forgets_keepdim",
    {"amax(dim, keepdim=True)": "amax(dim)", "sum(dim, keepdim=True)": "sum(dim)"},
    "Without `keepdim` the reduced axis is gone, and shapes are lined up from the last axis: the "
    "maxima do not stand beside their own rows.")
right.mistake("fills_minus_infinity",
    {"shares = (scores":
        "scores = scores.masked_fill(scores == -math.inf, -1e4)\n    shares = (scores"},
    "You put a finite number in the place of minus infinity, and real scores here lie below it: "
    "the entry that should have the weight 0 has all of it. What is the exponential of minus "
    "infinity, and does it need any replacement?")
right.mistake("fills_with_minus_1e9",
    {"shares = (scores":
        "scores = scores.masked_fill(scores == -math.inf, -1e9)\n    shares = (scores"},
    "-1e9 does not fit half precision, which ends at 65504, and in float32 real scores may lie "
    "below it. What is the exponential of minus infinity, and does it need any replacement?")
right.mistake("changes_the_scores",
    {"shares = (scores - scores.amax(dim, keepdim=True))":
        "scores -= scores.amax(dim, keepdim=True)\n    shares = scores"},
    "You change the caller's scores. What does `-=` do to a tensor?")
right.mistake("returns_float32",
    {"shares = (scores": "scores = scores.float()\n    shares = (scores"},
    "You compute in float32, which is wise for half precision: return the caller's dtype.")


@exercise.misconception(
    "The weights are right, but they are cut off from the scores, so no gradient gets through."
)
def cuts_the_graph(scores, dim):
    with torch.no_grad():
        return shared_out(lowered(scores, dim), dim)


@exercise.misconception(
    "You add a number to the sum. With the largest score at 0 the sum is at least 1 and needs no "
    "help; without that shift no small number helps."
)
def adds_to_the_sum(scores, dim):
    return scores.exp() / (scores.exp().sum(dim, keepdim=True) + 1e-6)


right.mistake("adds_to_the_sum_of_the_lowered",
    {"shares.sum(dim, keepdim=True)": "(shares.sum(dim, keepdim=True) + 1e-6)"},
    "With the largest score at 0 the sum is at least 1, so that nothing has to be added to it. "
    "What you add makes every weight too small; half precision hides it and float64 does not.")
right.mistake("forgets_keepdim_in_the_sum", {"sum(dim, keepdim=True)": "sum(dim)"},
    "The maximum keeps its axis, the sum has lost it: the sums do not stand beside their own rows, "
    "or do not fit at all. What holds for the maximum holds for the sum.")
