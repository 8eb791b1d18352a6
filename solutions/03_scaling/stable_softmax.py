"""Cases, oracle and known mistakes of `stable_softmax`."""

import math

import torch

from autograder.properties import Finite
from autograder.spec import Case, Exercise

exercise = Exercise(
    "stable_softmax",
    points=4,
    difficulty=2,
    minutes=20,
    returns=("the weights",),
    read="03_scaling.html#scaling-stable",
    forbids=("softmax", "log_softmax", "safe_softmax", "masked_softmax", "sparse_softmax",
             "scaled_dot_product"),
    properties=(Finite(),),
)  # fmt: skip


def near(rng, level, *shape, dtype=torch.float32):
    """Scores around `level`, a quarter to a few units apart, exact in `dtype`; never one alone."""
    steps = rng.integers(0, 9, *shape).to(torch.float64) / 4
    return (steps + level).to(dtype)


def case(name, scores, dim, gradient=False):
    return Case(name, {"scores": scores, "dim": dim}, gradient=gradient)


@exercise.cases
def cases(rng):
    yield case("the last axis", rng.normal(2, 3, 5), -1, gradient=True)
    yield case("an axis in the middle", rng.normal(2, 4, 3, 5), 1, gradient=True)
    yield case("scores of some hundreds", rng.normal(3, 6) * 250, -1)
    yield case("large scores", near(rng, 30000.0, 2, 3, 7), -1)
    yield case("large negative scores", near(rng, -30000.0, 3, 6), -1)
    levels = torch.tensor([0.0, 3000.0, -3000.0, 90.0])[:, None]
    yield case("rows far apart", near(rng, 0.0, 2, 4, 5) + levels, 2)
    scores = rng.normal(3, 4, 6)
    scores[:, :, 1] = scores[1, :, 3:] = scores[2, 1, 4] = -math.inf
    yield case("entries of minus infinity", scores, -1, gradient=True)
    half = rng.normal(4, 5, dtype=torch.float16)
    yield case("half precision", half, 0, gradient=True)
    yield case("large scores in half precision", near(rng, 500.0, 2, 3, 5, dtype=torch.float16), -1)
    scores = torch.tensor([-3e4, -1e9, -1e30])[:, None].repeat(1, 6)
    scores[0, :2] = scores[1, 3:] = scores[2, ::2] = -math.inf
    yield case("minus infinity beside scores far below zero", scores, -1)


@exercise.secret_cases
def secret_cases(rng):
    dim = rng.integer(0, 4)
    yield case("a random axis of four", rng.normal(2, 3, 5, 4), dim, gradient=True)
    yield case("an axis counted from the end", rng.normal(2, 6, 3, 5), -2 - rng.integer(0, 2))
    yield case("one axis", rng.normal(rng.integer(5, 9)), 0)
    yield case("the range of float32", rng.normal(3, 5).sign() * 3e38, -1)
    scores = near(rng, -65000.0, 3, 4, dtype=torch.float64)
    scores[0, 1], scores[1], scores[2, :3] = 65000, -math.inf, -math.inf
    scores[1, 2] = -60000
    yield case("half precision, far apart", scores.to(torch.float16), -1)
    yield case("bfloat16", rng.normal(3, 2, 5, dtype=torch.bfloat16) * 8, 0, gradient=True)
    yield case("one entry", rng.normal(3, 1) * 1000, 1)
    lowest = torch.full((2, 5), torch.finfo(torch.float32).min)
    lowest[0, 1:3] = lowest[1, 4] = -math.inf
    yield case("minus infinity beside the lowest numbers", lowest, -1)


@exercise.oracle
def torchs_own(scores, dim):
    return scores.softmax(dim)


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
    shares = scores.double().exp()
    return (shares / shares.sum(dim, keepdim=True)).to(scores.dtype)


@exercise.misconception(
    "You take off one number for the whole tensor. A row far below it has only exponentials of 0 "
    "left. Which maximum does each row need?"
)
def takes_off_the_highest_of_all(scores, dim):
    shares = (scores - scores.max()).exp()
    return shares / shares.sum(dim, keepdim=True)


@exercise.misconception(
    "You take off the mean. The largest score can be far above it. After which shift can no "
    "exponential be too large?"
)
def takes_off_the_mean(scores, dim):
    shares = (scores - scores.mean(dim, keepdim=True)).exp()
    return shares / shares.sum(dim, keepdim=True)


