"""Known mistakes of `normalises_rows` in the rows that are tried."""

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


@exercise.base
def right(norm):
    return holds(norm, inputs())


@exercise.base
def by_moments(norm):
    pairs = [moments(norm(x)) for x in inputs()]
    return all(m.abs().max() < 0.01 and (v - 1).abs().max() < 0.01 for m, v in pairs)


# fmt: off
right.mistake("answers_the_opposite", {"holds": "not holds"},
    "Your function returns False for right norms, and True for wrong ones. Read its name as a "
    "question: does it normalise the rows?")
right.mistake("looks_at_the_whole_output", {"inputs()": "inputs(), dim=(0, 1, 2)"},
    "You miss norms with one mean and one variance for everything. If you look at the mean and "
    "the variance of the whole output, note that each row should have its own.")
right.mistake("looks_along_the_positions", {"inputs()": "inputs(), dim=1"},
    "You look along the positions. A row is a token. Along which axis are its features?")
right.mistake("divides_by_one_less", {"inputs()": "inputs(), correction=1"},
    "You reject right norms and accept one that divides by d_model - 1. `var` and `std` do the "
    "same unless you pass `correction=0`.")
right.mistake("looks_at_the_mean_only",
    {"holds": "all", "norm,": "norm(x).mean(-1).abs().max() < 0.02 for x in"},
    "You miss norms that only subtract the mean. Do you look at the mean only? What else does a "
    "normalised row have?")
right.mistake("looks_at_the_variance_only",
    {"holds(norm,": "all((norm(x).var(-1, correction=0) - 1).abs().max() < 0.01 for x in"},
    "You miss rows with a mean other than 0. Do you look at the variance only? What else does a "
    "normalised row have?")
right.mistake("looks_at_the_first_position",
    {"norm, inputs": "lambda x: norm(x)[:, :1], in_every_order"},
    "You miss errors at the second position or a later one. Do you look at all positions?")
right.mistake("looks_at_the_first_row",
    {"norm, inputs": "lambda x: norm(x)[:1, :1], in_every_order"},
    "You miss errors in rows other than the first. Do you look at all sequences and positions?")
right.mistake("averages_over_the_rows",
    {"holds(norm, inputs())":
        "all(abs(m.mean()) < 0.02 and abs(v.mean() - 1) < 0.02 for m, v in [moments(norm(x)) "
        "for x in many()])"},
    "You miss an error in a single row. If you average over the rows, the others hide it, and "
    "signs cancel. Which row should decide?")
right.mistake("tolerates_too_much", {"inputs()": "inputs(), bound=0.3"},
    "You miss small errors. The docstring says how far a right norm may be off, and by how much a "
    "wrong one is off at least. Where between the two is your bound?")
right.mistake("tolerates_a_tenth", {"inputs()": "inputs(), bound=0.1"},
    "You miss an error of a few hundredths. The docstring says by how much a wrong norm is off at "
    "least. Where is your bound?")
right.mistake("tolerates_too_little", {"inputs()": "inputs(), bound=1e-6"},
    "You reject right norms. If your bound is very small, note that eps and rounding are not "
    "mistakes. The docstring says how large their effect may be.")


@exercise.misconception(
    "You miss a norm that returns NaN. A comparison with NaN is False, so no error is too large "
    "for `>`. Reverse the question: is the error small enough?"
)
def lets_nan_pass(norm):
    for x in inputs():
        mean, variance = moments(norm(x))
        if mean.abs().max() > 0.01 or (variance - 1).abs().max() > 0.01:
            return False
    return True


by_moments.mistake("averages_over_the_rows_closely",
    {"inputs": "many",
     "m.abs().max() < 0.01 and (v - 1).abs().max()": "abs(m.mean()) < 0.005 and abs(v.mean() - 1)"},
    "You miss rows whose errors cancel each other. If you average over the rows, which row should "
    "decide?")
by_moments.mistake("averages_the_means", {"m.abs().max() < 0.01": "abs(m.mean()) < 0.005"},
    "You miss means whose signs cancel, as at two positions that are shifted in opposite "
    "directions. If you average the means of the rows, take their magnitudes first.")
by_moments.mistake("looks_above_only", {"m.abs().": "m.", "(v - 1).abs()": "(v - 1)"},
    "You miss norms that make rows too small, or shift them down. If you compare without `abs`, "
    "an error below the right number passes.")
by_moments.mistake("looks_at_too_large_variances_only", {"(v - 1).abs().": "(v - 1)."},
    "You miss norms that make rows too small. If you compare the variance minus 1 without `abs`, "
    "an error below passes.")
by_moments.mistake("looks_at_positive_means_only", {"m.abs().": "m."},
    "You miss a norm that shifts rows down by a few hundredths. If you compare the means without "
    "`abs`, or with a wider bound than the docstring allows, it passes.")


@exercise.misconception(
    "You miss norms that are wrong for some rows only. If you accept a norm as soon as one row is "
    "good, note that each row should be normalised: `all`, not `any`."
)
def one_good_row_is_enough(norm):
    for x in inputs():
        mean, variance = moments(norm(x))
        if not bool(((mean.abs() < 0.01) & ((variance - 1).abs() < 0.01)).any()):
            return False
    return True


by_moments.mistake("tolerates_much_in_the_variance", {"0.01 for": "0.2 for"},
    "You miss norms whose variances are off by a tenth. The docstring says by how much a wrong "
    "norm is off at least. Where is your bound for the variance?")
