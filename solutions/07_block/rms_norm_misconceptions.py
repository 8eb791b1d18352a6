"""Known mistakes of `rms_norm`."""

from .rms_norm import exercise
from .rms_norm_eps import by_weight, in_float32, mean_square


@exercise.misconception(
    "You take away the mean of each row first. That is layer norm without a bias; RMS norm leaves "
    "the mean where it is."
)
def subtracts_the_mean(x, weight, eps):
    wide = in_float32(x)
    centred = wide - wide.mean(dim=-1, keepdim=True)
    return (centred / (mean_square(centred) + eps).sqrt() * weight).to(x.dtype)


@exercise.misconception(
    "You divide by the standard deviation. Squares of x itself are asked for, without the mean "
    "taken away."
)
def divides_by_the_standard_deviation(x, weight, eps):
    wide = in_float32(x)
    variance = wide.var(dim=-1, correction=0, keepdim=True)
    return (wide / (variance + eps).sqrt() * weight).to(x.dtype)


@exercise.misconception(
    "You divide by the root of the *sum* of the squares, so that rows have the size 1. What does "
    "the M in RMS stand for?"
)
def sum_for_mean(x, weight, eps):
    wide = in_float32(x)
    total = wide.square().sum(dim=-1, keepdim=True)
    return (wide / (total + eps).sqrt() * weight).to(x.dtype)


@exercise.misconception("You divide by the mean of the squares. Its root is missing.")
def forgets_the_root(x, weight, eps):
    wide = in_float32(x)
    return (wide / (mean_square(wide) + eps) * weight).to(x.dtype)


@exercise.misconception(
    "You divide by the mean of the magnitudes. Square first, then take the mean, then the root."
)
def mean_magnitude(x, weight, eps):
    wide = in_float32(x)
    return (wide / (wide.abs().mean(dim=-1, keepdim=True) + eps) * weight).to(x.dtype)


@exercise.misconception(
    "You compute in float32, which is wise for half precision: return the caller's dtype."
)
def returns_float32(x, weight, eps):
    wide = in_float32(x)
    return (wide / (mean_square(wide) + eps).sqrt() * weight).float()


@exercise.misconception(
    "In float16 the square of 300 is infinite: such a row becomes 0. In which dtype can the "
    "squares be computed?"
)
def squares_in_half_precision(x, weight, eps):
    return x / (mean_square(x) + eps).sqrt() * weight


@exercise.misconception(
    "Your mean divides by d_model - 1. There are d_model squares: how many are added up?"
)
def divides_by_one_less(x, weight, eps):
    wide = in_float32(x)
    mean = wide.square().sum(dim=-1, keepdim=True) / (x.size(-1) - 1)
    return (wide / (mean + eps).sqrt() * weight).to(x.dtype)


@exercise.misconception(
    "Your mean runs along axis 0, whatever the shape is. The features of a token lie along the "
    "last axis: -1."
)
def over_the_first_axis(x, weight, eps):
    wide = in_float32(x)
    return (wide / (mean_square(wide, 0) + eps).sqrt() * weight).to(x.dtype)


@exercise.misconception(
    "Your mean runs over the positions, so that tokens see each other. Each token is normalised by "
    "itself: along which axis?"
)
def over_the_positions(x, weight, eps):
    wide = in_float32(x)
    root = (mean_square(wide, max(-2, -x.dim())) + eps).sqrt()
    return (wide / root * weight).to(x.dtype)


@exercise.misconception(
    "Your mean runs over positions and features, so that tokens see each other. How many roots do "
    "3 tokens need?"
)
def over_positions_and_features(x, weight, eps):
    wide = in_float32(x)
    root = (mean_square(wide, (-2, -1) if x.dim() > 1 else -1) + eps).sqrt()
    return (wide / root * weight).to(x.dtype)


@exercise.misconception(
    "Your mean runs over the whole tensor. Each row has its own; `keepdim=True` keeps it beside "
    "its row."
)
def over_everything(x, weight, eps):
    wide = in_float32(x)
    return (wide / (wide.square().mean() + eps).sqrt() * weight).to(x.dtype)


@exercise.misconception(
    "Your mean runs along axis 1: in a matrix those are the features, in a batch the positions. "
    "Count from the end: the features lie along axis -1."
)
def over_axis_1(x, weight, eps):
    wide = in_float32(x)
    root = (mean_square(wide, min(1, x.dim() - 1)) + eps).sqrt()
    return by_weight(wide / root, weight, x.dtype)


@exercise.misconception(
    "Your mean runs along axis 1. A single row has no such axis, and in a batch it holds the "
    "positions. Count from the end: the features lie along axis -1."
)
def over_axis_1_always(x, weight, eps):
    wide = in_float32(x)
    return by_weight(wide / (mean_square(wide, 1) + eps).sqrt(), weight, x.dtype)


@exercise.misconception(
    "Your mean runs over all axes but the first: right for a matrix, but the tokens of a sequence "
    "see each other. How many roots do 3 tokens need?"
)
def over_all_axes_but_the_first(x, weight, eps):
    wide = in_float32(x)
    root = (mean_square(wide, tuple(range(1, x.dim())) or (0,)) + eps).sqrt()
    return by_weight(wide / root, weight, x.dtype)


@exercise.misconception(
    "You multiply by 1 + weight. Some models store the weight less 1; here it is the factor itself."
)
def one_more_than_the_weight(x, weight, eps):
    wide = in_float32(x)
    return (wide / (mean_square(wide) + eps).sqrt() * (1 + weight)).to(x.dtype)


@exercise.misconception(
    "You multiply by the weight before the squares are taken, which undoes part of it. The weight "
    "comes after the division."
)
def weight_before_normalising(x, weight, eps):
    scaled = in_float32(x) * weight
    return (scaled / (mean_square(scaled) + eps).sqrt()).to(x.dtype)


@exercise.misconception("The weight is missing: one factor for each feature.")
def forgets_the_weight(x, weight, eps):
    wide = in_float32(x)
    return (wide / (mean_square(wide) + eps).sqrt()).to(x.dtype)


@exercise.misconception(
    "The result is right, but the root is cut off from x: it depends on x, and the gradient has to "
    "know."
)
def cuts_the_root_off(x, weight, eps):
    wide = in_float32(x)
    root = (mean_square(wide.detach()) + eps).sqrt()
    return (wide / root * weight).to(x.dtype)


@exercise.misconception(
    "Without `keepdim` the last axis is gone, and shapes line up from the right: the roots do not "
    "stand beside their own rows, or do not fit."
)
def forgets_keepdim(x, weight, eps):
    wide = in_float32(x)
    return (wide / (wide.square().mean(dim=-1) + eps).sqrt() * weight).to(x.dtype)


@exercise.misconception("You change the caller's x. What does `/=` do to a tensor?")
def changes_x(x, weight, eps):
    x /= (mean_square(in_float32(x)) + eps).sqrt()
    return x * weight
