"""Known mistakes of `normalises_rows`."""

import torch
import torch.nn.functional as F

from .normalises_rows import exercise


def drawn(width, far, spreads=(0.1, 0.2, 1.0, 20.0, 90.0), shape=(3, 10)):
    """Rows with these standard deviations, one after another, and means so many times as large."""
    batch, length = shape
    x = F.layer_norm(torch.randn(batch, length, width), (width,), eps=0.0)
    each = torch.tensor(
        [spreads[(i + b) % len(spreads)] for b in range(batch) for i in range(length)]
    )
    return (x + far) * each.view(batch, length, 1)  # [batch, length, width]


def inputs(widths=(4, 50), places=(0.0, 2.0, 900.0), **more):
    return [drawn(width, far, **more) for width in widths for far in places]


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
    "You turn away right norms, and find one right that divides by d_model - 1. `var` and `std` do "
    "the same unless `correction=0` is said."
)
def divides_by_one_less(norm):
    return holds(norm, inputs(), correction=1)


@exercise.misconception(
    "You miss norms that only take away the mean. If you look at the mean only: what else does a "
    "normalised row have?"
)
def looks_at_the_mean_only(norm):
    return all(norm(x).mean(-1).abs().max() < 0.02 for x in inputs())


@exercise.misconception(
    "You miss rows with a mean other than 0. If you look at the variance only: what else does a "
    "normalised row have?"
)
def looks_at_the_variance_only(norm):
    return all((norm(x).var(-1, correction=0) - 1).abs().max() < 0.01 for x in inputs())


@exercise.misconception(
    "You miss what unusual rows show. If all of yours are standard normal, they lie near 0 and "
    "spread by 1. The docstring names rows of other kinds."
)
def tries_standard_normal_rows_only(norm):
    return holds(norm, [torch.randn(4, 6, 64)])


@exercise.misconception(
    "You miss norms that do nothing. Standard normal rows nearly have mean 0 and variance 1 "
    "already, and wide ones more so. What do rows look like that need normalising?"
)
def tries_standard_normal_rows(norm):
    return holds(norm, [torch.randn(3, 10, 1024)], bound=0.2)


@exercise.misconception(
    "You miss what leaves the mean in. If the rows of your input have mean 0 already, that does "
    "not show. Move them."
)
def tries_rows_with_mean_zero(norm):
    return holds(norm, inputs(places=(0.0,)))


@exercise.misconception(
    "You miss a norm that is wrong only where a row has the mean 0. If all of your rows are moved: "
    "keep some that are not."
)
def tries_moved_rows_only(norm):
    return holds(norm, inputs(places=(2.0, 900.0)))


@exercise.misconception(
    "You miss what rows far from 0 show. In float32, what is left of the mean of the squares less "
    "the square of the mean? The docstring says how far rows may lie."
)
def tries_rows_near_zero(norm):
    return holds(norm, inputs(places=(0.0, 2.0)))


@exercise.misconception(
    "You miss a norm that has lost its digits in float32. If your inputs are float64, or become so "
    "before the call: try float32, too."
)
def tries_float64(norm):
    return holds(norm, [x.double() for x in inputs()])


@exercise.misconception(
    "You miss what narrow rows show: with 256 features, d_model - 1 is nearly d_model. The "
    "docstring names widths."
)
def tries_wide_rows_only(norm):
    return holds(norm, inputs(widths=(256,)))


@exercise.misconception(
    "You miss a norm that is wrong only where rows are narrow. The docstring says below which "
    "width."
)
def tries_no_narrow_rows(norm):
    return holds(norm, inputs(widths=(64,)))


@exercise.misconception(
    "You miss a norm that is wrong where rows are wide. The docstring says from which width on."
)
def tries_narrow_rows_only(norm):
    return holds(norm, inputs(widths=(4, 8)))


@exercise.misconception(
    "You miss what rows close together show: a large eps, for one. If all of your rows have a "
    "standard deviation of about 1 or more, nobody sees eps."
)
def tries_spread_rows_only(norm):
    return holds(norm, inputs(spreads=(1.0, 20.0, 90.0, 3.0, 8.0)))


@exercise.misconception(
    "You miss a norm that is wrong where the entries of a row are far apart. The docstring says "
    "from which standard deviation on."
)
def tries_small_rows_only(norm):
    return holds(norm, inputs(spreads=(0.1, 0.2, 1.0, 3.0, 8.0)))


@exercise.misconception(
    "You miss norms that take their statistics from other rows. If all rows of your input have the "
    "same mean and the same spread, every row's statistics do."
)
def tries_rows_of_one_kind(norm):
    kinds = ((0.1,), (0.2,), (1.0,), (20.0,), (90.0,))
    return all(holds(norm, inputs(spreads=spreads)) for spreads in kinds)


@exercise.misconception(
    "You miss a norm that takes the statistics of the first sequence for all. If the rows at one "
    "position are of one kind in every sequence, that does not show."
)
def tries_sequences_alike(norm):
    each = torch.tensor([0.1, 0.2, 1.0, 20.0, 90.0])[:, None]
    kinds = [(width, far) for width in (4, 50) for far in (0.0, 2.0, 900.0)]
    return holds(norm, [drawn(n, far, (1.0,), (3, 5)) * each for n, far in kinds])


@exercise.misconception(
    "You miss what only the second or the third sequence shows. Try a batch of three, and look at "
    "all of it."
)
def tries_one_sequence(norm):
    return holds(norm, inputs(shape=(1, 10)))


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
    "You miss norms over positions and features. With a single token in a sequence they are the "
    "same as a norm of the rows. Try several positions."
)
def tries_one_position(norm):
    each = (0.1, 0.2, 1.0, 20.0, 90.0)
    return all(holds(norm, inputs(spreads=(spread,), shape=(3, 1))) for spread in each)


@exercise.misconception(
    "You miss what one row shows. If you average over the rows, the others hide it, and signs "
    "cancel. Which row decides?"
)
def averages_over_the_rows(norm):
    pairs = [moments(norm(x)) for x in inputs()]
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
