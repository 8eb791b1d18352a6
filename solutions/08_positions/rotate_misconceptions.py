"""Known mistakes of `rotate` with pairs, axes and tensors."""

import torch

from .rotate import exercise
from .rotate_angles import phases_of, turned_by


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
    "Both entries of a pair get their second term with the same sign. A rotation keeps the length "
    "of the pair: does yours?"
)
def has_the_same_sign_twice(x, positions, base):
    angles = phases_of(x, positions, base)
    even, odd = x[..., 0::2], x[..., 1::2]
    parts = [even * angles.cos() + odd * angles.sin(), odd * angles.cos() + even * angles.sin()]
    return torch.stack(parts, dim=-1).flatten(-2).to(x.dtype)


@exercise.misconception(
    "Sine and cosine have changed places: at position 0 a vector stays as it is. What are sine and "
    "cosine of 0?"
)
def exchanges_sine_and_cosine(x, positions, base):
    angles = phases_of(x, positions, base)
    even, odd = x[..., 0::2], x[..., 1::2]
    parts = [even * angles.sin() - odd * angles.cos(), even * angles.cos() + odd * angles.sin()]
    return torch.stack(parts, dim=-1).flatten(-2).to(x.dtype)


@exercise.misconception(
    "The second entry of each pair has the other sign: you reflect the pair. At position 0 a "
    "vector stays as it is."
)
def reflects(x, positions, base):
    angles = phases_of(x, positions, base)
    even, odd = x[..., 0::2], x[..., 1::2]
    parts = [even * angles.cos() - odd * angles.sin(), even * angles.sin() - odd * angles.cos()]
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
    "You number the vectors 0, 1, 2 yourself. Where they stand is in `positions`, in any order."
)
def numbers_the_vectors_itself(x, positions, base):
    counted = torch.arange(x.size(-2), device=x.device)
    return turned_by(x, phases_of(x, counted, base))


@exercise.misconception(
    "You count up from the first position of each row. Positions come in any order, and one may "
    "occur twice: take each as it is given."
)
def counts_up_from_the_first_position(x, positions, base):
    counted = positions[..., :1] + torch.arange(x.size(-2), device=x.device)
    return turned_by(x, phases_of(x, counted, base))


@exercise.misconception(
    "All rows get the positions of the first one. Where positions have axes in front of the "
    "length, each row has its own."
)
def gives_all_rows_the_first_ones_positions(x, positions, base):
    first = positions.reshape(-1, positions.size(-1))[0]
    return turned_by(x, phases_of(x, first, base))


@exercise.misconception(
    "One row of positions fits, several do not. If you used `torch.outer` or `positions[:, None]`: "
    "where does the new axis belong if there are others in front?"
)
def expects_one_row_of_positions(x, positions, base):
    doubled = torch.arange(0, x.size(-1), 2, dtype=torch.float64, device=x.device)
    return turned_by(x, torch.outer(positions.double(), base ** (-doubled / x.size(-1))))


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


@exercise.misconception(
    "You pair entry r with entry r + d_k/2 and turn the other way, too. Which entry is beside "
    "entry 0 here, and where does (1, 0) go for a small positive angle?"
)
def turns_the_halves_back(x, positions, base):
    angles = phases_of(x, positions, base)
    first, second = x.chunk(2, dim=-1)
    parts = [first * angles.cos() + second * angles.sin()]
    parts += [second * angles.cos() - first * angles.sin()]
    return torch.cat(parts, dim=-1).to(x.dtype)


@exercise.misconception(
    "The first entry of each pair has the other sign. At position 0 a vector stays as it is."
)
def negates_the_first_of_a_pair(x, positions, base):
    return turned_by(x, phases_of(x, positions, base)) * negated(x, 0)


@exercise.misconception(
    "You turn the other way round and then change the sign of the second entry: that is a "
    "reflection. At position 0 a vector stays as it is."
)
def reflects_backwards(x, positions, base):
    return turned_by(x, -phases_of(x, positions, base)) * negated(x, 1)


def negated(x, place):
    """-1 for the entry of each pair that is in this place, 1 for the other."""
    signs = torch.ones(2, dtype=x.dtype, device=x.device)
    signs[place] = -1
    return signs.repeat(x.size(-1) // 2)
