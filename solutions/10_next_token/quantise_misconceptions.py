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
    "differ only along `axis` should share one.")
right.mistake("always_the_last_axis", {"dim=axis": "dim=-1"},
    "You always use the last axis. Which one does `axis` name?")
right.mistake("always_the_first_axis", {"dim=axis": "dim=0"},
    "You always use the first axis. Which one does `axis` name?")
right.mistake("always_the_last_but_one", {"dim=axis": "dim=-2"},
    "You always use the second-to-last axis. Which one does `axis` name?")
right.mistake("drops_the_axis", {"scale.to(keys.dtype)": "scale.to(keys.dtype).squeeze(axis)"},
    "The scales have lost an axis. Keep it, with length 1, so that codes times scales fit.")
right.mistake("cuts_off", {".round().to(torch.int32)": ""},
    "The codes are truncated, not rounded: converting to integers drops the digits after the "
    "point.")
right.mistake("rounds_down", {".round().to(torch.int32)": ".floor()"},
    "You round the codes down. The nearest whole number may be above.")
right.mistake("divides_by_128", {"/ 127": "/ 128"},
    "The largest number becomes 128 steps, which int8 cannot hold, so it turns negative.")
right.mistake("divides_by_128_and_cuts",
    {"/ 127": "/ 128", ".to(torch.int32)": ".clamp(-128, 127)"},
    "The largest number becomes 128 steps, which is more than int8 can hold. It should be 127 "
    "steps.")
right.mistake("takes_the_largest_with_its_sign",
    {"wide.abs()": "wide", ".to(torch.int32)": ".clamp(-127, 127)"},
    "You look for the largest number including its sign. In a row of negative numbers, how far is "
    "the farthest from 0?")
right.mistake("takes_it_with_its_sign_and_wraps", {"wide.abs()": "wide"},
    "You look for the largest number including its sign, but others are farther from 0: their "
    "codes do not fit into a byte and come out wrong.")
right.mistake("takes_the_size_of_the_largest",
    {"wide.abs().amax(dim=axis, keepdim=True)": "wide.amax(dim=axis, keepdim=True).abs()"},
    "You find the largest number first and take its absolute value then. A negative number may be "
    "farther from 0.")
right.mistake("from_smallest_to_largest",
    {"scale = wide.abs().amax(dim=axis, keepdim=True) / 127":
        "low, high = wide.amin(axis, keepdim=True), wide.amax(axis, keepdim=True)\n"
        "    scale = (high - low) / 255",
     "(wide / divisor).round().to(torch.int32)": "(((wide - low) / divisor).round() - 128)"},
    "Your steps go from the smallest number to the largest, so 0 no longer has code 0. The "
    "exercise asks for steps that are symmetric about 0.")
right.mistake("takes_the_range",
    {"wide.abs().amax(dim=axis, keepdim=True) / 127":
        "(wide.amax(axis, keepdim=True) - wide.amin(axis, keepdim=True)) / 255",
     ".to(torch.int32)": ".clamp(-127, 127)"},
    "You compute the scale from the distance between the smallest and the largest number. What "
    "counts is the number farthest from 0.")
right.mistake("returns_the_inverse",
    {"return codes, scale.to(keys.dtype)":
        "scale = scale.to(keys.dtype)\n    return codes, 1 / torch.where(scale == 0, 1.0, scale)"},
    "You return steps per unit. The scale is the inverse, units per step, so that codes times "
    "scales give the keys.")
right.mistake("divides_by_zero",
    {"return codes, scale.to(keys.dtype)":
        "scale = scale.to(keys.dtype)\n"
        "    return torch.where(scale == 0, -128, codes).to(torch.int8), scale"},
    "You divide a row of zeros by its scale, which is 0.")
right.mistake("leaves_codes_as_floats", {"return codes": "return codes.float()"},
    "The codes are right, but as floats they take as much space as before. Which dtype takes one "
    "byte?")
right.mistake("leaves_scales_in_float32",
    {"scale.to(keys.dtype)": "scale.to(torch.promote_types(keys.dtype, torch.float32))"},
    "The result is right in float32. For keys in half precision, the scales should have the dtype "
    "of the keys.")
right.mistake("takes_the_mean_size", {"amax": "mean", ".to(torch.int32)": ".clamp(-127, 127)"},
    "Your scale is the standard deviation or the mean absolute value of a row, so larger numbers "
    "are cut. The largest of the row decides.")
right.mistake("changes_the_keys",
    {"return codes, scale.to(keys.dtype)":
        "scale = scale.to(keys.dtype)\n"
        "    keys.div_(torch.where(scale == 0, 1.0, scale))\n"
        "    return codes, scale"},
    "You change the caller's tensor. Write the quotient into a new one.")
right.mistake("changes_what_is_double_already",
    {"(wide / divisor).round().to(torch.int32)": "wide.div_(divisor).round()"},
    "You change keys that are float64: for them `double()` makes no copy, and you write into its "
    "result. Write the quotient into a new tensor.")
right.mistake("divides_by_a_rounded_scale", {"wide.abs()": "keys.abs()"},
    "For keys in half precision you round the scale before you divide by it. A small scale has "
    "few digits, so codes come out too large or too small. Compute in float32 or float64 and "
    "convert at the end.")
right.mistake("keeps_the_scale_from_zero", {"/ 127": "/ 127\n    scale = scale.clamp(min=1e-6)"},
    "You keep the scale above a small number. Where all entries are 0 it should be 0, and small "
    "keys should have a small scale.")
right.mistake("adds_to_the_divisor", {"torch.where(scale == 0, 1.0, scale)": "scale + 1e-8"},
    "You add something to the scale before you divide by it, which matters for a small scale. "
    "Only a scale of 0 needs another number.")
right.mistake("gives_zeros_the_scale_1", {"scale.to(keys.dtype)": "divisor.to(keys.dtype)"},
    "Where all entries are 0 you return the scale 1. You may divide by 1 there, but return the "
    "largest absolute value divided by 127.")
right.mistake("counts_axes_from_the_end", {"dim=axis": "dim=-abs(axis)"},
    "You mistake an axis counted from the start for another one. `axis` 1 is the second one, and "
    "-1 the last.")
