"""Known mistakes of `quantise`."""

import torch

from .quantise import exercise


@exercise.base
def right(keys, axis):
    wide = keys.double()
    scale = wide.abs().amax(dim=axis, keepdim=True) / 127
    divisor = torch.where(scale == 0, 1.0, scale)
    codes = (wide / divisor).round().to(torch.int32).to(torch.int8)
    return codes, scale.to(keys.dtype)


# fmt: off
right.mistake("one_scale_for_all",
    {"/ 127": "/ 127\n    scale = scale.max().expand_as(scale).clone()"},
    "There is one scale for the whole tensor. Each row along `axis` has its own.")
right.mistake("shares_along_the_others",
    {"dim=axis": "dim=[d for d in range(keys.dim()) if d != axis % keys.dim()]"},
    "You share a scale along the other axes and give each entry of `axis` its own. Numbers that "
    "differ in `axis` only share one.")
right.mistake("always_the_last_axis", {"dim=axis": "dim=-1"},
    "The last axis is always taken. Which one does `axis` name?")
right.mistake("always_the_first_axis", {"dim=axis": "dim=0"},
    "The first axis is always taken. Which one does `axis` name?")
right.mistake("always_the_last_but_one", {"dim=axis": "dim=-2"},
    "The last but one axis is always taken. Which one does `axis` name?")
right.mistake("drops_the_axis", {"scale.to(keys.dtype)": "scale.to(keys.dtype).squeeze(axis)"},
    "The scales have lost an axis. Keep it, with the length 1, so that codes times scales fit.")
right.mistake("cuts_off", {".round().to(torch.int32)": ""},
    "The codes are cut off, not rounded: a conversion to whole numbers drops what is after the "
    "point.")
right.mistake("rounds_down", {".round().to(torch.int32)": ".floor()"},
    "The codes are rounded down. The nearest whole number may lie above.")
right.mistake("divides_by_128", {"/ 127": "/ 128"},
    "The largest number becomes 128 steps, which int8 does not have: it turns negative.")
right.mistake("divides_by_128_and_cuts",
    {"/ 127": "/ 128", ".to(torch.int32)": ".clamp(-128, 127)"},
    "The largest number is made 128 steps, more than int8 has above 0. It should be 127 steps.")
right.mistake("takes_the_largest_with_its_sign",
    {"wide.abs()": "wide", ".to(torch.int32)": ".clamp(-127, 127)"},
    "The largest number is found with its sign. A row of negative numbers shows it: how far is its "
    "farthest from 0?")
right.mistake("takes_it_with_its_sign_and_wraps", {"wide.abs()": "wide"},
    "The largest number is found with its sign, and others are farther from 0: their codes do not "
    "fit into a byte and come out as anything.")
right.mistake("takes_the_size_of_the_largest",
    {"wide.abs().amax(dim=axis, keepdim=True)": "wide.amax(dim=axis, keepdim=True).abs()"},
    "The largest number is found first, and its size is taken then. A negative number may be "
    "farther from 0.")
right.mistake("from_smallest_to_largest",
    {"scale = wide.abs().amax(dim=axis, keepdim=True) / 127":
        "low, high = wide.amin(axis, keepdim=True), wide.amax(axis, keepdim=True)\n"
        "    scale = (high - low) / 255",
     "(wide / divisor).round().to(torch.int32)": "(((wide - low) / divisor).round() - 128)"},
    "The steps go from the smallest number to the largest, so 0 is no longer code 0. Asked for are "
    "steps that are symmetric about 0.")
right.mistake("takes_the_range",
    {"wide.abs().amax(dim=axis, keepdim=True) / 127":
        "(wide.amax(axis, keepdim=True) - wide.amin(axis, keepdim=True)) / 255",
     ".to(torch.int32)": ".clamp(-127, 127)"},
    "The scale comes from the distance between the smallest and the largest number. It is the one "
    "farthest from 0 that counts.")
right.mistake("returns_the_inverse",
    {"return codes, scale.to(keys.dtype)":
        "scale = scale.to(keys.dtype)\n    return codes, 1 / torch.where(scale == 0, 1.0, scale)"},
    "What you return is steps for each unit. The scale is asked for the other way round: units for "
    "each step, so that codes times scales are the keys.")
right.mistake("divides_by_zero",
    {"return codes, scale.to(keys.dtype)":
        "scale = scale.to(keys.dtype)\n"
        "    return torch.where(scale == 0, -128, codes).to(torch.int8), scale"},
    "A row of zeros is divided by its scale, which is 0.")
right.mistake("leaves_codes_as_floats", {"return codes": "return codes.float()"},
    "The codes are right, but as floats they take as much room as before. Which dtype takes one "
    "byte?")
right.mistake("leaves_scales_in_float32",
    {"scale.to(keys.dtype)": "scale.to(torch.promote_types(keys.dtype, torch.float32))"},
    "Right in float32. The scales of keys in half precision are asked for in the dtype of "
    "the keys.")
right.mistake("takes_the_mean_size", {"amax": "mean", ".to(torch.int32)": ".clamp(-127, 127)"},
    "The scale is the standard deviation or the mean size of a row: numbers beyond it are cut. The "
    "largest of the row decides.")
right.mistake("changes_the_keys",
    {"return codes, scale.to(keys.dtype)":
        "scale = scale.to(keys.dtype)\n"
        "    keys.div_(torch.where(scale == 0, 1.0, scale))\n"
        "    return codes, scale"},
    "You change the caller's tensor. Divide into a new one.")
right.mistake("changes_what_is_double_already",
    {"(wide / divisor).round().to(torch.int32)": "wide.div_(divisor).round()"},
    "Keys that are float64 are changed: for them `double()` is no copy, and you write into what it "
    "returns. Divide into a new tensor.")
right.mistake("divides_by_a_rounded_scale", {"wide.abs()": "keys.abs()"},
    "The scale of keys in half precision is rounded before it divides. A small one has few digits, "
    "and codes come out too large or too small. Compute in float32 or float64 and convert at the "
    "end.")
right.mistake("keeps_the_scale_from_zero", {"/ 127": "/ 127\n    scale = scale.clamp(min=1e-6)"},
    "The scale is kept from getting small. Where all entries are 0 it is 0, and small keys have a "
    "small one.")
right.mistake("adds_to_the_divisor", {"torch.where(scale == 0, 1.0, scale)": "scale + 1e-8"},
    "Something is added to the scale before it divides, and beside a small scale that is not "
    "little. Only a scale of 0 needs another number.")
right.mistake("gives_zeros_the_scale_1", {"scale.to(keys.dtype)": "divisor.to(keys.dtype)"},
    "Where all entries are 0 the scale that you return is 1. It may be 1 to divide by; returned is "
    "the largest absolute value divided by 127.")
right.mistake("counts_axes_from_the_end", {"dim=axis": "dim=-abs(axis)"},
    "An axis that is counted from the start is taken for another. `axis` 1 is the second one, -1 "
    "the last.")
