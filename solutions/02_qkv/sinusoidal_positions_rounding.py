"""Known mistakes of `sinusoidal_positions` in rounding, and what all its mistakes share."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .sinusoidal_positions import exercise


def angles_of(positions: Int[Tensor, " length"], d_model: int) -> Float[Tensor, "length d_model"]:
    """Those of the formula, in float64: two neighbouring columns share one."""
    j = torch.arange(d_model, device=positions.device)
    return positions[:, None] / 10000 ** ((j - j % 2).double() / d_model)


def in_turns(angles: Float[Tensor, "length d_model"]) -> Float[Tensor, "length d_model"]:
    """Sine, cosine, sine and so on."""
    even = torch.arange(angles.size(1), device=angles.device) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos())


@exercise.misconception(
    "Near positions are right, far ones are not: your angles are float32, which keeps 7 digits, "
    "and whole turns use them up. Which dtype keeps more, for the frequencies too?"
)
def has_float32_angles(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    angles = positions[:, None] / 10000 ** ((j - j % 2) / d_model)
    return in_turns(angles)


@exercise.misconception(
    "Near positions are right, far ones are not. An exponential of a float32 logarithm is wrong in "
    "its 7th digit, and a far position multiplies that error. Which dtype keeps more digits?"
)
def has_float32_exponentials(positions, d_model):
    i = torch.arange(0, d_model, 2, device=positions.device)
    angles = positions[:, None] * torch.exp(i * (-math.log(10000.0) / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model]


@exercise.misconception(
    "The numbers are right, but the table is float64. Round it as the docstring says."
)
def returns_float64(positions, d_model):
    angles = angles_of(positions, d_model)
    return in_turns(angles)


@exercise.misconception(
    "Near positions are right, far ones are not: your angles are rounded to float32 before the "
    "sine, and whole turns use up its 7 digits. What does the docstring say is rounded, and when?"
)
def rounds_the_angles(positions, d_model):
    return in_turns(angles_of(positions, d_model).float())


@exercise.misconception(
    "Near positions are right, far ones are not: your frequencies are float32. A division of whole "
    "numbers makes float32, and a float64 that comes later gives no digit back."
)
def has_float32_frequencies(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    return in_turns(positions.double()[:, None] * 10000 ** (-(j - j % 2) / d_model)).float()


@exercise.misconception(
    "Near positions are right, far ones are not: your powers of 10000 are float32. A division of "
    "whole numbers makes float32, and a float64 that comes later gives no digit back."
)
def has_float32_powers(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    return in_turns(positions.double()[:, None] / 10000 ** ((j - j % 2) / d_model)).float()


@exercise.misconception(
    "Near positions are right, far ones are not: your logarithm of 10000 is float32, and a far "
    "position multiplies its error. `math.log` has all digits of float64."
)
def has_a_float32_logarithm(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    logarithm = torch.tensor(10000.0, device=positions.device).log()
    rates = torch.exp(-logarithm * (j - j % 2).double() / d_model)
    return in_turns(positions.double()[:, None] * rates).float()


@exercise.misconception(
    "Near positions are right, far ones are not: your exponentials are float32, and a float64 "
    "that comes later gives no digit back. In which dtype are their exponents?"
)
def widens_float32_exponentials(positions, d_model):
    i = torch.arange(0, d_model, 2, device=positions.device)
    angles = positions.double()[:, None] * torch.exp(i * (-math.log(10000.0) / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model].float()


@exercise.misconception(
    "Near positions are right, far ones are not: 1 over a power of 10000 is float32 in yours, and "
    "so are the angles. Which dtype keeps more digits, for the frequencies too?"
)
def has_float32_inverses(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    return in_turns(positions[:, None] * (1.0 / 10000 ** ((j - j % 2) / d_model)))


@exercise.misconception(
    "Near positions are right, far ones are not: 1 over a power of 10000 is float32 in yours, and "
    "a float64 that comes later gives no digit back."
)
def widens_float32_inverses(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    rates = 1.0 / 10000 ** ((j - j % 2) / d_model)
    return in_turns(positions.double()[:, None] * rates).float()


@exercise.misconception(
    "Near positions are right, far ones are not: your frequencies are rounded to float32, and a far"
    " position multiplies that error. What is rounded at the end?"
)
def rounds_the_frequencies(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    rates = 10000 ** (-(j - j % 2).double() / d_model)
    return in_turns(positions.double()[:, None] * rates.float()).float()
