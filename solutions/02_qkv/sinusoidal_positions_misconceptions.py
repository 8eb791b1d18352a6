"""Known mistakes of `sinusoidal_positions`."""

import torch

from .sinusoidal_positions import exercise
from .sinusoidal_positions_rounding import angles_of, in_turns


@exercise.misconception(
    "All sines come first in yours, then all cosines. In the formula they take turns: column 0, "
    "column 1 and so on."
)
def puts_sines_first(positions, d_model):
    i = torch.arange(0, d_model, 2, dtype=torch.float64, device=positions.device)
    angles = positions[:, None] / 10000 ** (i / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)[:, :d_model].float()


@exercise.misconception(
    "Sine and cosine are swapped. What is the row of position 0, by the formula?"
)
def swaps_sine_and_cosine(positions, d_model):
    angles = angles_of(positions, d_model)
    even = torch.arange(d_model, device=positions.device) % 2 == 0
    return torch.where(even, angles.cos(), angles.sin()).float()


@exercise.misconception(
    "Every column has a frequency of its own in yours. A sine and the cosine beside it share one: "
    "which columns have the same r?"
)
def gives_each_column_a_frequency(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    angles = positions[:, None] / 10000 ** (j.double() / d_model)
    return in_turns(angles).float()


@exercise.misconception(
    "Your exponent is r / d_model for pair r, half of what the formula says: the slowest wave is "
    "then about 100 times as long as the first and not 10000."
)
def halves_the_exponent(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    angles = positions[:, None] / 10000 ** ((j // 2).double() / d_model)
    return in_turns(angles).float()


@exercise.misconception(
    "Your exponent is twice what the formula says. If your numbers go 0, 2, 4 and so on, they are "
    "2r already."
)
def doubles_the_exponent(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    angles = positions[:, None] / 10000 ** (2 * (j - j % 2).double() / d_model)
    return in_turns(angles).float()


@exercise.misconception(
    "Positions and frequencies meet entry by entry, which fails unless there are as many of the "
    "one as of the other. Every position meets every frequency: which of them needs a new axis?"
)
def forgets_the_new_axis(positions, d_model):
    pairs = torch.arange(0, d_model, 2, dtype=torch.float64, device=positions.device)
    angles = positions / 10000 ** (pairs / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model].float()


@exercise.misconception(
    "Even widths are right. For an odd one you leave the last column empty: how many sines are "
    "there for d_model = 5, and what does `d_model // 2` say?"
)
def leaves_the_last_column_empty(positions, d_model):
    table = in_turns(angles_of(positions, d_model))
    table[:, d_model // 2 * 2 :] = 0
    return table.float()


@exercise.misconception(
    "You multiply the positions by the power of 10000. Later columns are to turn more slowly."
)
def multiplies_by_the_power(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    angles = positions[:, None] * 10000 ** ((j - j % 2).double() / d_model)
    return in_turns(angles).float()


@exercise.misconception(
    "You number the rows 0, 1, 2 yourself. The positions that are asked for are in `positions`, in "
    "any order."
)
def numbers_the_rows_itself(positions, d_model):
    angles = angles_of(torch.arange(len(positions), device=positions.device), d_model)
    return in_turns(angles).float()


@exercise.misconception(
    "Your slowest wave has exactly the factor 10000, as in another library. By the formula of the "
    "docstring the last pair stays a little short of it: what does it divide 2r by?"
)
def reaches_the_last_frequency(positions, d_model):
    j, pairs = torch.arange(d_model, device=positions.device), (d_model + 1) // 2
    angles = positions[:, None] / 10000 ** ((j // 2).double() / max(pairs - 1, 1))
    return in_turns(angles).float()


@exercise.misconception(
    "Even widths are right. For an odd one there is one sine more than there are cosines: how wide "
    "is what you fill in at the odd columns?"
)
def expects_an_even_width(positions, d_model):
    i = torch.arange(0, d_model, 2, dtype=torch.float64, device=positions.device)
    angles = positions[:, None] / 10000 ** (i / d_model)
    table = torch.zeros(len(positions), d_model, dtype=torch.float64, device=positions.device)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table.float()


@exercise.misconception(
    "Even widths are right. For an odd one you make a wider table and cut it: then another width "
    "is in the exponent. The formula has d_model there, odd or not."
)
def cuts_a_wider_table(positions, d_model):
    width = d_model + d_model % 2
    angles = angles_of(positions, width)
    return in_turns(angles)[:, :d_model].float()


@exercise.misconception(
    "Even widths are right. For an odd one your exponents have d_model - 1 below the line, perhaps "
    "by an integer division: the formula has d_model there, odd or not."
)
def rounds_the_width_down(positions, d_model):
    j, width = torch.arange(d_model, device=positions.device), max(d_model // 2 * 2, 1)
    angles = positions[:, None] / 10000 ** ((j - j % 2).double() / width)
    return in_turns(angles).float()


@exercise.misconception(
    "The numbers are right, but a tensor is made on the CPU, wherever `positions` is. On a GPU the "
    "two could not be combined. Which argument does `torch.arange` take for this?"
)
def stays_on_the_cpu(positions, d_model):
    j = torch.arange(d_model)
    angles = positions[:, None] / 10000 ** ((j - j % 2).double() / d_model)
    return in_turns(angles).float()


@exercise.misconception(
    "Positions are counted from the first one that is given. The row of a position depends on its "
    "number alone: what is the row of position 3, if it is the only one?"
)
def counts_from_the_first(positions, d_model):
    return in_turns(angles_of(positions - positions[0], d_model)).float()


@exercise.misconception(
    "The exponent holds twice the number of the column. In the formula two columns share an i: "
    "what is i in columns 2 and 3?"
)
def doubles_the_number_of_the_column(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    return in_turns(positions[:, None] / 10000 ** (2 * j.double() / d_model)).float()


@exercise.misconception(
    "A table of one row or one column loses an axis. What does `squeeze()` do, and how many axes "
    "does a table have?"
)
def squeezes_the_table(positions, d_model):
    return in_turns(angles_of(positions, d_model)).float().squeeze()


@exercise.misconception(
    "Every row is that of the next position. Which row has only zeros and ones?"
)
def adds_one_to_the_positions(positions, d_model):
    return in_turns(angles_of(positions + 1, d_model)).float()
