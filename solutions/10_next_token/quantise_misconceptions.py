"""Known mistakes of `quantise`."""

import torch

from .quantise import exercise


def scale_of(keys, axis):
    """In float64, whatever the dtype of the keys is."""
    return keys.double().abs().amax(dim=axis, keepdim=True) / 127


def steps(keys, scale):
    """How many there are in each entry, not rounded; where the scale is 0, the entries are."""
    return keys.double() / torch.where(scale == 0, 1.0, scale)


def stored(keys, scale):
    """Codes, which wrap round where they do not fit, and the scale in the dtype of the keys."""
    return steps(keys, scale).round().to(torch.int32).to(torch.int8), scale.to(keys.dtype)


def clipped(keys, scale):
    return steps(keys, scale).round().clamp(-127, 127).to(torch.int8), scale.to(keys.dtype)


@exercise.misconception(
    "There is one scale for the whole tensor. Each row along `axis` has its own."
)
def one_scale_for_all(keys, axis):
    return stored(keys, scale_of(keys, axis).max().expand_as(scale_of(keys, axis)).clone())


@exercise.misconception(
    "You share a scale along the other axes and give each entry of `axis` its own. Numbers that "
    "differ in `axis` only share one."
)
def shares_along_the_others(keys, axis):
    others = [d for d in range(keys.dim()) if d != axis % keys.dim()]
    return stored(keys, scale_of(keys, others))


@exercise.misconception("The last axis is always taken. Which one does `axis` name?")
def always_the_last_axis(keys, axis):
    return stored(keys, scale_of(keys, -1))


@exercise.misconception("The first axis is always taken. Which one does `axis` name?")
def always_the_first_axis(keys, axis):
    return stored(keys, scale_of(keys, 0))


@exercise.misconception("The last but one axis is always taken. Which one does `axis` name?")
def always_the_last_but_one(keys, axis):
    return stored(keys, scale_of(keys, -2))


@exercise.misconception(
    "The scales have lost an axis. Keep it, with the length 1, so that codes times scales fit."
)
def drops_the_axis(keys, axis):
    codes, scale = stored(keys, scale_of(keys, axis))
    return codes, scale.squeeze(axis)


@exercise.misconception(
    "The codes are cut off, not rounded: a conversion to whole numbers drops what is after the "
    "point."
)
def cuts_off(keys, axis):
    scale = scale_of(keys, axis)
    return steps(keys, scale).to(torch.int8), scale.to(keys.dtype)


@exercise.misconception("The codes are rounded down. The nearest whole number may lie above.")
def rounds_down(keys, axis):
    scale = scale_of(keys, axis)
    return steps(keys, scale).floor().to(torch.int8), scale.to(keys.dtype)


@exercise.misconception(
    "The largest number becomes 128 steps, which int8 does not have: it turns negative."
)
def divides_by_128(keys, axis):
    return stored(keys, keys.double().abs().amax(dim=axis, keepdim=True) / 128)


@exercise.misconception(
    "The largest number is made 128 steps, more than int8 has above 0. It should be 127 steps."
)
def divides_by_128_and_cuts(keys, axis):
    scale = keys.double().abs().amax(dim=axis, keepdim=True) / 128
    return steps(keys, scale).round().clamp(-128, 127).to(torch.int8), scale.to(keys.dtype)


@exercise.misconception(
    "The largest number is found with its sign. A row of negative numbers shows it: how far is "
    "its farthest from 0?"
)
def takes_the_largest_with_its_sign(keys, axis):
    return clipped(keys, keys.double().amax(dim=axis, keepdim=True) / 127)


@exercise.misconception(
    "The largest number is found with its sign, and others are farther from 0: their codes do not "
    "fit into a byte and come out as anything."
)
def takes_it_with_its_sign_and_wraps(keys, axis):
    return stored(keys, keys.double().amax(dim=axis, keepdim=True) / 127)


@exercise.misconception(
    "The largest number is found first, and its size is taken then. A negative number may be "
    "farther from 0."
)
def takes_the_size_of_the_largest(keys, axis):
    return stored(keys, keys.double().amax(dim=axis, keepdim=True).abs() / 127)


