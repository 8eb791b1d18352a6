"""Known mistakes of `layer_norm` with eps, and what all its mistakes are made of."""

import torch

from .layer_norm import exercise


def in_float32(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def over(x, dims, eps, correction=0):
    """x less its mean, over its standard deviation, along some axes."""
    variance = x.var(dim=dims, correction=correction, keepdim=True)
    return (x - x.mean(dim=dims, keepdim=True)) / (variance + eps).sqrt()


def spread(x):
    """x minus its mean, and its variance, along the last axis, in float64."""
    centred = x.double() - x.double().mean(dim=-1, keepdim=True)
    return centred, centred.square().mean(dim=-1, keepdim=True)


def by_features(normalised, weight, bias, dtype):
    return (normalised * weight + bias).to(dtype)


@exercise.misconception(
    "You add eps to the standard deviation. In the formula it stands inside the root, beside the "
    "variance."
)
def eps_outside_the_root(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    root = centred.square().mean(dim=-1, keepdim=True).clamp(min=1e-30).sqrt()
    return by_features(centred / (root + eps), weight, bias, x.dtype)


@exercise.misconception(
    "You add eps to the root of the variance. Inside the root, where it stands in the formula, it "
    "also keeps the gradient finite where all features are equal."
)
def eps_beside_the_root(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    root = centred.square().mean(dim=-1, keepdim=True).sqrt()
    return by_features(centred / (root + eps), weight, bias, x.dtype)


@exercise.misconception(
    "You leave eps out. What becomes of a row of equal numbers, and of rows that hardly vary?"
)
def forgets_eps(x, weight, bias, eps):
    return by_features(over(in_float32(x), -1, 0.0), weight, bias, x.dtype)


@exercise.misconception("You use an eps of your own. The caller's comes as the last argument.")
def eps_of_its_own(x, weight, bias, eps):
    return by_features(over(in_float32(x), -1, 1e-5), weight, bias, x.dtype)


@exercise.misconception(
    "The variance is raised to eps where it is smaller. The formula adds eps to every variance."
)
def eps_as_the_least_variance(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True).clamp(min=eps)
    return by_features(centred / variance.sqrt(), weight, bias, x.dtype)


@exercise.misconception(
    "You leave eps out, and hold the variance above a number of your own. The formula adds eps to "
    "every variance: what becomes of rows that hardly vary?"
)
def holds_the_variance_above_its_own_eps(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True).clamp(min=1e-12)
    return by_features(centred / variance.sqrt(), weight, bias, x.dtype)


@exercise.misconception(
    "You divide by the standard deviation plus eps, and `std` divides by d_model - 1. Where does "
    "eps stand in the formula, and what is the variance divided by?"
)
def adds_eps_to_an_unbiased_deviation(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    variance = centred.square().sum(dim=-1, keepdim=True) / (x.size(-1) - 1)
    return by_features(centred / (variance.sqrt() + eps), weight, bias, x.dtype)


@exercise.misconception(
    "You use an eps of your own, about 1e-6. The caller's comes as the last argument."
)
def a_smaller_eps_of_its_own(x, weight, bias, eps):
    centred, variance = spread(x)
    return by_features(centred / (variance + 1e-6).sqrt(), weight, bias, x.dtype)


@exercise.misconception(
    "A row of equal numbers comes out right, though its gradient is NaN, and no other row gets "
    "eps. The formula adds it to every variance."
)
def mends_equal_rows_without_eps(x, weight, bias, eps):
    centred, variance = spread(x)
    return by_features((centred / variance.sqrt()).nan_to_num(), weight, bias, x.dtype)


@exercise.misconception(
    "Only rows of equal numbers get eps. The formula adds it to every variance: what becomes of "
    "rows that hardly vary?"
)
def eps_for_equal_rows_only(x, weight, bias, eps):
    centred, variance = spread(x)
    root = variance.masked_fill(variance == 0, eps).sqrt()
    return by_features(centred / root, weight, bias, x.dtype)


@exercise.misconception(
    "Rows of equal numbers are divided by 1, and no other row gets eps. The formula adds eps to "
    "every variance."
)
def divides_equal_rows_by_one(x, weight, bias, eps):
    centred, variance = spread(x)
    root = variance.masked_fill(variance == 0, 1).sqrt()
    return by_features(centred / root, weight, bias, x.dtype)


@exercise.misconception(
    "The standard deviation is raised to eps where it is smaller. The formula adds eps to every "
    "variance, inside the root."
)
def eps_as_the_least_deviation(x, weight, bias, eps):
    centred, variance = spread(x)
    return by_features(centred / variance.sqrt().clamp(min=eps), weight, bias, x.dtype)


@exercise.misconception(
    "The length of the row without its mean is raised to eps where it is smaller, as "
    "`F.normalize` does. The formula adds eps to every variance."
)
def eps_as_the_least_length(x, weight, bias, eps):
    centred, _ = spread(x)
    length = centred.norm(dim=-1, keepdim=True).clamp(min=eps)
    return by_features(centred / length * x.size(-1) ** 0.5, weight, bias, x.dtype)


@exercise.misconception(
    "You add eps to the sum of the squares, so that what the variance gets is eps / d_model. Take "
    "the mean first, and add eps to it."
)
def eps_beside_the_sum(x, weight, bias, eps):
    centred, variance = spread(x)
    return by_features(centred / (variance + eps / x.size(-1)).sqrt(), weight, bias, x.dtype)
