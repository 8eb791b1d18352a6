"""Known mistakes of `normalises_rows` in the rows that are tried."""

import torch

from .normalises_rows import exercise
from .normalises_rows_looking import drawn, holds, inputs


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
    "You miss norms over positions and features. With a single token in a sequence they are the "
    "same as a norm of the rows. Try several positions."
)
def tries_one_position(norm):
    each = (0.1, 0.2, 1.0, 20.0, 90.0)
    return all(holds(norm, inputs(spreads=(spread,), shape=(3, 1))) for spread in each)


@exercise.misconception(
    "You miss a norm that is wrong only where rows are close together. The docstring says how "
    "small their standard deviation may be."
)
def tries_no_rows_very_close_together(norm):
    return holds(norm, inputs(spreads=(0.4, 0.5, 1.0, 20.0, 90.0)))


@exercise.misconception(
    "You miss a norm that is wrong only where rows lie far from 0. The docstring says how far they "
    "may lie."
)
def tries_rows_at_most_half_as_far(norm):
    return holds(norm, inputs(places=(0.0, 2.0, 450.0)))


@exercise.misconception(
    "You miss a norm that is wrong only in the third sequence. The docstring says in which "
    "sequences norms are wrong."
)
def tries_two_sequences(norm):
    return holds(norm, inputs(shape=(2, 10)))


@exercise.misconception(
    "You miss a norm that is wrong only at the fifth position. The docstring says at which "
    "positions norms are wrong."
)
def tries_four_positions(norm):
    spreads = (0.1, 0.2, 1.0, 20.0, 90.0)
    turned = [spreads[n:] + spreads[:n] for n in range(len(spreads))]
    return all(holds(norm, inputs(spreads=each, shape=(3, 4))) for each in turned)
