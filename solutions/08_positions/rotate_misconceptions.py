"""Known mistakes of `rotate`."""

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
    "You pair entry r with entry r + d_k/2, as some libraries do: their weights are ordered "
    "accordingly. Which entry is beside entry 0 here?"
)
def pairs_the_halves(x, positions, base):
    angles = phases_of(x, positions, base)
    first, second = x.chunk(2, dim=-1)
    parts = [first * angles.cos() - second * angles.sin()]
    parts += [second * angles.cos() + first * angles.sin()]
    return torch.cat(parts, dim=-1).to(x.dtype)


@exercise.misconception(
    "Lengths of vectors change. You take an entry's partner from the other half but give it the "
    "angle of its neighbour, or the reverse: two layouts are mixed. Which entries form a pair?"
)
def mixes_two_layouts(x, positions, base):
    angles = phases_of(x, positions, base).repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    turned = x * angles.cos() + torch.cat([-second, first], dim=-1) * angles.sin()
    return turned.to(x.dtype)


@exercise.misconception(
    "Lengths of vectors change. You pair neighbours, but the angles are laid out in two halves, "
    "as `torch.cat([angles, angles], -1)` does. Which columns share an angle?"
)
def lays_out_the_angles_in_halves(x, positions, base):
    angles = phases_of(x, positions, base).repeat((1,) * positions.dim() + (2,))
    even, odd = x[..., 0::2], x[..., 1::2]
    quarter = torch.stack([-odd, even], dim=-1).flatten(-2)
    return (x * angles.cos() + quarter * angles.sin()).to(x.dtype)


@exercise.misconception(
    "The numbers are there in another order: all first entries of the pairs, then all second "
    "ones. They were taken out in turns. How do they get back in turns?"
)
def leaves_the_halves_apart(x, positions, base):
    turned = turned_by(x, phases_of(x, positions, base))
    return torch.cat([turned[..., 0::2], turned[..., 1::2]], dim=-1)


@exercise.misconception(
    "You turn the other way round. Put (1, 0) into the formula of the text: where does it go for "
    "a small positive angle?"
)
def turns_the_other_way(x, positions, base):
    return turned_by(x, -phases_of(x, positions, base))


@exercise.misconception(
    "Both entries of a pair get their second term with the same sign. A rotation keeps the length "
    "of the pair: does yours?"
)
def has_the_same_sign_twice(x, positions, base):
    angles = phases_of(x, positions, base)
    even, odd = x[..., 0::2], x[..., 1::2]
    parts = [even * angles.cos() + odd * angles.sin(), odd * angles.cos() + even * angles.sin()]
    return torch.stack(parts, dim=-1).flatten(-2).to(x.dtype)


@exercise.misconception(
    "The second entry of a pair is made from the first one's new value. Both need the old ones: "
    "what did you write into before you had read it?"
)
def uses_the_new_value(x, positions, base):
    angles = phases_of(x, positions, base)
    turned = x.double().clone()
    even, odd = turned[..., 0::2], turned[..., 1::2]
    turned[..., 0::2] = even * angles.cos() - odd * angles.sin()
    turned[..., 1::2] = odd * angles.cos() + turned[..., 0::2] * angles.sin()
    return turned.to(x.dtype)


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


@exercise.misconception("You always take 10000. The base is an argument.")
def fixes_the_base(x, positions, base):
    return turned_by(x, phases_of(x, positions, 10000.0))


@exercise.misconception(
    "Your positions count from 1. They are given, and a vector at position 0 stays as it is."
)
def counts_from_1(x, positions, base):
    return turned_by(x, phases_of(x, positions + 1, base))


@exercise.misconception(
    "You number the vectors 0, 1, 2 yourself. Where they stand is in `positions`, in any order."
)
def numbers_the_vectors_itself(x, positions, base):
    counted = torch.arange(x.size(-2), device=x.device)
    return turned_by(x, phases_of(x, counted, base))


@exercise.misconception(
    "One row of positions fits, several do not. If you used `torch.outer` or `positions[:, None]`: "
    "where does the new axis belong if there are others in front?"
)
def expects_one_row_of_positions(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, dtype=torch.float64, device=x.device)
    return turned_by(x, torch.outer(positions.double(), base ** (-doubled / x.size(-1))))


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
    "Your angles have the dtype of x. In half precision there is no 2049, and float32 is too "
    "coarse for far positions. In which dtype does the text want them?"
)
def has_angles_of_the_dtype_of_x(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, device=x.device).to(x.dtype)
    return turned_by(x, positions[..., None].to(x.dtype) / base ** (doubled / x.size(-1)))


@exercise.misconception(
    "The numbers are right, but the result is float64, whatever x is. Round it to the dtype of x."
)
def returns_it_in_float64(x, positions, base):
    return turned_by(x.double(), phases_of(x, positions, base))


@exercise.misconception(
    "The result is right, but you wrote it into the caller's x. Write into a tensor of your own."
)
def turns_the_callers_x(x, positions, base):
    turned = turned_by(x, phases_of(x, positions, base))
    with torch.no_grad():
        x.copy_(turned)
    return turned


@exercise.misconception(
    "A tensor is made on the CPU, wherever x is. On a GPU the two could not be combined. Which "
    "argument does `torch.arange` take for this?"
)
def leaves_frequencies_on_the_cpu(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, dtype=torch.float64)
    return turned_by(x, positions[..., None] * base ** (-doubled / x.size(-1)))


@exercise.misconception(
    "No gradient reaches x. What takes a tensor out of the computation, `detach`, `no_grad`, "
    "`.data` or `torch.tensor`?"
)
def turns_without_gradients(x, positions, base):
    return turned_by(x.detach(), phases_of(x, positions, base))