@exercise.misconception(
    "Where all scores of a row are far below zero, its exponentials are all 0: what you take off "
    "is right for positive scores only. What should the largest score of a row become?"
)
def takes_off_the_largest_size(scores, dim):
    shares = (scores - scores.abs().amax(dim, keepdim=True)).exp()
    return shares / shares.sum(dim, keepdim=True)


@exercise.misconception(
    "You take off the smallest score, so that the largest becomes larger still. Which score "
    "decides whether an exponential overflows?"
)
def takes_off_the_lowest(scores, dim):
    shares = (scores - scores.amin(dim, keepdim=True)).exp()
    return shares / shares.sum(dim, keepdim=True)


@exercise.misconception(
    "You clamp the scores. All that lie beyond the limit become equal. Only differences of scores "
    "matter: what keeps them?"
)
def clamps_the_scores(scores, dim):
    shares = scores.clamp(-80, 80).exp()
    return shares / shares.sum(dim, keepdim=True)


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
    shares = scores.exp()
    return (shares / shares.sum(dim, keepdim=True)).nan_to_num(0.0, 0.0, 0.0)


@exercise.misconception("Your softmax runs over the last axis, whatever `dim` is.")
def ignores_dim(scores, dim):
    shares = (scores - scores.amax(-1, keepdim=True)).exp()
    return shares / shares.sum(-1, keepdim=True)


@exercise.misconception(
    "The maximum is taken along `dim`, the sum over the whole tensor. Which numbers should sum "
    "to 1?"
)
def divides_by_the_sum_of_all(scores, dim):
    shares = (scores - scores.amax(dim, keepdim=True)).exp()
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
    scores = scores.masked_fill(scores == -math.inf, -1e4)
    shares = (scores - scores.amax(dim, keepdim=True)).exp()
    return shares / shares.sum(dim, keepdim=True)


@exercise.misconception(
    "-1e9 does not fit half precision, which ends at 65504, and in float32 real scores may lie "
    "below it. What is the exponential of minus infinity, and does it need any replacement?"
)
def fills_with_minus_1e9(scores, dim):
    scores = scores.masked_fill(scores == -math.inf, -1e9)
    shares = (scores - scores.amax(dim, keepdim=True)).exp()
    return shares / shares.sum(dim, keepdim=True)


@exercise.misconception("You change the caller's scores. What does `-=` do to a tensor?")
def changes_the_scores(scores, dim):
    scores -= scores.amax(dim, keepdim=True)
    shares = scores.exp()
    return shares / shares.sum(dim, keepdim=True)


@exercise.misconception(
    "You compute in float32, which is wise for half precision: return the caller's dtype."
)
def returns_float32(scores, dim):
    shares = (scores.float() - scores.float().amax(dim, keepdim=True)).exp()
    return shares / shares.sum(dim, keepdim=True)


@exercise.misconception(
    "The weights are right, but they are cut off from the scores, so no gradient gets through."
)
def cuts_the_graph(scores, dim):
    with torch.no_grad():
        shares = (scores - scores.amax(dim, keepdim=True)).exp()
        return shares / shares.sum(dim, keepdim=True)


@exercise.misconception(
    "You add a number to the sum. With the largest score at 0 the sum is at least 1 and needs no "
    "help; without that shift no small number helps."
)
def adds_to_the_sum(scores, dim):
    return scores.exp() / (scores.exp().sum(dim, keepdim=True) + 1e-6)


@exercise.variant
def in_float32_and_back(scores, dim):
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    highest = torch.max(wide, dim=dim, keepdim=True).values.detach()
    shares = torch.exp(wide - highest)
    return torch.div(shares, torch.sum(shares, dim=dim, keepdim=True)).to(scores.dtype)


@exercise.variant
def logarithm_of_the_sum_of_small_scores(scores, dim):
    small = scores - scores.amax(dim, keepdim=True)
    return torch.exp(small - small.exp().sum(dim, keepdim=True).log())


@exercise.variant
def row_by_row(scores, dim):
    rows = scores.movedim(dim, -1)
    done = []
    for row in rows.reshape(-1, rows.size(-1)):
        shares = torch.exp(row - max(row))
        done.append(shares / sum(shares))
    return torch.stack(done).reshape(rows.shape).movedim(-1, dim)


@exercise.variant
def sorted_and_unsqueezed(scores, dim):
    highest = torch.sort(scores, dim=dim, descending=True)[0].select(dim, 0).unsqueeze(dim)
    shares = math.e ** (scores - highest)
    return torch.einsum("...,...->...", shares, 1 / shares.sum(dim).unsqueeze(dim))
