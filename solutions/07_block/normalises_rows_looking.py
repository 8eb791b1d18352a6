"""Known mistakes of `normalises_rows` in what is looked at, and what all its mistakes share."""

import torch
import torch.nn.functional as F

from .normalises_rows import exercise


def drawn(width, far, spreads=(0.1, 0.2, 1.0, 20.0, 90.0), shape=(3, 10)):
    """Rows with these standard deviations in turn, and means `far` times as large."""
    batch, length = shape
    x = F.layer_norm(torch.randn(batch, length, width), (width,), eps=0.0)
    each = torch.tensor(
        [spreads[(i + b) % len(spreads)] for b in range(batch) for i in range(length)]
    )
    return (x + far) * each.view(batch, length, 1)  # [batch, length, width]


def inputs(widths=(4, 50), places=(0.0, 2.0, 900.0), **more):
    return [drawn(width, far, **more) for width in widths for far in places]


def many():
    """So many rows far from 0 that rounding shows in their average, too."""
    return inputs() + inputs(widths=(2, 3, 5, 9), places=(900.0, -950.0))


def in_every_order():
    """Inputs whose first row has each of the spreads."""
    spreads = (0.1, 0.2, 1.0, 20.0, 90.0)
    turned = [spreads[n:] + spreads[:n] for n in range(len(spreads))]
    return [x for each in turned for x in inputs(spreads=each)]


def moments(output, dim=-1, correction=0):
    return output.mean(dim), output.var(dim, correction=correction)


def holds(norm, tried, bound=0.01, **more):
    """Whether means and variances are within a bound of 0 and 1, for all of some inputs."""
    for x in tried:
        mean, variance = moments(norm(x), **more)
        if not max(mean.abs().max(), (variance - 1).abs().max()) < bound:
            return False
    return True


@exercise.misconception(
    "Your function says False where all is well, and True where it is not. Read its name as a "
    "question: does it normalise the rows?"
)
def answers_the_opposite(norm):
    return not holds(norm, inputs())


@exercise.misconception(
    "You miss norms with one mean and one variance for everything. If you look at the mean and the "
    "variance of the whole output: each row is to have its own."
)
def looks_at_the_whole_output(norm):
    return holds(norm, inputs(), dim=(0, 1, 2))


@exercise.misconception(
    "You look along the positions. A row is a token: along which axis are its features?"
)
def looks_along_the_positions(norm):
    return holds(norm, inputs(), dim=1)


@exercise.misconception(
    "You reject right norms and accept one that divides by d_model - 1. `var` and `std` do the "
    "same unless you pass `correction=0`."
)
def divides_by_one_less(norm):
    return holds(norm, inputs(), correction=1)


@exercise.misconception(
    "You miss norms that only take away the mean. Do you look at the mean only? What else does a "
    "normalised row have?"
)
def looks_at_the_mean_only(norm):
    return all(norm(x).mean(-1).abs().max() < 0.02 for x in inputs())


@exercise.misconception(
    "You miss rows with a mean other than 0. Do you look at the variance only? What else does a "
    "normalised row have?"
)
def looks_at_the_variance_only(norm):
    return all((norm(x).var(-1, correction=0) - 1).abs().max() < 0.01 for x in inputs())


@exercise.misconception(
    "You miss what the second position or a later one shows. Do you look at all positions?"
)
def looks_at_the_first_position(norm):
    return holds(lambda x: norm(x)[:, :1], in_every_order())


@exercise.misconception(
    "You miss what other rows than the first show. Do you look at all sequences and positions?"
)
def looks_at_the_first_row(norm):
    return holds(lambda x: norm(x)[:1, :1], in_every_order())


@exercise.misconception(
    "You miss what one row shows. If you average over the rows, the others hide it, and signs "
    "cancel. Which row decides?"
)
def averages_over_the_rows(norm):
    pairs = [moments(norm(x)) for x in many()]
    return all(abs(m.mean()) < 0.02 and abs(v.mean() - 1) < 0.02 for m, v in pairs)


