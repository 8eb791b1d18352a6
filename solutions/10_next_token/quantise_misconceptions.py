"""Known mistakes of `quantise`."""

import torch

from .quantise import exercise


def codes_of(keys, scale):
    """Rounded; a scale of 0 gives the code 0."""
    return (keys.float() / torch.where(scale == 0, 1.0, scale)).round().to(torch.int8)


def scale_of(keys, axis):
    return (keys.float().abs().amax(dim=axis, keepdim=True) / 127).to(keys.dtype)


@exercise.misconception(
    "There is one scale for the whole tensor. Each row along `axis` has its own."
)
def one_scale_for_all(keys, axis):
    scale = (keys.abs().max() / 127).expand_as(scale_of(keys, axis)).clone()
    return codes_of(keys, scale), scale


@exercise.misconception(
    "You share a scale along the other axes and give each entry of `axis` its own. Numbers that "
    "differ in `axis` only share one."
)
def shares_along_the_others(keys, axis):
    others = [d for d in range(keys.dim()) if d != axis % keys.dim()]
    scale = keys.abs().amax(dim=others, keepdim=True) / 127 if others else keys.abs() / 127
    return codes_of(keys, scale), scale


@exercise.misconception("The last axis is always taken. Which one does `axis` name?")
def always_the_last_axis(keys, axis):
    scale = scale_of(keys, -1)
    return codes_of(keys, scale), scale


@exercise.misconception(
    "The scales have lost an axis. Keep it, with the length 1, so that codes times scales fit."
)
def drops_the_axis(keys, axis):
    scale = scale_of(keys, axis)
    return codes_of(keys, scale), scale.squeeze(axis)


@exercise.misconception(
    "The codes are cut off, not rounded: a conversion to whole numbers drops what is after the "
    "point."
)
def cuts_off(keys, axis):
    scale = scale_of(keys, axis)
    return (keys.float() / torch.where(scale == 0, 1.0, scale)).to(torch.int8), scale


@exercise.misconception(
    "The largest number becomes 128 steps, which int8 does not have: it turns negative."
)
def divides_by_128(keys, axis):
    scale = keys.abs().amax(dim=axis, keepdim=True) / 128
    codes = (keys.float() / torch.where(scale == 0, 1.0, scale)).round()
    return codes.to(torch.int16).to(torch.int8), scale


@exercise.misconception(
    "The largest number is found with its sign. A row of negative numbers shows it: how far is "
    "its farthest from 0?"
)
def takes_the_largest_with_its_sign(keys, axis):
    scale = keys.amax(dim=axis, keepdim=True) / 127
    codes = (keys.float() / torch.where(scale == 0, 1.0, scale)).round().clamp(-127, 127)
    return codes.to(torch.int8), scale


@exercise.misconception(
    "The steps go from the smallest number to the largest, so 0 is no longer code 0. Asked for "
    "are steps that are symmetric about 0."
)
def from_smallest_to_largest(keys, axis):
    wide = keys
    low, high = wide.amin(axis, keepdim=True), wide.amax(axis, keepdim=True)
    scale = (high - low) / 255
    codes = ((wide - low) / torch.where(scale == 0, 1.0, scale)).round() - 128
    return codes.to(torch.int8), scale


@exercise.misconception(
    "What you return is steps for each unit. The scale is asked for the other way round: units "
    "for each step, so that codes times scales are the keys."
)
def returns_the_inverse(keys, axis):
    scale = scale_of(keys, axis)
    return codes_of(keys, scale), 1 / torch.where(scale == 0, 1.0, scale)


@exercise.misconception("A row of zeros is divided by its scale, which is 0.")
def divides_by_zero(keys, axis):
    scale = scale_of(keys, axis)
    codes = (keys.float() / scale).round().nan_to_num(nan=-128.0)
    return codes.to(torch.int8), scale


@exercise.misconception(
    "The codes are right, but as floats they take as much room as before. Which dtype takes one "
    "byte?"
)
def leaves_codes_as_floats(keys, axis):
    scale = scale_of(keys, axis)
    return codes_of(keys, scale).float(), scale


@exercise.misconception(
    "Right in float32. The scales of keys in half precision are asked for in the dtype of the keys."
)
def leaves_scales_in_float32(keys, axis):
    scale = scale_of(keys, axis)
    return codes_of(keys, scale), scale.float()


@exercise.misconception(
    "The scale is the standard deviation or the mean size of a row: numbers beyond it are cut. The "
    "largest of the row decides."
)
def takes_the_mean_size(keys, axis):
    scale = keys.abs().mean(dim=axis, keepdim=True) / 127
    codes = (keys.float() / torch.where(scale == 0, 1.0, scale)).round().clamp(-127, 127)
    return codes.to(torch.int8), scale


@exercise.misconception("You change the caller's tensor. Divide into a new one.")
def changes_the_keys(keys, axis):
    scale = scale_of(keys, axis)
    keys.div_(torch.where(scale == 0, 1.0, scale))
    return keys.round().to(torch.int8), scale


@exercise.misconception(
    "Keys in half precision are divided in half precision, where a small scale has few digits: "
    "codes come out too large or too small. Divide in float32 or float64."
)
def divides_in_half_precision(keys, axis):
    scale = keys.abs().amax(dim=axis, keepdim=True) / 127
    codes = (keys / scale.masked_fill(scale == 0, 1.0)).round()
    return codes.to(torch.int8), scale


@exercise.misconception(
    "The scale is kept from getting small. Where all entries are 0 it is 0, and small keys have a "
    "small one."
)
def keeps_the_scale_from_zero(keys, axis):
    scale = (keys.double().abs().amax(dim=axis, keepdim=True) / 127).clamp(min=1e-6)
    return (keys.double() / scale).round().to(torch.int8), scale.to(keys.dtype)


@exercise.misconception(
    "An axis that is counted from the start is taken for another. `axis` 1 is the second one, -1 "
    "the last."
)
def counts_axes_from_the_end(keys, axis):
    scale = scale_of(keys, -abs(axis) if axis else -1)
    return codes_of(keys, scale), scale
