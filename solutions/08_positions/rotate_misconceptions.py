"""Known mistakes of `rotate` with pairs, axes and tensors."""

import math  # noqa: F401

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


def negated(x, place):
    """-1 for the entry of each pair that is in this place, 1 for the other."""
    signs = torch.ones(2, dtype=x.dtype, device=x.device)
    signs[place] = -1
    return signs.repeat(x.size(-1) // 2)


@exercise.base
def right(x, positions, base):
    return turned_by(x, phases_of(x, positions, base))


@exercise.base
def by_exponents(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, dtype=torch.float64, device=x.device)
    return turned_by(x, positions[..., None] * base ** (-doubled / x.size(-1)))


@exercise.base
def pair_by_pair(x, positions, base):
    angles = phases_of(x, positions, base)
    even, odd = x[..., 0::2], x[..., 1::2]
    parts = [even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()]
    return torch.stack(parts, dim=-1).flatten(-2).to(x.dtype)


# fmt: off
right.mistake("turns_the_other_way", {"phases_of": "-phases_of"},
    "You turn the other way. Put (1, 0) into the formula of the text. Which way does it turn for "
    "a small positive angle?")
by_exponents.mistake("halves_the_rotary_exponent", {"0, x.size(-1), 2": "x.size(-1) // 2"},
    "Your exponent is r / d_k for pair r, but the formula has 2r there. How far below `base` does "
    "the divisor of the last pair stay in your code?")
by_exponents.mistake("doubles_the_rotary_exponent", {"-doubled": "-2 * doubled"},
    "Your exponent is twice that of the formula. If your numbers go 0, 2, 4 and so on, they are 2r "
    "already.")
by_exponents.mistake("multiplies_by_the_base", {"-doubled": "doubled"},
    "In your code later pairs turn faster, by a power of the base. They should turn more slowly. "
    "Is the position multiplied or divided by that power?")
by_exponents.mistake("spreads_the_exponents_to_1",
    {"0, x.size(-1), 2": "x.size(-1) // 2", "/ x.size(-1)": "/ max(len(doubled) - 1, 1)"},
    "Your last pair has the divisor `base`: the exponents go from 0 to 1. In the formula, what is "
    "2r / d_k for the last pair?")
right.mistake("fixes_the_base", {"base))": "10000.0))"},
    "You always use 10000. The base is an argument.")
right.mistake("counts_from_1", {"positions, base))": "positions + 1, base))"},
    "You count positions from 1. They are given, and a vector at position 0 stays as it is.")
right.mistake("cuts_fractions", {"positions, base))": "positions.long(), base))"},
    "You truncate positions that are not whole numbers. Where do you convert them?")
by_exponents.mistake("has_angles_of_float32",
    {"2, dtype=torch.float64,": "2,", "* base": "/ base", "-doubled": "doubled"},
    "Near positions are right, but far ones are not: your angles or frequencies are float32, "
    "which keeps 7 digits, and whole turns use them up. Which dtype keeps more digits?")
by_exponents.mistake("divides_positions_of_float32",
    {"2, dtype=torch.float64,": "2,", "* base": ".float() / base", "-doubled": "doubled"},
    "Near positions are right, but far ones are not: positions and divisors are float32, which "
    "keeps 7 digits, and whole turns use them up. Which dtype keeps more digits?")
right.mistake("has_divisors_of_float32",
    {"phases_of(x, positions, base)":
        "positions[..., None] / torch.tensor([base ** (2 * r / x.size(-1)) for r in "
        "range(x.size(-1) // 2)], device=x.device)"},
    "Near positions are right, but far ones are not. `torch.tensor` turns Python numbers into "
    "float32, and integers divided by float32 are float32, too. Which dtype keeps more digits?")
right.mistake("has_inverse_frequencies_of_float32",
    {"phases_of(x, positions, base)":
        "positions[..., None].float() * (1.0 / base ** (torch.arange(0, x.size(-1), 2, "
        "device=x.device).float() / x.size(-1)))"},
    "Near positions are right, but far ones are not: you multiply by inverse frequencies in "
    "float32, as many libraries do, which multiplies their rounding, too. Which dtype keeps more "
    "digits?")
right.mistake("has_rotary_exponentials_of_float32",
    {"phases_of(x, positions, base)":
        "positions[..., None] * torch.exp(torch.arange(0, x.size(-1), 2, "
        "device=x.device).float() * (-math.log(base) / x.size(-1)))"},
    "Near positions are right, but far ones are not. An exponential of a float32 logarithm is "
    "wrong in its 7th digit, and a far position multiplies that error. In which dtype can you "
    "compute it instead?")
right.mistake("widens_too_late",
    {"phases_of(x, positions, base)":
        "positions[..., None].double() * (1.0 / base ** (torch.arange(0, x.size(-1), 2, "
        "device=x.device).float() / x.size(-1)))"},
    "Near positions are right, but far ones are not. You multiply in float64, but by frequencies "
    "in float32, whose lost digits do not come back. Where do you compute the frequencies?")
right.mistake("rounds_fractions_to_float32", {"positions, base))": "positions.float(), base))"},
    "Whole positions are right, but far fractions are not: positions are rounded to float32, "
    "which holds every whole number up to 2**24, but not 1000000.2.")


@exercise.misconception(
    "The angles are exact, but cosines and sines are float32, whatever x is. For x in float64, "
    "half of their digits are lost."
)
def has_cosines_of_float32(x, positions, base):
    angles = phases_of(x, positions, base)
    cos, sin = angles.cos().float(), angles.sin().float()
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
    return turned.flatten(-2).to(x.dtype)


right.mistake("rounds_x_to_float32",
    {"x, phases_of": "x.float(), phases_of", "base))": "base)).to(x.dtype)"},
    "Vectors of float64 come back as float64, but with the digits of float32, because x is "
    "converted to float32 on the way. Which dtypes of x need to be widened?")
right.mistake("rounds_the_angles", {"base))": "base).to(x.dtype))"},
    "Your angles are exact, but you round them to the dtype of x before taking their cosine. "
    "Round the result instead.")
by_exponents.mistake("has_angles_of_the_dtype_of_x",
    {"dtype=torch.float64, device=x.device": "device=x.device).to(x.dtype",
     "* base ** (-": ".to(x.dtype) / base ** ("},
    "Your angles have the dtype of x. In half precision there is no 2049, and float32 is too "
    "coarse for far positions. Which dtype does the text give for them?")
right.mistake("counts_in_degrees", {"base))": "base) * math.pi / 180)"},
    "You treat the angles as degrees: they are multiplied by pi / 180. Those of the formula are "
    "in radians, which `cos` and `sin` take.")
right.mistake("counts_in_whole_turns", {"base))": "base) * 2 * math.pi)"},
    "You multiply the angles by 2 pi, as if the formula counted whole turns. It gives radians.")
by_exponents.mistake("begins_with_pair_1",
    {"0, x.size(-1), 2": "1, x.size(-1) // 2 + 1", "-doubled": "-2 * doubled"},
    "Each pair turns as the next one should. The first pair has r = 0. What is its divisor?")


@exercise.misconception(
    "Only the first half of the pairs turns. Some models leave the others as they are, but the "
    "text turns all of them."
)
def turns_half_of_the_pairs(x, positions, base):
    angles = phases_of(x, positions, base)
    turned = torch.arange(angles.size(-1), device=x.device) < max(angles.size(-1) // 2, 1)
    return turned_by(x, torch.where(turned, angles, 0.0))


right.mistake("sorts_the_positions", {"positions, base))": "positions.sort(dim=-1).values, base))"},
    "You assign the positions to the vectors in ascending order. Do not sort them: each position "
    "belongs to the vector at the same index.")


@exercise.misconception(
    "You pair entry r with entry r + d_k/2, as some libraries do, whose weights are ordered to "
    "match. Which entry is next to entry 0 here?"
)
def pairs_the_halves(x, positions, base):
    angles = phases_of(x, positions, base)
    first, second = x.chunk(2, dim=-1)
    parts = [first * angles.cos() - second * angles.sin()]
    parts += [second * angles.cos() + first * angles.sin()]
    return torch.cat(parts, dim=-1).to(x.dtype)


@exercise.misconception(
    "Lengths of vectors change. You take an entry's partner from the other half but give it the "
    "angle of its neighbour, or the reverse, which mixes two layouts. Which entries form a pair?"
)
def mixes_two_layouts(x, positions, base):
    angles = phases_of(x, positions, base).repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    turned = x * angles.cos() + torch.cat([-second, first], dim=-1) * angles.sin()
    return turned.to(x.dtype)


@exercise.misconception(
    "Lengths of vectors change. You pair neighbours, but the angles are laid out in two halves, "
    "as with `torch.cat([angles, angles], -1)`. Which columns should share an angle?"
)
def lays_out_the_angles_in_halves(x, positions, base):
    angles = phases_of(x, positions, base).repeat((1,) * positions.dim() + (2,))
    even, odd = x[..., 0::2], x[..., 1::2]
    quarter = torch.stack([-odd, even], dim=-1).flatten(-2)
    return (x * angles.cos() + quarter * angles.sin()).to(x.dtype)


@exercise.misconception(
    "The numbers are there in another order: all first entries of the pairs, then all second "
    "ones. You took every other entry out. How can the two results be interleaved again?"
)
def leaves_the_halves_apart(x, positions, base):
    turned = turned_by(x, phases_of(x, positions, base))
    return torch.cat([turned[..., 0::2], turned[..., 1::2]], dim=-1)


pair_by_pair.mistake("has_the_same_sign_twice",
    {"- odd": "+ odd",
     "even * angles.sin() + odd * angles.cos": "odd * angles.cos() + even * angles.sin"},
    "Both entries of a pair get their second term with the same sign. A rotation keeps the length "
    "of the pair. Does yours?")
pair_by_pair.mistake("exchanges_sine_and_cosine",
    {"cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos":
        "sin() - odd * angles.cos(), even * angles.cos() + odd * angles.sin"},
    "Sine and cosine are exchanged. At position 0 a vector stays as it is. What are the sine and "
    "the cosine of 0?")
pair_by_pair.mistake("reflects", {"+ odd": "- odd"},
    "The second entry of each pair has the wrong sign, so you reflect the pair. At position 0 a "
    "vector stays as it is.")


@exercise.misconception(
    "You compute the second entry of a pair from the new value of the first. Both need the old "
    "values. Which entry do you overwrite before reading it?"
)
def uses_the_new_value(x, positions, base):
    angles = phases_of(x, positions, base)
    turned = x.double().clone()
    even, odd = turned[..., 0::2], turned[..., 1::2]
    turned[..., 0::2] = even * angles.cos() - odd * angles.sin()
    turned[..., 1::2] = odd * angles.cos() + turned[..., 0::2] * angles.sin()
    return turned.to(x.dtype)


right.mistake("numbers_the_vectors_itself",
    {"positions, base))": "torch.arange(x.size(-2), device=x.device), base))"},
    "You number the vectors 0, 1, 2 yourself. Their positions are in `positions`, in any order.")
right.mistake("counts_up_from_the_first_position",
    {"positions, base))": "positions[..., :1] + torch.arange(x.size(-2), device=x.device), base))"},
    "You count up from the first position of each row. Positions come in any order, and one may "
    "occur twice, so use each as it is given.")
right.mistake("gives_all_rows_the_first_ones_positions",
    {"positions, base))": "positions.reshape(-1, positions.size(-1))[0], base))"},
    "All rows get the positions of the first one. Where positions have axes before the length, "
    "each row has its own.")
by_exponents.mistake("expects_one_row_of_positions",
    {"positions[..., None] *": "torch.outer(positions.double(),", "1)))": "1))))"},
    "One row of positions works, but several do not. If you used `torch.outer` or `positions[:, "
    "None]`, where does the new axis belong if there are other axes in front?")
right.mistake("returns_it_in_float64", {"x, phases_of": "x.double(), phases_of"},
    "The numbers are right, but the result is float64, whatever x is. Round it to the dtype of x.")


@exercise.misconception(
    "The result is right, but you wrote it into the caller's x. Write into a new tensor."
)
def turns_the_callers_x(x, positions, base):
    turned = turned_by(x, phases_of(x, positions, base))
    with torch.no_grad():
        x.copy_(turned)
    return turned


by_exponents.mistake("leaves_frequencies_on_the_cpu", {"float64, device=x.device": "float64"},
    "A tensor is created on the CPU, wherever x is. On a GPU the two could not be combined. Which "
    "argument of `torch.arange` prevents this?")
right.mistake("turns_without_gradients", {"x, phases_of": "x.detach(), phases_of"},
    "No gradient reaches x. Which of these do you use: `detach`, `no_grad`, `.data` or "
    "`torch.tensor`?")


@exercise.misconception(
    "You pair entry r with entry r + d_k/2 and turn the other way, too. Which entry is next to "
    "entry 0 here, and which way does (1, 0) turn for a small positive angle?"
)
def turns_the_halves_back(x, positions, base):
    angles = phases_of(x, positions, base)
    first, second = x.chunk(2, dim=-1)
    parts = [first * angles.cos() + second * angles.sin()]
    parts += [second * angles.cos() - first * angles.sin()]
    return torch.cat(parts, dim=-1).to(x.dtype)


right.mistake("negates_the_first_of_a_pair", {"base))": "base)) * negated(x, 0)"},
    "The first entry of each pair has the wrong sign. At position 0 a vector stays as it is.")
right.mistake("reflects_backwards", {"phases_of": "-phases_of", "base))": "base)) * negated(x, 1)"},
    "You turn the other way and then change the sign of the second entry, which is a reflection. "
    "At position 0 a vector stays as it is.")