@exercise.misconception(
    "You miss small errors. The docstring says how far a right norm may be off, and how far a "
    "wrong one is at least: where between them is your bound?"
)
def tolerates_too_much(norm):
    return holds(norm, inputs(), bound=0.3)


@exercise.misconception(
    "You miss an error of a few hundredths. The docstring says how far a wrong norm is off at "
    "least: where is your bound?"
)
def tolerates_a_tenth(norm):
    return holds(norm, inputs(), bound=0.1)


@exercise.misconception(
    "You turn right norms away. If your bound is very small: what eps and rounding do is no "
    "mistake, and the docstring says how large that may be."
)
def tolerates_too_little(norm):
    return holds(norm, inputs(), bound=1e-6)


@exercise.misconception(
    "You miss a norm that returns NaN. A comparison with NaN is False, so no error is too large "
    "for `>`. Ask the other way round: is the error small enough?"
)
def lets_nan_pass(norm):
    for x in inputs():
        mean, variance = moments(norm(x))
        if mean.abs().max() > 0.01 or (variance - 1).abs().max() > 0.01:
            return False
    return True


@exercise.misconception(
    "You miss rows whose errors cancel each other. If you average over the rows, which row decides?"
)
def averages_over_the_rows_closely(norm):
    pairs = [moments(norm(x)) for x in many()]
    return all(abs(m.mean()) < 0.005 and abs(v.mean() - 1) < 0.01 for m, v in pairs)


@exercise.misconception(
    "You miss means whose signs cancel: two positions that are moved apart. If you average the "
    "means of the rows, take their magnitudes first."
)
def averages_the_means(norm):
    pairs = [moments(norm(x)) for x in inputs()]
    return all(abs(m.mean()) < 0.005 and (v - 1).abs().max() < 0.01 for m, v in pairs)


@exercise.misconception(
    "You miss norms that make rows too small, or move them down. If you compare without `abs`: an "
    "error below the right number passes."
)
def looks_above_only(norm):
    pairs = [moments(norm(x)) for x in inputs()]
    return all(m.max() < 0.01 and (v - 1).max() < 0.01 for m, v in pairs)


@exercise.misconception(
    "You miss norms that make rows too small. If you compare the variance less 1 without `abs`: an "
    "error below passes."
)
def looks_at_too_large_variances_only(norm):
    pairs = [moments(norm(x)) for x in inputs()]
    return all(m.abs().max() < 0.01 and (v - 1).max() < 0.01 for m, v in pairs)


@exercise.misconception(
    "You miss a norm that moves rows down by a few hundredths. If you compare the means without "
    "`abs`, or with a wider bound than the docstring allows: both let it pass."
)
def looks_at_positive_means_only(norm):
    pairs = [moments(norm(x)) for x in inputs()]
    return all(m.max() < 0.01 and (v - 1).abs().max() < 0.01 for m, v in pairs)


@exercise.misconception(
    "You miss norms that are wrong for some rows only. If one good row is enough for you: each row "
    "is to be normalised. `all`, not `any`."
)
def one_good_row_is_enough(norm):
    for x in inputs():
        mean, variance = moments(norm(x))
        if not bool(((mean.abs() < 0.01) & ((variance - 1).abs() < 0.01)).any()):
            return False
    return True


@exercise.misconception(
    "You miss norms whose variances are off by a tenth. The docstring says how far a wrong norm is "
    "off at least: where is your bound for the variance?"
)
def tolerates_much_in_the_variance(norm):
    pairs = [moments(norm(x)) for x in inputs()]
    return all(m.abs().max() < 0.01 and (v - 1).abs().max() < 0.2 for m, v in pairs)


@exercise.misconception(
    "You turn away a right norm with another eps than torch's. If you compare with torch's own: "
    "the docstring says how far a right norm may be off."
)
def compares_with_torchs_own(norm):
    each = [(norm(x), F.layer_norm(x, x.shape[-1:])) for x in inputs()]
    return all(bool(torch.allclose(y, right, rtol=0, atol=1e-4)) for y, right in each)