right.mistake("compares_with_torchs_own",
    {"holds(norm, inputs())":
        "all(bool(torch.allclose(y, right, rtol=0, atol=1e-4)) for y, right in [(norm(x), "
        "F.layer_norm(x, x.shape[-1:])) for x in inputs()])"},
    "You reject a right norm whose eps differs from torch's. If you compare with torch's own "
    "norm, note that the docstring says how far a right norm may be off.")
right.mistake("tries_standard_normal_rows_only", {"inputs()": "[torch.randn(4, 6, 64)]"},
    "You miss errors in unusual rows. If all of your rows are standard normal, they lie near 0 "
    "and have spread 1. The docstring names rows of other kinds.")
right.mistake("tries_standard_normal_rows", {"inputs()": "[torch.randn(3, 10, 1024)], bound=0.2"},
    "You miss norms that do nothing. Standard normal rows have nearly mean 0 and variance 1 "
    "already, especially wide ones. Which rows really need normalising?")
right.mistake("tries_rows_with_mean_zero", {"inputs()": "inputs(places=(0.0,))"},
    "You miss norms that leave the mean in. If the rows of your input have mean 0 already, that "
    "does not show. Shift them.")
right.mistake("tries_moved_rows_only", {"inputs()": "inputs(places=(2.0, 900.0))"},
    "You miss a norm that is wrong only where a row has mean 0. If all of your rows are shifted, "
    "keep some that are not.")
right.mistake("tries_rows_near_zero", {"inputs()": "inputs(places=(0.0, 2.0))"},
    "You miss errors in rows far from 0. In float32, what is left of the mean of the squares "
    "minus the square of the mean? The docstring says how far from 0 rows may lie.")
right.mistake("tries_float64", {"inputs()": "[x.double() for x in inputs()]"},
    "You miss a norm that loses its digits in float32. If your inputs are float64, or are "
    "converted to it before the call, try float32, too.")
right.mistake("tries_wide_rows_only", {"inputs()": "inputs(widths=(256,))"},
    "You miss errors in narrow rows: with 256 features, d_model - 1 is nearly d_model. The "
    "docstring names widths.")
right.mistake("tries_no_narrow_rows", {"inputs()": "inputs(widths=(64,))"},
    "You miss a norm that is wrong only where rows are narrow. The docstring says below which "
    "width.")
right.mistake("tries_narrow_rows_only", {"inputs()": "inputs(widths=(4, 8))"},
    "You miss a norm that is wrong where rows are wide. The docstring says from which width on.")
right.mistake("tries_spread_rows_only", {"inputs()": "inputs(spreads=(1.0, 20.0, 90.0, 3.0, 8.0))"},
    "You miss errors in rows whose entries are close together, such as a large eps. If all of "
    "your rows have a standard deviation of about 1 or more, the eps makes no visible difference.")
right.mistake("tries_small_rows_only", {"inputs()": "inputs(spreads=(0.1, 0.2, 1.0, 3.0, 8.0))"},
    "You miss a norm that is wrong where the entries of a row are far apart. The docstring says "
    "from which standard deviation on.")
right.mistake("tries_rows_of_one_kind",
    {"holds(norm, inputs())":
        "all(holds(norm, inputs(spreads=spreads)) for spreads in ((0.1,), (0.2,), (1.0,), "
        "(20.0,), (90.0,)))"},
    "You miss norms that take their statistics from other rows. If all rows of your input have "
    "the same mean and the same spread, the statistics of any row give the same result.")
right.mistake("tries_sequences_alike",
    {"inputs()":
        "[drawn(n, far, (1.0,), (3, 5)) * torch.tensor([0.1, 0.2, 1.0, 20.0, 90.0])[:, None] "
        "for n, far in [(width, far) for width in (4, 50) for far in (0.0, 2.0, 900.0)]]"},
    "You miss a norm that uses the statistics of the first sequence for all. If the rows at one "
    "position are of the same kind in every sequence, that does not show.")
right.mistake("tries_one_sequence", {"inputs()": "inputs(shape=(1, 10))"},
    "You miss errors in the second or the third sequence. Try a batch of three, and look at all "
    "of it.")
right.mistake("tries_one_position",
    {"holds(norm, inputs())":
        "all(holds(norm, inputs(spreads=(spread,), shape=(3, 1))) for spread in (0.1, 0.2, "
        "1.0, 20.0, 90.0))"},
    "You miss norms over positions and features. If a sequence has a single token, they give the "
    "same as a norm of the rows. Try several positions.")
right.mistake("tries_no_rows_very_close_together",
    {"inputs()": "inputs(spreads=(0.4, 0.5, 1.0, 20.0, 90.0))"},
    "You miss a norm that is wrong only where the entries of a row are close together. The "
    "docstring says how small their standard deviation may be.")
right.mistake("tries_rows_at_most_half_as_far", {"inputs()": "inputs(places=(0.0, 2.0, 450.0))"},
    "You miss a norm that is wrong only where rows lie far from 0. The docstring says how far "
    "they may lie.")
right.mistake("tries_two_sequences", {"inputs()": "inputs(shape=(2, 10))"},
    "You miss a norm that is wrong only in the third sequence. The docstring says in which "
    "sequences norms are wrong.")


@exercise.misconception(
    "You miss a norm that is wrong only at the fifth position. The docstring says at which "
    "positions norms are wrong."
)
def tries_four_positions(norm):
    spreads = (0.1, 0.2, 1.0, 20.0, 90.0)
    turned = [spreads[n:] + spreads[:n] for n in range(len(spreads))]
    return all(holds(norm, inputs(spreads=each, shape=(3, 4))) for each in turned)
