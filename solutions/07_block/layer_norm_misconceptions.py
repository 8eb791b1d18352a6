"""Known mistakes of `layer_norm`."""

import torch

from .layer_norm import exercise
from .layer_norm_eps import by_features, in_float32, over, spread


@exercise.misconception(
    "Your variance divides by d_model - 1. `var` and `std` do so unless you pass `correction=0`."
)
def divides_by_one_less(x, weight, bias, eps):
    wide = in_float32(x)
    correction = min(1, x.size(-1) - 1)
    return by_features(over(wide, -1, eps, correction), weight, bias, x.dtype)


@exercise.misconception(
    "You divide by the root of the *sum* of the squares, so that rows have the size 1. What is the "
    "variance divided by?"
)
def sum_for_mean(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    total = centred.square().sum(dim=-1, keepdim=True)
    return by_features(centred / (total + eps).sqrt(), weight, bias, x.dtype)


@exercise.misconception(
    "Your variance divides by d_model - 1, and is NaN where a token has one feature. `var` and "
    "`std` do so unless you pass `correction=0`."
)
def divides_by_one_less_or_by_zero(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    variance = centred.square().sum(dim=-1, keepdim=True) / (x.size(-1) - 1)
    return by_features(centred / (variance + eps).sqrt(), weight, bias, x.dtype)


@exercise.misconception(
    "You normalise along axis 0, whatever the shape is. The features of a token lie along the last "
    "axis: -1."
)
def over_the_first_axis(x, weight, bias, eps):
    return by_features(over(in_float32(x), 0, eps), weight, bias, x.dtype)


@exercise.misconception(
    "You normalise along the first axis but one, or the first: each feature over the positions. "
    "Each token is to be normalised by itself. Which axis is that?"
)
def over_the_positions(x, weight, bias, eps):
    return by_features(over(in_float32(x), max(-2, -x.dim()), eps), weight, bias, x.dtype)


@exercise.misconception(
    "One mean and one variance for a whole sequence: its tokens see each other, and a causal mask "
    "is in vain. How many means does a sequence of 3 tokens need?"
)
def over_positions_and_features(x, weight, bias, eps):
    dims = (-2, -1) if x.dim() > 1 else (-1,)
    return by_features(over(in_float32(x), dims, eps), weight, bias, x.dtype)


@exercise.misconception(
    "One mean and one variance for each feature, over all tokens of the batch: that is batch norm. "
    "Which numbers belong to one token?"
)
def batch_norm(x, weight, bias, eps):
    wide = in_float32(x)
    rows = wide.reshape(-1, x.size(-1))
    return by_features(over(rows, 0, eps).reshape(x.shape), weight, bias, x.dtype)


@exercise.misconception(
    "One mean and one variance for the whole tensor. Each row has its own; `keepdim=True` keeps "
    "them beside their rows."
)
def over_everything(x, weight, bias, eps):
    wide = in_float32(x)
    return by_features(over(wide, tuple(range(x.dim())), eps), weight, bias, x.dtype)


@exercise.misconception(
    "You normalise along axis 1: in a matrix those are the features, in a batch the positions. "
    "Count from the end: the features lie along axis -1."
)
def over_axis_1(x, weight, bias, eps):
    return by_features(over(in_float32(x), min(1, x.dim() - 1), eps), weight, bias, x.dtype)


@exercise.misconception(
    "You normalise along axis 1. A single row has no such axis, and in a batch it holds the "
    "positions. Count from the end: the features lie along axis -1."
)
def over_axis_1_always(x, weight, bias, eps):
    return by_features(over(in_float32(x), 1, eps), weight, bias, x.dtype)


@exercise.misconception(
    "One mean and one variance for each entry of the first axis, over all other axes: right for a "
    "matrix, but the tokens of a sequence see each other. Which numbers belong to one token?"
)
def over_all_axes_but_the_first(x, weight, bias, eps):
    dims = tuple(range(1, x.dim())) or (0,)
    return by_features(over(in_float32(x), dims, eps), weight, bias, x.dtype)


@exercise.misconception(
    "You divide by the mean of the magnitudes. Square first, then take the mean, add eps, and then "
    "take the root."
)
def mean_magnitude(x, weight, bias, eps):
    centred, _ = spread(x)
    magnitude = centred.abs().mean(dim=-1, keepdim=True)
    return by_features(centred / (magnitude + eps), weight, bias, x.dtype)


@exercise.misconception(
    "You multiply by the weight before normalising, which undoes part of it. The weight comes "
    "after the division."
)
def weight_before_normalising(x, weight, bias, eps):
    return (over(in_float32(x) * weight, -1, eps) + bias).to(x.dtype)


@exercise.misconception(
    "The bias is added before the weight multiplies, so the weight multiplies it, too. In which "
    "order do they stand in the formula?"
)
def bias_before_weight(x, weight, bias, eps):
    return ((over(in_float32(x), -1, eps) + bias) * weight).to(x.dtype)


@exercise.misconception(
    "You multiply by 1 + weight. Some models store the weight less 1; here it is the factor itself."
)
def one_more_than_the_weight(x, weight, bias, eps):
    return by_features(over(in_float32(x), -1, eps), 1 + weight, bias, x.dtype)


@exercise.misconception("The bias is missing: one number for each feature, added at the end.")
def forgets_the_bias(x, weight, bias, eps):
    return (over(in_float32(x), -1, eps) * weight).to(x.dtype)


@exercise.misconception("The weight is missing: one factor for each feature.")
def forgets_the_weight(x, weight, bias, eps):
    return (over(in_float32(x), -1, eps) + bias).to(x.dtype)


@exercise.misconception("You divide by the variance. Its root is missing.")
def forgets_the_root(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return by_features(centred / (variance + eps), weight, bias, x.dtype)


@exercise.misconception(
    "You divide x itself: its mean is still there. What stands above the line in the formula?"
)
def forgets_to_subtract_the_mean(x, weight, bias, eps):
    wide = in_float32(x)
    variance = wide.var(dim=-1, correction=0, keepdim=True)
    return by_features(wide / (variance + eps).sqrt(), weight, bias, x.dtype)


@exercise.misconception(
    "You divide x by the root of the mean of its squares, as RMS norm does. Layer norm takes the "
    "mean away first, also from what is squared."
)
def rms_norm_with_a_bias(x, weight, bias, eps):
    wide = in_float32(x)
    root = (wide.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    return by_features(wide / root, weight, bias, x.dtype)


@exercise.misconception(
    "You take away the mean and divide by the root of the mean of x squared: without the mean "
    "taken away first, that is no variance."
)
def mean_of_squares_for_the_variance(x, weight, bias, eps):
    wide = in_float32(x)
    centred, squares = wide - wide.mean(dim=-1, keepdim=True), wide.square()
    root = (squares.mean(dim=-1, keepdim=True) + eps).sqrt()
    return by_features(centred / root, weight, bias, x.dtype)


@exercise.misconception(
    "The mean of the squares less the square of the mean: right on paper. Where a row lies far "
    "from 0 both are large and nearly the same, and rounding is left. What is small already before "
    "it is squared?"
)
def difference_of_mean_squares(x, weight, bias, eps):
    wide = in_float32(x)
    mean = wide.mean(dim=-1, keepdim=True)
    variance = (wide.square().mean(dim=-1, keepdim=True) - mean.square()).clamp(min=0)
    return by_features((wide - mean) / (variance + eps).sqrt(), weight, bias, x.dtype)


@exercise.misconception(
    "In float16 the square of 300 is infinite, and so is your variance. In which dtype can it be "
    "computed?"
)
def squares_in_half_precision(x, weight, bias, eps):
    return by_features(over(x, -1, eps), weight, bias, x.dtype)


@exercise.misconception(
    "Your variance, or the squares in it, is float16: where the entries of a row are hundreds "
    "apart it is infinite. In which dtype can it be computed?"
)
def variance_in_half_precision(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True).to(x.dtype)
    return by_features(centred / (variance + eps).sqrt(), weight, bias, x.dtype)


@exercise.misconception(
    "The mean of a row is rounded to half precision before it is taken away. At 64, numbers of "
    "bfloat16 are half a unit apart. In which dtype can the mean be computed?"
)
def mean_in_half_precision(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - in_float32(x.mean(dim=-1, keepdim=True))
    variance = centred.square().mean(dim=-1, keepdim=True)
    return by_features(centred / (variance + eps).sqrt(), weight, bias, x.dtype)


@exercise.misconception(
    "You compute in float32, which is wise for half precision: return the caller's dtype."
)
def returns_float32(x, weight, bias, eps):
    return by_features(over(in_float32(x), -1, eps), weight, bias, torch.float32)


@exercise.misconception(
    "The result is right, but mean and variance are cut off from x: they depend on it, and the "
    "gradient has to know."
)
def cuts_mean_and_variance_off(x, weight, bias, eps):
    wide = in_float32(x)
    fixed = wide.detach()
    root = (fixed.var(dim=-1, correction=0, keepdim=True) + eps).sqrt()
    return by_features((wide - fixed.mean(dim=-1, keepdim=True)) / root, weight, bias, x.dtype)


@exercise.misconception(
    "Without `keepdim` the last axis is gone, and shapes line up from the right: means and "
    "variances do not stand beside their own rows, or do not fit."
)
def forgets_keepdim(x, weight, bias, eps):
    wide = in_float32(x)
    root = (wide.var(dim=-1, correction=0) + eps).sqrt()
    return by_features((wide - wide.mean(dim=-1)) / root, weight, bias, x.dtype)


@exercise.misconception("You change the caller's x. What does `-=` do to a tensor?")
def changes_x(x, weight, bias, eps):
    x -= x.mean(dim=-1, keepdim=True)
    return by_features(over(in_float32(x), -1, eps), weight, bias, x.dtype)
