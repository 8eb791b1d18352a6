"""Known mistakes of `sinusoidal_positions`."""

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


@exercise.base
def right(positions, d_model):
    return in_turns(angles_of(positions, d_model)).float()


@exercise.base
def spelled_out(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    angles = positions[:, None] / 10000 ** ((j - j % 2).double() / d_model)
    return in_turns(angles).float()


# fmt: off
spelled_out.mistake("has_float32_angles", {".double()": "", ".float()": ""},
    "Near positions are right, but far ones are not: your angles are float32, which keeps 7 "
    "digits, and whole turns use them up. Which dtype keeps more digits, for the frequencies too?")


@exercise.misconception(
    "Near positions are right, but far ones are not. An exponential of a float32 logarithm is "
    "wrong in its 7th digit, and a far position multiplies that error. Which dtype keeps more "
    "digits?"
)
def has_float32_exponentials(positions, d_model):
    i = torch.arange(0, d_model, 2, device=positions.device)
    angles = positions[:, None] * torch.exp(i * (-math.log(10000.0) / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model]


right.mistake("returns_float64", {".float()": ""},
    "The numbers are right, but the table is float64. Round it as the docstring says.")
right.mistake("rounds_the_angles", {").float()": ".float())"},
    "Near positions are right, but far ones are not: your angles are rounded to float32 before "
    "the sine, and whole turns use up its 7 digits. What does the docstring say is rounded, and "
    "when?")
right.mistake("has_float32_frequencies",
    {"return": "j = torch.arange(d_model, device=positions.device)\n    return",
     "angles_of(positions, d_model)":
        "positions.double()[:, None] * 10000 ** (-(j - j % 2) / d_model)"},
    "Near positions are right, but far ones are not: your frequencies are float32. A division of "
    "integers gives float32, and converting to float64 afterwards restores no digits.")
spelled_out.mistake("has_float32_powers",
    {"angles = positions": "return in_turns(positions.double()",
     "2).double() / d_model)\n    return in_turns(angles": "2) / d_model)"},
    "Near positions are right, but far ones are not: your powers of 10000 are float32. A division "
    "of integers gives float32, and converting to float64 afterwards restores no digits.")


@exercise.misconception(
    "Near positions are right, but far ones are not: your logarithm of 10000 is float32, and a "
    "far position multiplies its error. `math.log` has all digits of float64."
)
def has_a_float32_logarithm(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    logarithm = torch.tensor(10000.0, device=positions.device).log()
    rates = torch.exp(-logarithm * (j - j % 2).double() / d_model)
    return in_turns(positions.double()[:, None] * rates).float()


@exercise.misconception(
    "Near positions are right, but far ones are not: your exponentials are float32, and "
    "converting to float64 afterwards restores no digits. Which dtype do their exponents have?"
)
def widens_float32_exponentials(positions, d_model):
    i = torch.arange(0, d_model, 2, device=positions.device)
    angles = positions.double()[:, None] * torch.exp(i * (-math.log(10000.0) / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model].float()


@exercise.misconception(
    "Near positions are right, but far ones are not: your inverse powers of 10000 are float32, "
    "and so are the angles. Which dtype keeps more digits, for the frequencies too?"
)
def has_float32_inverses(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    return in_turns(positions[:, None] * (1.0 / 10000 ** ((j - j % 2) / d_model)))


spelled_out.mistake("widens_float32_inverses",
    {"positions[:, None]": "1.0",
     ".double()": "",
     "angles)": "positions.double()[:, None] * angles)"},
    "Near positions are right, but far ones are not: your inverse powers of 10000 are float32, "
    "and converting to float64 afterwards restores no digits.")
spelled_out.mistake("rounds_the_frequencies",
    {"positions[:, None] / 10000 ** ((j": "10000 ** (-(j",
     "angles)": "positions.double()[:, None] * angles.float())"},
    "Near positions are right, but far ones are not: your frequencies are rounded to float32, and "
    "a far position multiplies that error. What should be rounded at the end?")
spelled_out.mistake("puts_sines_first",
    {"d_model,": "0, d_model, 2, dtype=torch.float64,",
     "(j - j % 2).double()": "j",
     "in_turns(angles)": "torch.cat([angles.sin(), angles.cos()], dim=-1)[:, :d_model]"},
    "Your table has all sines first, then all cosines. In the formula they alternate: column 0, "
    "column 1 and so on.")


@exercise.misconception(
    "Sine and cosine are swapped. What is the row of position 0 according to the formula?"
)
def swaps_sine_and_cosine(positions, d_model):
    angles = angles_of(positions, d_model)
    even = torch.arange(d_model, device=positions.device) % 2 == 0
    return torch.where(even, angles.cos(), angles.sin()).float()


spelled_out.mistake("gives_each_column_a_frequency", {"(j - j % 2)": "j"},
    "Every column has its own frequency in your table. A sine and the cosine beside it share one. "
    "Which columns have the same r?")
spelled_out.mistake("halves_the_exponent", {"- j % 2": "// 2"},
    "Your exponent is r / d_model for pair r, half of what the formula says. The slowest wave is "
    "then about 100 times as long as the first, instead of 10000 times.")
spelled_out.mistake("doubles_the_exponent", {"(j": "2 * (j"},
    "Your exponent is twice what the formula says. If your numbers are 0, 2, 4 and so on, they "
    "are 2r already.")


@exercise.misconception(
    "Positions and frequencies meet entry by entry, which fails unless there are equally many of "
    "both. Every position meets every frequency. Which of them needs a new axis?"
)
def forgets_the_new_axis(positions, d_model):
    pairs = torch.arange(0, d_model, 2, dtype=torch.float64, device=positions.device)
    angles = positions / 10000 ** (pairs / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model].float()


right.mistake("leaves_the_last_column_empty",
    {"return": "table =",
     "d_model))": "d_model))\n    table[:, d_model // 2 * 2 :] = 0\n    return table"},
    "Even widths are right. For an odd width you leave the last column empty. How many sines are "
    "there for d_model = 5, and what is `d_model // 2`?")
spelled_out.mistake("multiplies_by_the_power", {"/ 10000": "* 10000"},
    "You multiply the positions by the power of 10000. Later columns should turn more slowly.")
right.mistake("numbers_the_rows_itself",
    {"angles_of(positions": "angles_of(torch.arange(len(positions), device=positions.device)"},
    "You number the rows 0, 1, 2 yourself. The requested positions are in `positions`, in any "
    "order.")
spelled_out.mistake("reaches_the_last_frequency",
    {"j = torch": "j, pairs = torch",
     "device)": "device), (d_model + 1) // 2",
     "(j - j % 2).double() / d_model": "(j // 2).double() / max(pairs - 1, 1)"},
    "Your slowest wave has exactly the factor 10000, as in another library. By the formula of the "
    "docstring, the last pair stays a little below that. What does it divide 2r by?")


@exercise.misconception(
    "Even widths are right. For an odd width there is one more sine than there are cosines. How "
    "wide should the part for the odd columns be?"
)
def expects_an_even_width(positions, d_model):
    i = torch.arange(0, d_model, 2, dtype=torch.float64, device=positions.device)
    angles = positions[:, None] / 10000 ** (i / d_model)
    table = torch.zeros(len(positions), d_model, dtype=torch.float64, device=positions.device)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table.float()


right.mistake("cuts_a_wider_table", {"d_model))": "d_model + d_model % 2))[:, :d_model]"},
    "Even widths are right. For an odd width you build a wider table and cut it, so that another "
    "width is in the exponent. The formula has d_model there, odd or not.")
spelled_out.mistake("rounds_the_width_down",
    {"j = torch": "j, width = torch",
     "device)": "device), max(d_model // 2 * 2, 1)",
     "/ d_model": "/ width"},
    "Even widths are right. For an odd width your exponents have d_model - 1 in the denominator, "
    "perhaps because of an integer division. The formula has d_model there, odd or not.")
spelled_out.mistake("stays_on_the_cpu", {"d_model, device=positions.device": "d_model"},
    "The numbers are right, but a tensor is created on the CPU, wherever `positions` is. On a GPU "
    "the two could not be combined. Which argument of `torch.arange` prevents this?")
right.mistake("counts_from_the_first",
    {"angles_of(positions": "angles_of(positions - positions[0]"},
    "You count positions from the first one given. The row of a position depends only on its "
    "number. What is the row of position 3 if it is the only one?")
right.mistake("doubles_the_number_of_the_column",
    {"angles_of(positions, d_model)":
        "positions[:, None] / 10000 ** (2 * torch.arange(d_model, "
        "device=positions.device).double() / d_model)"},
    "Your exponent contains twice the number of the column. In the formula, two columns share an "
    "r. What is r in columns 2 and 3?")
right.mistake("squeezes_the_table", {"float()": "float().squeeze()"},
    "A table with one row or one column loses an axis. What does `squeeze()` do, and how many "
    "axes does a table have?")
right.mistake("adds_one_to_the_positions", {"angles_of(positions": "angles_of(positions + 1"},
    "Every row is that of the next position. Which row should hold only zeros and ones?")
