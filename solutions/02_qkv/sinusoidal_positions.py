"""Cases, oracle and known mistakes of `sinusoidal_positions`."""

import math

import torch

from autograder.author import EVERY, Case, Exercise

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


exercise.promise("int64, each from 0", "any positions in any order", "one position")
exercise.promise(
    "number of columns, at least", "one column", "two columns", "three columns", "an odd width"
)
exercise.promise("float32 table on the device", EVERY)
exercise.promise("Every entry is right", "far positions", "far positions, an odd width")


@exercise.oracle
def entry_by_entry(positions, d_model):
    """Python's floats are float64; each entry is rounded to float32 at the end."""
    rows = []
    for position in positions.tolist():
        angles = [position / 10000 ** ((j - j % 2) / d_model) for j in range(d_model)]
        rows.append([math.cos(a) if j % 2 else math.sin(a) for j, a in enumerate(angles)])
    return torch.tensor(rows, dtype=torch.float64).float()


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
