"""Known mistakes of the angles of `rotate`, and what all its mistakes are made of."""

import math

import torch
from jaxtyping import Float, Num
from torch import Tensor

from .rotate import exercise


def phases_of(
    x: Float[Tensor, "... length d_k"], positions: Num[Tensor, "... length"], base: float
) -> Float[Tensor, "... length pairs"]:
    """Those of the formula, in float64."""
    doubled = torch.arange(0, x.size(-1), 2, dtype=torch.float64, device=x.device)
    return positions.unsqueeze(-1) * base ** (-doubled / x.size(-1))


def turned_by(
    x: Float[Tensor, "... length d_k"], angles: Float[Tensor, "... length pairs"]
) -> Float[Tensor, "... length d_k"]:
    """Neighbouring entries turned by these angles."""
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    parts = [even * angles.cos() - odd * angles.sin(), odd * angles.cos() + even * angles.sin()]
    return torch.stack(parts, -1).flatten(-2).to(x.dtype)


@exercise.misconception(
    "You turn the other way round. Put (1, 0) into the formula of the text: where does it go for "
    "a small positive angle?"
)
def turns_the_other_way(x, positions, base):
    return turned_by(x, -phases_of(x, positions, base))


@exercise.misconception(
    "Your exponent is r / d_k for pair r. The formula has 2r there: how far below `base` does the "
    "last pair's divisor stay in yours?"
)
def halves_the_rotary_exponent(x, positions, base):
    pairs = torch.arange(x.size(-1) // 2, dtype=torch.float64, device=x.device)
    return turned_by(x, positions[..., None] * base ** (-pairs / x.size(-1)))


@exercise.misconception(
    "Your exponent is twice that of the formula. If your numbers go 0, 2, 4 and so on, they are 2r "
    "already."
)
def doubles_the_rotary_exponent(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, dtype=torch.float64, device=x.device)
    return turned_by(x, positions[..., None] * base ** (-2 * doubled / x.size(-1)))


@exercise.misconception(
    "Later pairs turn faster in yours, by a power of the base. They should turn more slowly: is "
    "the position multiplied or divided by it?"
)
def multiplies_by_the_base(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, dtype=torch.float64, device=x.device)
    return turned_by(x, positions[..., None] * base ** (doubled / x.size(-1)))


@exercise.misconception(
    "Your last pair has the divisor `base`: the exponents go from 0 to 1. In the formula, what is "
    "2r / d_k for the last pair?"
)
def spreads_the_exponents_to_1(x, positions, base):
    pairs = torch.arange(x.size(-1) // 2, dtype=torch.float64, device=x.device)
    return turned_by(x, positions[..., None] * base ** (-pairs / max(len(pairs) - 1, 1)))


@exercise.misconception("You always take 10000. The base is an argument.")
def fixes_the_base(x, positions, base):
    return turned_by(x, phases_of(x, positions, 10000.0))


@exercise.misconception(
    "Your positions count from 1. They are given, and a vector at position 0 stays as it is."
)
def counts_from_1(x, positions, base):
    return turned_by(x, phases_of(x, positions + 1, base))


@exercise.misconception(
    "Positions that are no whole numbers are cut to whole ones. Where do you convert them?"
)
def cuts_fractions(x, positions, base):
    return turned_by(x, phases_of(x, positions.long(), base))


@exercise.misconception(
    "Near positions are right, far ones are not: your angles or your frequencies are float32, "
    "which keeps 7 digits, and whole turns use them up. Which dtype keeps more?"
)
def has_angles_of_float32(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, device=x.device)
    return turned_by(x, positions[..., None] / base ** (doubled / x.size(-1)))


@exercise.misconception(
    "Near positions are right, far ones are not: positions and divisors are float32, which keeps 7 "
    "digits, and whole turns use them up. Which dtype keeps more?"
)
def divides_positions_of_float32(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, device=x.device)
    return turned_by(x, positions[..., None].float() / base ** (doubled / x.size(-1)))


@exercise.misconception(
    "Near positions are right, far ones are not. `torch.tensor` makes float32 of Python numbers, "
    "and whole numbers divided by float32 are float32, too. Which dtype keeps more digits?"
)
def has_divisors_of_float32(x, positions, base):
    divisors = [base ** (2 * r / x.size(-1)) for r in range(x.size(-1) // 2)]
    return turned_by(x, positions[..., None] / torch.tensor(divisors, device=x.device))


@exercise.misconception(
    "Near positions are right, far ones are not: you multiply by inverse frequencies of float32, "
    "as many libraries do. Their rounding is multiplied, too. Which dtype keeps more digits?"
)
def has_inverse_frequencies_of_float32(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, device=x.device).float()
    inverse = 1.0 / (base ** (doubled / x.size(-1)))
    return turned_by(x, positions[..., None].float() * inverse)


@exercise.misconception(
    "Near positions are right, far ones are not. An exponential of a float32 logarithm is off in "
    "its 7th digit, and a far position makes much of it. In which dtype can it be computed instead?"
)
def has_rotary_exponentials_of_float32(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, device=x.device).float()
    return turned_by(x, positions[..., None] * torch.exp(doubled * (-math.log(base) / x.size(-1))))


@exercise.misconception(
    "Near positions are right, far ones are not. You multiply in float64, but by frequencies of "
    "float32: what was rounded once stays rounded. Where do they come from?"
)
def widens_too_late(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, device=x.device).float()
    inverse = 1.0 / (base ** (doubled / x.size(-1)))
    return turned_by(x, positions[..., None].double() * inverse)


@exercise.misconception(
    "Whole positions are right, far fractions are not: positions are rounded to float32, which "
    "holds every whole number up to 2**24, and no 1000000.2."
)
def rounds_fractions_to_float32(x, positions, base):
    return turned_by(x, phases_of(x, positions.float(), base))


@exercise.misconception(
    "Angles are exact, but cosines and sines are float32, whatever x is. For x of float64 they "
    "lose half of their digits."
)
def has_cosines_of_float32(x, positions, base):
    angles = phases_of(x, positions, base)
    cos, sin = angles.cos().float(), angles.sin().float()
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
    return turned.flatten(-2).to(x.dtype)


@exercise.misconception(
    "Vectors of float64 come back as float64, but with the digits of float32: x goes through "
    "float32. Which dtypes of x need to be widened?"
)
def rounds_x_to_float32(x, positions, base):
    return turned_by(x.float(), phases_of(x, positions, base)).to(x.dtype)


@exercise.misconception(
    "Your angles are exact, and then rounded to the dtype of x before their cosine is taken. Round "
    "the result instead."
)
def rounds_the_angles(x, positions, base):
    return turned_by(x, phases_of(x, positions, base).to(x.dtype))


@exercise.misconception(
    "Your angles have the dtype of x. In half precision there is no 2049, and float32 is too "
    "coarse for far positions. In which dtype does the text want them?"
)
def has_angles_of_the_dtype_of_x(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, device=x.device).to(x.dtype)
    return turned_by(x, positions[..., None].to(x.dtype) / base ** (doubled / x.size(-1)))


@exercise.misconception(
    "Your angles count as degrees: they are multiplied by pi / 180. The formula's are in radians, "
    "which is what `cos` and `sin` take."
)
def counts_in_degrees(x, positions, base):
    return turned_by(x, phases_of(x, positions, base) * math.pi / 180)


@exercise.misconception(
    "Your angles are multiplied by 2 pi, as if the formula counted whole turns. It gives radians."
)
def counts_in_whole_turns(x, positions, base):
    return turned_by(x, phases_of(x, positions, base) * 2 * math.pi)


@exercise.misconception(
    "Each pair turns as the next one should. The first pair has r = 0: what is its divisor?"
)
def begins_with_pair_1(x, positions, base):
    pairs = torch.arange(1, x.size(-1) // 2 + 1, dtype=torch.float64, device=x.device)
    return turned_by(x, positions[..., None] * base ** (-2 * pairs / x.size(-1)))


@exercise.misconception(
    "Only the first half of the pairs turns. Some models leave the others as they are; the text "
    "turns them all."
)
def turns_half_of_the_pairs(x, positions, base):
    angles = phases_of(x, positions, base)
    turned = torch.arange(angles.size(-1), device=x.device) < max(angles.size(-1) // 2, 1)
    return turned_by(x, torch.where(turned, angles, 0.0))


@exercise.misconception(
    "Vectors get the positions in rising order. Take each position where it stands: it belongs to "
    "the vector in the same place."
)
def sorts_the_positions(x, positions, base):
    return turned_by(x, phases_of(x, positions.sort(dim=-1).values, base))
