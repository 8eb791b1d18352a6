"""Known mistakes of `rms_norm`."""

import torch

from .rms_norm import exercise


def in_float32(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def mean_square(x, dims=-1):
    return x.square().mean(dim=dims, keepdim=True)


def by_weight(normalised, weight, dtype):
    return (normalised * weight).to(dtype)


@exercise.base
def right(x, weight, eps):
    wide = in_float32(x)
    return (wide / (mean_square(wide) + eps).sqrt() * weight).to(x.dtype)


# fmt: off
right.mistake("eps_outside_the_root", {"+ eps).sqrt()": ".clamp(min=1e-30).sqrt() + eps)"},
    "You add eps to the root. In the formula eps is inside the root, next to the mean of the "
    "squares.")
right.mistake("eps_beside_the_root", {"+ eps).sqrt()": ".sqrt() + eps)"},
    "You add eps to the root of the mean of the squares. In the formula eps is inside the root, "
    "where it also keeps the gradient finite if a row is zero.")
right.mistake("forgets_eps", {"(mean_square(wide) + eps)": "mean_square(wide)"},
    "You leave eps out. What happens to a row of zeros, and to small rows?")
right.mistake("eps_of_its_own", {"+ eps": "+ 1e-6"},
    "You use your own eps. The caller passes one as the last argument.")
right.mistake("holds_the_square_above_its_own_eps",
    {"(mean_square(wide) + eps)": "mean_square(wide).clamp(min=1e-12)"},
    "You leave eps out, and keep the mean square above your own limit. The formula adds eps to "
    "every mean square. What happens to small rows?")
right.mistake("eps_as_the_least_square",
    {"(mean_square(wide) + eps)": "mean_square(wide).clamp(min=eps)"},
    "You raise the mean of the squares to eps where it is smaller. The formula adds eps to every "
    "mean square.")
right.mistake("a_larger_eps_of_its_own",
    {"in_float32(x)": "x.to(torch.promote_types(x.dtype, torch.float32))", "+ eps": "+ 1e-5"},
    "You use your own eps, about 1e-5. The caller passes one as the last argument.")
right.mistake("mends_zero_rows_without_eps",
    {"(wide / (mean_square(wide) + eps).sqrt() * weight).to(x":
        "by_weight((wide / mean_square(wide).sqrt()).nan_to_num(), weight, x"},
    "A row of zeros comes out right, but its gradient is NaN, and no other row gets eps. The "
    "formula adds eps to every mean square.")
right.mistake("mends_zero_rows_behind_the_weight",
    {"(mean_square(wide) + eps)": "mean_square(wide)", "weight)": "weight).nan_to_num()"},
    "A row of zeros comes out right, except that the gradients of x and weight are NaN, and no "
    "other row gets eps. The formula adds eps to every mean square.")
right.mistake("eps_for_zero_rows_only",
    {"wide = in_float32(x)": "wide, square = in_float32(x), mean_square(in_float32(x))",
     "(mean_square(wide) + eps)": "square.masked_fill(square == 0, eps)"},
    "Only rows of zeros get eps. The formula adds it to every mean square. What happens to small "
    "rows?")
right.mistake("eps_as_the_least_root",
    {"(wide / (mean_square(wide) + eps).sqrt() * weight).to(x":
        "by_weight(wide / mean_square(wide).sqrt().clamp(min=eps), weight, x"},
    "You raise the root to eps where it is smaller. The formula adds eps to every mean square, "
    "inside the root.")
right.mistake("eps_as_the_least_length",
    {"wide = in_float32(x)": "length = in_float32(x).norm(dim=-1, keepdim=True).clamp(min=eps)",
     "(wide / (mean_square(wide) + eps).sqrt() * weight).to(x":
        "by_weight(in_float32(x) / length * x.size(-1) ** 0.5, weight, x"},
    "You raise the length of a row to eps where it is smaller, as `F.normalize` does. The formula "
    "adds eps to every mean square.")
right.mistake("holds_the_length_above_its_own_eps",
    {"(wide / (mean_square(wide) + eps).sqrt() * weight).to(x":
        "by_weight(torch.nn.functional.normalize(wide, dim=-1) * x.size(-1) ** 0.5, weight, x"},
    "You leave eps out, and keep the divisor above your own limit, as `F.normalize` does with "
    "1e-12. The formula adds eps to every mean square.")
right.mistake("eps_beside_the_sum",
    {"in_float32(x)": "x.to(torch.promote_types(x.dtype, torch.float32))",
     "+ eps": "+ eps / x.size(-1)"},
    "You add eps to the sum of the squares, so the mean gets only eps / d_model. Take the mean "
    "first, then add eps.")
right.mistake("eps_beside_the_length",
    {"(wide / (mean_square(wide) + eps).sqrt() * weight).to(x":
        "by_weight(wide / ((wide.norm(dim=-1, keepdim=True) + eps) / x.size(-1) ** 0.5), "
        "weight, x"},
    "You add eps to the length of the row, before you divide by the root of d_model. The formula "
    "adds eps to the mean of the squares.")
right.mistake("subtracts_the_mean",
    {"return (wide": "centred = wide - wide.mean(dim=-1, keepdim=True)\n    return (centred",
     "wide)": "centred)"},
    "You subtract the mean of each row first. That is layer norm without a bias; RMS norm does "
    "not subtract the mean.")
right.mistake("divides_by_the_standard_deviation",
    {"mean_square(wide)": "wide.var(dim=-1, correction=0, keepdim=True)"},
    "You divide by the standard deviation. The exercise asks for the squares of x itself, without "
    "subtracting the mean.")
right.mistake("sum_for_mean", {"mean_square(wide)": "wide.square().sum(dim=-1, keepdim=True)"},
    "You divide by the root of the *sum* of the squares, so every row has length 1. What does the "
    "M in RMS stand for?")
right.mistake("forgets_the_root", {".sqrt()": ""},
    "You divide by the mean of the squares. The root is missing.")
right.mistake("mean_magnitude",
    {"(mean_square(wide) + eps).sqrt()": "(wide.abs().mean(dim=-1, keepdim=True) + eps)"},
    "You divide by the mean of the magnitudes. Square first, then take the mean, then the root.")
right.mistake("returns_float32", {"to(x.dtype)": "float()"},
    "You compute in float32, which is a good idea for half precision, but you have to return the "
    "caller's dtype.")
right.mistake("squares_in_half_precision",
    {"wide = in_float32(x)\n    return (wide": "return x",
     "wide)": "x)",
     "weight).to(x.dtype)": "weight"},
    "In float16 the square of 300 is infinite, so such a row becomes 0. In which dtype can you "
    "compute the squares?")
right.mistake("divides_by_one_less",
    {"mean_square(wide)": "wide.square().sum(dim=-1, keepdim=True) / (x.size(-1) - 1)"},
    "Your mean divides by d_model - 1. How many squares are added up?")
right.mistake("over_the_first_axis", {"wide)": "wide, 0)"},
    "Your mean runs along axis 0, whatever the shape is. The features of a token are on the last "
    "axis: -1.")
right.mistake("over_the_positions", {"wide)": "wide, max(-2, -x.dim()))"},
    "Your mean runs over the positions, so tokens see each other. Each token is normalised by "
    "itself. Along which axis?")
right.mistake("over_positions_and_features", {"wide)": "wide, (-2, -1) if x.dim() > 1 else -1)"},
    "Your mean runs over positions and features, so tokens see each other. How many roots do 3 "
    "tokens need?")
right.mistake("over_everything", {"mean_square(wide)": "wide.square().mean()"},
    "Your mean runs over the whole tensor. Each row has its own, and `keepdim=True` keeps it next "
    "to its row.")
right.mistake("over_axis_1",
    {"return": "return by_weight",
     "wide)": "wide, min(1, x.dim() - 1))",
     "* weight).to(x": ", weight, x"},
    "Your mean runs along axis 1. In a matrix that axis holds the features, but in a batch it "
    "holds the positions. Count from the end: the features are on axis -1.")
right.mistake("over_axis_1_always",
    {"return": "return by_weight", "wide)": "wide, 1)", "* weight).to(x": ", weight, x"},
    "Your mean runs along axis 1. A single row has no such axis, and in a batch it holds the "
    "positions. Count from the end: the features are on axis -1.")
right.mistake("over_all_axes_but_the_first",
    {"return": "return by_weight",
     "wide)": "wide, tuple(range(1, x.dim())) or (0,))",
     "* weight).to(x": ", weight, x"},
    "Your mean runs over all axes but the first. This is right for a matrix, but in a batch the "
    "tokens of a sequence see each other. How many roots do 3 tokens need?")
right.mistake("one_more_than_the_weight", {"* weight": "* (1 + weight)"},
    "You multiply by 1 + weight. Some models store the weight minus 1, but here the weight is the "
    "factor itself.")
right.mistake("weight_before_normalising",
    {"in_float32(x)": "in_float32(x) * weight", " * weight": ""},
    "You multiply by the weight before taking the squares, which partly cancels it. The weight "
    "comes after the division.")
right.mistake("forgets_the_weight", {" * weight": ""},
    "The weight is missing: one factor for each feature.")
right.mistake("cuts_the_root_off", {"wide)": "wide.detach())"},
    "The result is right, but the root is cut off from x. It depends on x, so the gradient has to "
    "pass through it.")
right.mistake("forgets_keepdim", {"mean_square(wide)": "wide.square().mean(dim=-1)"},
    "Without `keepdim` the last axis is gone. Shapes are aligned from the right, so the roots do "
    "not line up with their own rows, or do not fit.")
right.mistake("changes_x",
    {"wide = in_float32(x)\n"
     "    return (wide / (mean_square(wide) + eps).sqrt() * weight).to(x.dtype)":
        "x /= (mean_square(in_float32(x)) + eps).sqrt()\n    return x * weight"},
    "You change the caller's x. What does `/=` do to a tensor?")
