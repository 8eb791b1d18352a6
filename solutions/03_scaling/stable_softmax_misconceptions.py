"""Known mistakes of `stable_softmax`."""

import math

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


@exercise.misconception(
    "exp(89) is too large for float32, and exp(-104) is 0. Which number may you take off all "
    "scores of a row without changing the result?"
)
def takes_exponentials_at_once(scores, dim):
    return scores.exp() / scores.exp().sum(dim, keepdim=True)


@exercise.misconception(
    "The exponentials are taken in float64, which moves the limit from 88 to 709 and no further. "
    "Look at what you could take off all scores of a row first."
)
def relies_on_float64(scores, dim):
    return shared_out(scores.double(), dim).to(scores.dtype)


@exercise.misconception(
    "You take off one number for the whole tensor. A row far below it has only exponentials of 0 "
    "left. Which maximum does each row need?"
)
def takes_off_the_highest_of_all(scores, dim):
    return shared_out(scores - scores.max(), dim)


@exercise.misconception(
    "You take off the mean. The largest score can be far above it. After which shift can no "
    "exponential be too large?"
)
def takes_off_the_mean(scores, dim):
    return shared_out(scores - scores.mean(dim, keepdim=True), dim)


@exercise.misconception(
    "Where all scores of a row are far below zero, its exponentials are all 0: what you take off "
    "is right for positive scores only. What should the largest score of a row become?"
)
def takes_off_the_largest_size(scores, dim):
    return shared_out(scores - scores.abs().amax(dim, keepdim=True), dim)


@exercise.misconception(
    "You take off the smallest score, so that the largest becomes larger still. Which score "
    "decides whether an exponential overflows?"
)
def takes_off_the_lowest(scores, dim):
    return shared_out(scores - scores.amin(dim, keepdim=True), dim)


@exercise.misconception(
    "You clamp the scores. All that lie beyond the limit become equal. Only differences of scores "
    "matter: what keeps them?"
)
def clamps_the_scores(scores, dim):
    return shared_out(scores.clamp(-80, 80), dim)


@exercise.misconception(
    "You take off the logarithm of the sum itself. Where scores are large, that number has no "
    "decimals left, and an error of 0.01 in an exponent is 1 % of a weight. Make the scores small "
    "first."
)
def takes_off_the_log_of_the_sum(scores, dim):
    return (scores - torch.logsumexp(scores, dim, keepdim=True)).exp()


@exercise.misconception(
    "You replace what is NaN or infinite after the fact. What was lost in the exponentials does "
    "not come back: avoid it."
)
def repairs_afterwards(scores, dim):
    return shared_out(scores, dim).nan_to_num(0.0, 0.0, 0.0)


@exercise.misconception("Your softmax runs over the last axis, whatever `dim` is.")
def ignores_dim(scores, dim):
    return shared_out(lowered(scores, -1), -1)


@exercise.misconception(
    "The maximum is taken along `dim`, the sum over the whole tensor. Which numbers should sum "
    "to 1?"
)
def divides_by_the_sum_of_all(scores, dim):
    shares = lowered(scores, dim).exp()
    return shares / shares.sum()


@exercise.misconception(
    "Without `keepdim` the reduced axis is gone, and shapes are lined up from the last axis: the "
    "maxima do not stand beside their own rows."
)
def forgets_keepdim(scores, dim):
    shares = (scores - scores.amax(dim)).exp()
    return shares / shares.sum(dim)


@exercise.misconception(
    "You put a finite number in the place of minus infinity, and real scores here lie below it: "
    "the entry that should have the weight 0 has all of it. What is the exponential of minus "
    "infinity, and does it need any replacement?"
)
def fills_minus_infinity(scores, dim):
    return shared_out(lowered(scores.masked_fill(scores == -math.inf, -1e4), dim), dim)


@exercise.misconception(
    "-1e9 does not fit half precision, which ends at 65504, and in float32 real scores may lie "
    "below it. What is the exponential of minus infinity, and does it need any replacement?"
)
def fills_with_minus_1e9(scores, dim):
    return shared_out(lowered(scores.masked_fill(scores == -math.inf, -1e9), dim), dim)


@exercise.misconception("You change the caller's scores. What does `-=` do to a tensor?")
def changes_the_scores(scores, dim):
    scores -= scores.amax(dim, keepdim=True)
    return shared_out(scores, dim)


@exercise.misconception(
    "You compute in float32, which is wise for half precision: return the caller's dtype."
)
def returns_float32(scores, dim):
    return shared_out(lowered(scores.float(), dim), dim)


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


@exercise.misconception(
    "With the largest score at 0 the sum is at least 1, so that nothing has to be added to it. "
    "What you add makes every weight too small; half precision hides it and float64 does not."
)
def adds_to_the_sum_of_the_lowered(scores, dim):
    shares = lowered(scores, dim).exp()
    return shares / (shares.sum(dim, keepdim=True) + 1e-6)


@exercise.misconception(
    "The maximum keeps its axis, the sum has lost it: the sums do not stand beside their own rows, "
    "or do not fit at all. What holds for the maximum holds for the sum."
)
def forgets_keepdim_in_the_sum(scores, dim):
    shares = lowered(scores, dim).exp()
    return shares / shares.sum(dim)
