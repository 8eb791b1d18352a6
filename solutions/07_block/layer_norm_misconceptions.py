"""Known mistakes of `layer_norm`."""

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


@exercise.base
def right(x, weight, bias, eps):
    return by_features(over(in_float32(x), -1, eps), weight, bias, x.dtype)


@exercise.base
def by_squares(x, weight, bias, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return by_features(centred / (variance + eps).sqrt(), weight, bias, x.dtype)


@exercise.base
def in_float64(x, weight, bias, eps):
    centred, variance = spread(x)
    return by_features(centred / (variance + eps).sqrt(), weight, bias, x.dtype)


# fmt: off
by_squares.mistake("eps_outside_the_root",
    {"True)\n    return": "True).clamp(min=1e-30).sqrt()\n    return", "eps).sqrt()": "eps)"},
    "You add eps to the standard deviation. In the formula eps is inside the root, next to the "
    "variance.")
by_squares.mistake("eps_beside_the_root",
    {"True)\n    return": "True).sqrt()\n    return", "eps).sqrt()": "eps)"},
    "You add eps to the root of the variance. In the formula eps is inside the root, where it "
    "also keeps the gradient finite if all features are equal.")
right.mistake("forgets_eps", {"1, eps": "1, 0.0"},
    "You leave eps out. What happens to a row of equal numbers, and to rows that hardly vary?")
right.mistake("eps_of_its_own", {"1, eps": "1, 1e-5"},
    "You use your own eps. The caller passes one as the last argument.")
by_squares.mistake("eps_as_the_least_variance",
    {"True)\n    return": "True).clamp(min=eps)\n    return", "(variance + eps)": "variance"},
    "You raise the variance to eps where it is smaller. The formula adds eps to every variance.")
by_squares.mistake("holds_the_variance_above_its_own_eps",
    {"True)\n    return": "True).clamp(min=1e-12)\n    return", "(variance + eps)": "variance"},
    "You leave eps out, and keep the variance above your own limit. The formula adds eps to every "
    "variance. What happens to rows that hardly vary?")
by_squares.mistake("adds_eps_to_an_unbiased_deviation",
    {"square().mean": "square().sum",
     "True)\n    return": "True) / (x.size(-1) - 1)\n    return",
     "+ eps).sqrt()": ".sqrt() + eps)"},
    "You divide by the standard deviation plus eps, and `std` divides by d_model - 1. Where is "
    "eps in the formula, and what is the variance divided by?")
in_float64.mistake("a_smaller_eps_of_its_own", {"+ eps": "+ 1e-6"},
    "You use your own eps, about 1e-6. The caller passes one as the last argument.")
in_float64.mistake("mends_equal_rows_without_eps",
    {"centred / (variance + eps).sqrt": "(centred / variance.sqrt()).nan_to_num"},
    "A row of equal numbers comes out right, but its gradient is NaN, and no other row gets eps. "
    "The formula adds eps to every variance.")
in_float64.mistake("eps_for_equal_rows_only",
    {"(variance + eps)": "variance.masked_fill(variance == 0, eps)"},
    "Only rows of equal numbers get eps. The formula adds it to every variance. What happens to "
    "rows that hardly vary?")
in_float64.mistake("divides_equal_rows_by_one",
    {"(variance + eps)": "variance.masked_fill(variance == 0, 1)"},
    "Rows of equal numbers are divided by 1, and no other row gets eps. The formula adds eps to "
    "every variance.")
in_float64.mistake("eps_as_the_least_deviation",
    {"(variance + eps).sqrt()": "variance.sqrt().clamp(min=eps)"},
    "You raise the standard deviation to eps where it is smaller. The formula adds eps to every "
    "variance, inside the root.")
in_float64.mistake("eps_as_the_least_length",
    {"variance =": "_ =",
     "(variance + eps).sqrt()":
        "centred.norm(dim=-1, keepdim=True).clamp(min=eps) * x.size(-1) ** 0.5"},
    "You raise the length of the centred row to eps where it is smaller, as `F.normalize` does. "
    "The formula adds eps to every variance.")
in_float64.mistake("eps_beside_the_sum", {"+ eps": "+ eps / x.size(-1)"},
    "You add eps to the sum of the squares, so the variance gets only eps / d_model. Take the "
    "mean first, then add eps.")
right.mistake("divides_by_one_less", {"1, eps": "1, eps, min(1, x.size(-1) - 1)"},
    "Your variance divides by d_model - 1. `var` and `std` do so unless you pass `correction=0`.")
by_squares.mistake("sum_for_mean", {"square().mean": "square().sum"},
    "You divide by the root of the *sum* of the squares, so every row has length 1. What is the "
    "variance divided by?")
by_squares.mistake("divides_by_one_less_or_by_zero",
    {"square().mean(dim=-1, keepdim=True)":
        "square().sum(dim=-1, keepdim=True) / (x.size(-1) - 1)"},
    "Your variance divides by d_model - 1, and is NaN where a token has one feature. `var` and "
    "`std` do so unless you pass `correction=0`.")
right.mistake("over_the_first_axis", {"-1, eps": "0, eps"},
    "You normalise along axis 0, whatever the shape is. The features of a token are on the last "
    "axis: -1.")
right.mistake("over_the_positions", {"-1, eps": "max(-2, -x.dim()), eps"},
    "You normalise along the second-to-last axis, or the first, so each feature is normalised "
    "over the positions. Each token should be normalised by itself. Which axis is that?")
right.mistake("over_positions_and_features", {"-1, eps": "(-2, -1) if x.dim() > 1 else (-1,), eps"},
    "You use one mean and one variance for a whole sequence. Its tokens then see each other, in "
    "spite of a causal mask. How many means does a sequence of 3 tokens need?")
right.mistake("batch_norm", {"x), -1, eps": "x).reshape(-1, x.size(-1)), 0, eps).reshape(x.shape"},
    "You use one mean and one variance for each feature, over all tokens of the batch, which is "
    "batch norm. Which numbers belong to one token?")
right.mistake("over_everything", {"-1, eps": "tuple(range(x.dim())), eps"},
    "You use one mean and one variance for the whole tensor. Each row has its own, and "
    "`keepdim=True` keeps them next to their rows.")
right.mistake("over_axis_1", {"-1, eps": "min(1, x.dim() - 1), eps"},
    "You normalise along axis 1. In a matrix that axis holds the features, but in a batch it "
    "holds the positions. Count from the end: the features are on axis -1.")
right.mistake("over_axis_1_always", {"-1, eps": "1, eps"},
    "You normalise along axis 1. A single row has no such axis, and in a batch it holds the "
    "positions. Count from the end: the features are on axis -1.")
right.mistake("over_all_axes_but_the_first", {"-1, eps": "tuple(range(1, x.dim())) or (0,), eps"},
    "You use one mean and one variance for each entry of the first axis, over all other axes. "
    "This is right for a matrix, but in a batch the tokens of a sequence see each other. Which "
    "numbers belong to one token?")
in_float64.mistake("mean_magnitude",
    {"variance =": "_ =",
     "(variance + eps).sqrt()": "(centred.abs().mean(dim=-1, keepdim=True) + eps)"},
    "You divide by the mean of the magnitudes. Square first, then take the mean, add eps, and "
    "take the root.")
right.mistake("weight_before_normalising",
    {"by_features(over(in_float32(x), -1, eps), weight, bias, x":
        "(over(in_float32(x) * weight, -1, eps) + bias).to(x"},
    "You multiply by the weight before normalising, which partly cancels it. The weight comes "
    "after the division.")
right.mistake("bias_before_weight",
    {"by_features": "(", ", weight, bias, x": "+ bias) * weight).to(x"},
    "You add the bias before multiplying by the weight, so the bias is multiplied, too. In which "
    "order are they in the formula?")
right.mistake("one_more_than_the_weight", {"weight, bias, x": "1 + weight, bias, x"},
    "You multiply by 1 + weight. Some models store the weight minus 1, but here the weight is the "
    "factor itself.")
right.mistake("forgets_the_bias", {" by_features": "", ", weight, bias, x": "* weight).to(x"},
    "The bias is missing: one number for each feature, added at the end.")
right.mistake("forgets_the_weight", {" by_features": "", ", weight, bias, x": "+ bias).to(x"},
    "The weight is missing: one factor for each feature.")
by_squares.mistake("forgets_the_root", {".sqrt()": ""},
    "You divide by the variance. The root is missing.")
in_float64.mistake("forgets_to_subtract_the_mean",
    {"centred, variance = spread(x)":
        "centred = in_float32(x)\n    variance = centred.var(dim=-1, correction=0, keepdim=True)"},
    "You divide x itself: its mean is still there. What is the numerator in the formula?")
in_float64.mistake("rms_norm_with_a_bias",
    {"centred, variance = spread": "wide = in_float32",
     "centred / (variance": "wide / (wide.square().mean(dim=-1, keepdim=True)"},
    "You divide x by the root of the mean of its squares, as RMS norm does. Layer norm subtracts "
    "the mean first, also before squaring.")
by_squares.mistake("mean_of_squares_for_the_variance", {"centred.square()": "wide.square()"},
    "You subtract the mean from x but divide by the root of the mean of x squared. For the "
    "variance, the mean is subtracted before squaring.")
by_squares.mistake("difference_of_mean_squares",
    {"centred.square().mean(dim=-1, keepdim=True)":
        "(wide.square().mean(dim=-1, keepdim=True) - mean.square()).clamp(min=0)",
     "centred = wide - wide.mean(dim=-1, keepdim=True)":
        "mean = wide.mean(dim=-1, keepdim=True)\n"
        "    centred = wide - mean"},
    "The mean of the squares minus the square of the mean is right on paper. Where a row lies far "
    "from 0, both are large and nearly equal, and only rounding is left. Which numbers are small "
    "before you square them?")
right.mistake("squares_in_half_precision", {"in_float32(x)": "x"},
    "In float16 the square of 300 is infinite, and so is your variance. In which dtype can you "
    "compute it?")
by_squares.mistake("variance_in_half_precision",
    {"True)\n    return": "True).to(x.dtype)\n    return"},
    "Your variance, or the squares in it, is float16: where the entries of a row are hundreds "
    "apart, it is infinite. In which dtype can you compute it?")
by_squares.mistake("mean_in_half_precision",
    {"wide.mean(dim=-1, keepdim=True)": "in_float32(x.mean(dim=-1, keepdim=True))"},
    "The mean of a row is rounded to half precision before you subtract it. Near 64, neighbouring "
    "numbers of bfloat16 are half a unit apart. In which dtype can you compute the mean?")
right.mistake("returns_float32", {"x.dtype": "torch.float32"},
    "You compute in float32, which is a good idea for half precision, but you have to return the "
    "caller's dtype.")


@exercise.misconception(
    "The result is right, but mean and variance are cut off from x. They depend on x, so the "
    "gradient has to pass through them."
)
def cuts_mean_and_variance_off(x, weight, bias, eps):
    wide = in_float32(x)
    fixed = wide.detach()
    root = (fixed.var(dim=-1, correction=0, keepdim=True) + eps).sqrt()
    return by_features((wide - fixed.mean(dim=-1, keepdim=True)) / root, weight, bias, x.dtype)


in_float64.mistake("forgets_keepdim",
    {"centred, variance = spread": "wide = in_float32",
     "centred / (variance": "(wide - wide.mean(dim=-1)) / (wide.var(dim=-1, correction=0)"},
    "Without `keepdim` the last axis is gone. Shapes are aligned from the right, so means and "
    "variances do not line up with their own rows, or do not fit.")
right.mistake("changes_x", {"return": "x -= x.mean(dim=-1, keepdim=True)\n    return"},
    "You change the caller's x. What does `-=` do to a tensor?")
