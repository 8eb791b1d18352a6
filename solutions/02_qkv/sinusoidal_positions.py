"""Cases, oracle and known mistakes of `sinusoidal_positions`."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from autograder.spec import Case, Exercise

exercise = Exercise(
    "sinusoidal_positions",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the table",),
    read="02_qkv.html#positions",
)


@exercise.cases
def cases(rng):
    yield Case("the first positions", {"positions": torch.arange(10), "d_model": 6})
    some = rng.integers(3, 50, 7)
    yield Case("any positions in any order", {"positions": some, "d_model": 8})
    yield Case("an odd width", {"positions": torch.arange(1, 9), "d_model": 5})
    far = torch.tensor([1000003, 1000, 30011, 2**20, 524288])
    yield Case("far positions", {"positions": far, "d_model": 16})
    yield Case("the example of the text", {"positions": torch.tensor([0, 3]), "d_model": 4})


@exercise.secret_cases
def secret_cases(rng):
    length, d_model = rng.integer(5, 12), 2 * rng.integer(5, 12)
    yield Case("a wider table", {"positions": rng.integers(0, 60, length), "d_model": d_model})
    twice = rng.integers(0, 60, length).repeat(2)
    yield Case("a wide odd table, each row twice", {"positions": twice, "d_model": d_model + 1})
    yield Case("one column", {"positions": torch.arange(length), "d_model": 1})
    yield Case("two columns", {"positions": torch.arange(3, length), "d_model": 2})
    yield Case("three columns", {"positions": torch.arange(length), "d_model": 3})
    yield Case("one position", {"positions": rng.integers(2, 40, 1), "d_model": d_model})
    far = rng.integers(2**16, 2**20 + 1, length)
    yield Case("far positions, an odd width", {"positions": far, "d_model": d_model + 3})


@exercise.oracle
def entry_by_entry(positions, d_model):
    """Python's floats are float64; each entry is rounded to float32 at the end."""
    rows = []
    for position in positions.tolist():
        angles = [position / 10000 ** ((j - j % 2) / d_model) for j in range(d_model)]
        rows.append([math.cos(a) if j % 2 else math.sin(a) for j, a in enumerate(angles)])
    return torch.tensor(rows, dtype=torch.float64).float()


def angles_of(positions: Int[Tensor, " length"], d_model: int) -> Float[Tensor, "length d_model"]:
    """Those of the formula, in float64: two neighbouring columns share one."""
    j = torch.arange(d_model, device=positions.device)
    return positions[:, None] / 10000 ** ((j - j % 2).double() / d_model)


def in_turns(angles: Float[Tensor, "length d_model"]) -> Float[Tensor, "length d_model"]:
    """Sine, cosine, sine and so on."""
    even = torch.arange(angles.size(1), device=angles.device) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos())


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
    "which columns have the same i?"
)
def gives_each_column_a_frequency(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    angles = positions[:, None] / 10000 ** (j.double() / d_model)
    return in_turns(angles).float()


@exercise.misconception(
    "Your exponent is i / d_model for pair i, half of what the formula says: the slowest wave is "
    "then about 100 times as long as the first and not 10000."
)
def halves_the_exponent(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    angles = positions[:, None] / 10000 ** ((j // 2).double() / d_model)
    return in_turns(angles).float()


@exercise.misconception(
    "Your exponent is twice what the formula says. If your numbers go 0, 2, 4 and so on, they are "
    "2i already."
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
    "docstring the last pair stays a little short of it: what does it divide 2i by?"
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
    "Near positions are right, far ones are not: your angles are float32, which keeps 7 digits, "
    "and whole turns use them up. Which dtype keeps more, for the frequencies too?"
)
def has_float32_angles(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    angles = positions[:, None] / 10000 ** ((j - j % 2) / d_model)
    return in_turns(angles)


@exercise.misconception(
    "Near positions are right, far ones are not. An exponential of a float32 logarithm is off in "
    "its 7th digit, and a far position makes much of it. Which dtype keeps more digits?"
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
    "The numbers are right, but a tensor is made on the CPU, wherever `positions` is. On a GPU the "
    "two could not be combined. Which argument does `torch.arange` take for this?"
)
def stays_on_the_cpu(positions, d_model):
    j = torch.arange(d_model)
    angles = positions[:, None] / 10000 ** ((j - j % 2).double() / d_model)
    return in_turns(angles).float()


@exercise.variant
def pairs_stacked(positions, d_model):
    i = torch.arange(0, d_model, 2, dtype=torch.float64, device=positions.device)
    angles = torch.outer(positions.double(), torch.exp(-math.log(10000.0) * i / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model].float()


@exercise.variant
def filled_column_by_column(positions, d_model):
    table = torch.empty(len(positions), d_model, dtype=torch.float64, device=positions.device)
    for j in range(d_model):
        angle = positions.double() / 10000.0 ** (2 * (j // 2) / d_model)
        table[:, j] = torch.sin(angle) if j % 2 == 0 else torch.cos(angle)
    return table.to(torch.float32)


@exercise.variant
def a_cosine_is_a_shifted_sine(positions, d_model):
    j = torch.arange(d_model, device=positions.device)
    rates = torch.pow(torch.tensor(1e-4, dtype=torch.float64), (j - j % 2).double() / d_model)
    return torch.sin(positions.double()[:, None] * rates + j % 2 * (math.pi / 2)).float()


@exercise.variant
def with_parts_of_a_row(positions, d_model):
    angles = positions.to(torch.float64).unsqueeze(1) * torch.logspace(
        0, -4 * (d_model - 2 + d_model % 2) / d_model,
        (d_model + 1) // 2, dtype=torch.float64, device=positions.device,
    )  # fmt: skip
    table = torch.zeros(len(positions), d_model, device=positions.device)
    table[:, ::2] = angles.sin()
    table[:, 1::2] = angles[:, : d_model // 2].cos()
    return table
