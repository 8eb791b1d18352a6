"""Known mistakes of `rms_norm` with eps, and what all its mistakes are made of."""

import torch

from .rms_norm import exercise


def in_float32(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def mean_square(x, dims=-1):
    return x.square().mean(dim=dims, keepdim=True)


def by_weight(normalised, weight, dtype):
    return (normalised * weight).to(dtype)


@exercise.misconception(
    "You add eps to the root. In the formula it stands inside, beside the mean of the squares."
)
def eps_outside_the_root(x, weight, eps):
    wide = in_float32(x)
    root = mean_square(wide).clamp(min=1e-30).sqrt()
    return (wide / (root + eps) * weight).to(x.dtype)


@exercise.misconception(
    "You add eps to the root of the mean of the squares. Inside the root, where it stands in the "
    "formula, it also keeps the gradient finite where a row is zero."
)
def eps_beside_the_root(x, weight, eps):
    wide = in_float32(x)
    return (wide / (mean_square(wide).sqrt() + eps) * weight).to(x.dtype)


@exercise.misconception("You leave eps out. What becomes of a row of zeros, and of small rows?")
def forgets_eps(x, weight, eps):
    wide = in_float32(x)
    return (wide / mean_square(wide).sqrt() * weight).to(x.dtype)


@exercise.misconception("You use an eps of your own. The caller's comes as the last argument.")
def eps_of_its_own(x, weight, eps):
    wide = in_float32(x)
    return (wide / (mean_square(wide) + 1e-6).sqrt() * weight).to(x.dtype)


@exercise.misconception(
    "You leave eps out, and hold the mean square above a number of your own. The formula adds eps "
    "to every mean square: what becomes of small rows?"
)
def holds_the_square_above_its_own_eps(x, weight, eps):
    wide = in_float32(x)
    return (wide / mean_square(wide).clamp(min=1e-12).sqrt() * weight).to(x.dtype)


@exercise.misconception(
    "The mean of the squares is raised to eps where it is smaller. The formula adds eps to every "
    "one."
)
def eps_as_the_least_square(x, weight, eps):
    wide = in_float32(x)
    return (wide / mean_square(wide).clamp(min=eps).sqrt() * weight).to(x.dtype)


@exercise.misconception(
    "You use an eps of your own, about 1e-5. The caller's comes as the last argument."
)
def a_larger_eps_of_its_own(x, weight, eps):
    wide = in_float32(x)
    return by_weight(wide / (mean_square(wide) + 1e-5).sqrt(), weight, x.dtype)


@exercise.misconception(
    "A row of zeros comes out right, though its gradient is NaN, and no other row gets eps. The "
    "formula adds it to every mean square."
)
def mends_zero_rows_without_eps(x, weight, eps):
    wide = in_float32(x)
    return by_weight((wide / mean_square(wide).sqrt()).nan_to_num(), weight, x.dtype)


@exercise.misconception(
    "A row of zeros comes out right, but for the gradients of x and weight, which are NaN, and no "
    "other row gets eps. The formula adds it to every mean square."
)
def mends_zero_rows_behind_the_weight(x, weight, eps):
    wide = in_float32(x)
    weighted = wide / mean_square(wide).sqrt() * weight
    return weighted.nan_to_num().to(x.dtype)


@exercise.misconception(
    "Only rows of zeros get eps. The formula adds it to every mean square: what becomes of small "
    "rows?"
)
def eps_for_zero_rows_only(x, weight, eps):
    wide, square = in_float32(x), mean_square(in_float32(x))
    return by_weight(wide / square.masked_fill(square == 0, eps).sqrt(), weight, x.dtype)


@exercise.misconception(
    "The root is raised to eps where it is smaller. The formula adds eps to every mean square, "
    "inside the root."
)
def eps_as_the_least_root(x, weight, eps):
    wide = in_float32(x)
    return by_weight(wide / mean_square(wide).sqrt().clamp(min=eps), weight, x.dtype)


@exercise.misconception(
    "The length of a row is raised to eps where it is smaller, as `F.normalize` does. The formula "
    "adds eps to every mean square."
)
def eps_as_the_least_length(x, weight, eps):
    length = in_float32(x).norm(dim=-1, keepdim=True).clamp(min=eps)
    return by_weight(in_float32(x) / length * x.size(-1) ** 0.5, weight, x.dtype)


@exercise.misconception(
    "You leave eps out, and hold what you divide by above a number of your own, as `F.normalize` "
    "does with 1e-12. The formula adds eps to every mean square."
)
def holds_the_length_above_its_own_eps(x, weight, eps):
    normalised = torch.nn.functional.normalize(in_float32(x), dim=-1) * x.size(-1) ** 0.5
    return by_weight(normalised, weight, x.dtype)


@exercise.misconception(
    "You add eps to the sum of the squares, so that the mean gets eps / d_model. Take the mean "
    "first, and add eps to it."
)
def eps_beside_the_sum(x, weight, eps):
    wide = in_float32(x)
    root = (mean_square(wide) + eps / x.size(-1)).sqrt()
    return by_weight(wide / root, weight, x.dtype)


@exercise.misconception(
    "You add eps to the length of the row, before you divide by the root of d_model. The formula "
    "adds eps to the mean of the squares."
)
def eps_beside_the_length(x, weight, eps):
    wide = in_float32(x)
    root = (wide.norm(dim=-1, keepdim=True) + eps) / x.size(-1) ** 0.5
    return by_weight(wide / root, weight, x.dtype)