@exercise.misconception(
    "The steps go from the smallest number to the largest, so 0 is no longer code 0. Asked for "
    "are steps that are symmetric about 0."
)
def from_smallest_to_largest(keys, axis):
    wide = keys.double()
    low, high = wide.amin(axis, keepdim=True), wide.amax(axis, keepdim=True)
    scale = (high - low) / 255
    return (steps(wide - low, scale).round() - 128).to(torch.int8), scale.to(keys.dtype)


@exercise.misconception(
    "The scale comes from the distance between the smallest and the largest number. It is the "
    "one farthest from 0 that counts."
)
def takes_the_range(keys, axis):
    wide = keys.double()
    return clipped(keys, (wide.amax(axis, keepdim=True) - wide.amin(axis, keepdim=True)) / 255)


@exercise.misconception(
    "What you return is steps for each unit. The scale is asked for the other way round: units "
    "for each step, so that codes times scales are the keys."
)
def returns_the_inverse(keys, axis):
    codes, scale = stored(keys, scale_of(keys, axis))
    return codes, 1 / torch.where(scale == 0, 1.0, scale)


@exercise.misconception("A row of zeros is divided by its scale, which is 0.")
def divides_by_zero(keys, axis):
    codes, scale = stored(keys, scale_of(keys, axis))
    return torch.where(scale == 0, -128, codes).to(torch.int8), scale


@exercise.misconception(
    "The codes are right, but as floats they take as much room as before. Which dtype takes one "
    "byte?"
)
def leaves_codes_as_floats(keys, axis):
    codes, scale = stored(keys, scale_of(keys, axis))
    return codes.float(), scale


@exercise.misconception(
    "Right in float32. The scales of keys in half precision are asked for in the dtype of the keys."
)
def leaves_scales_in_float32(keys, axis):
    scale = scale_of(keys, axis)
    return stored(keys, scale)[0], scale.to(torch.promote_types(keys.dtype, torch.float32))


@exercise.misconception(
    "The scale is the standard deviation or the mean size of a row: numbers beyond it are cut. The "
    "largest of the row decides."
)
def takes_the_mean_size(keys, axis):
    return clipped(keys, keys.double().abs().mean(dim=axis, keepdim=True) / 127)


@exercise.misconception("You change the caller's tensor. Divide into a new one.")
def changes_the_keys(keys, axis):
    codes, scale = stored(keys, scale_of(keys, axis))
    keys.div_(torch.where(scale == 0, 1.0, scale))
    return codes, scale


@exercise.misconception(
    "Keys that are float64 are changed: for them `double()` is no copy, and you write into what it "
    "returns. Divide into a new tensor."
)
def changes_what_is_double_already(keys, axis):
    scale = scale_of(keys, axis)
    codes = keys.double().div_(torch.where(scale == 0, 1.0, scale)).round().to(torch.int8)
    return codes, scale.to(keys.dtype)


@exercise.misconception(
    "The scale of keys in half precision is rounded before it divides. A small one has few digits, "
    "and codes come out too large or too small. Compute in float32 or float64 and convert at the "
    "end."
)
def divides_by_a_rounded_scale(keys, axis):
    scale = keys.abs().amax(dim=axis, keepdim=True) / 127
    return stored(keys, scale)


@exercise.misconception(
    "The scale is kept from getting small. Where all entries are 0 it is 0, and small keys have a "
    "small one."
)
def keeps_the_scale_from_zero(keys, axis):
    return stored(keys, scale_of(keys, axis).clamp(min=1e-6))


@exercise.misconception(
    "Something is added to the scale before it divides, and beside a small scale that is not "
    "little. Only a scale of 0 needs another number."
)
def adds_to_the_divisor(keys, axis):
    scale = scale_of(keys, axis)
    return stored(keys, scale + 1e-8)[0], scale.to(keys.dtype)


@exercise.misconception(
    "Where all entries are 0 the scale that you return is 1. It may be 1 to divide by; returned is "
    "the largest absolute value divided by 127."
)
def gives_zeros_the_scale_1(keys, axis):
    scale = scale_of(keys, axis)
    return stored(keys, torch.where(scale == 0, 1.0, scale))


@exercise.misconception(
    "An axis that is counted from the start is taken for another. `axis` 1 is the second one, -1 "
    "the last."
)
def counts_axes_from_the_end(keys, axis):
    return stored(keys, scale_of(keys, -abs(axis)))
