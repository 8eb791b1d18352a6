"""How wrong are the angles of far positions, if they are computed in the dtype of the model?

The error of the fastest hand, and of a score with the token before, against float64. And how many
of the positions of a long text have an angle of their own.
"""

import math

import torch
from measurements import Numbers, Series, number, run_and_save
from positions_model import BASE, rotate
from torch import Tensor

SEEDS = range(5)
WIDTH, PAIRS_OF_TOKENS = 64, 256
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
POSITIONS = (100, 1_000, 10_000, 100_000, 1_000_000)
TEXT = 8192


def angles_in(dtype: torch.dtype, positions: Tensor) -> Tensor:
    """Position times speed with both in this dtype, then exact: [length, pairs]."""
    speed = BASE ** -(torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)
    return (positions.to(dtype)[:, None] * speed.to(dtype)).double()


def score_error(dtype: torch.dtype, position: int, seed: int) -> float:
    """Root mean square error of scores with the token before, over the scores' own size."""
    rng = torch.Generator().manual_seed(seed)
    positions = position + torch.randint(1000, (PAIRS_OF_TOKENS,), generator=rng)
    query, key = torch.randn(2, PAIRS_OF_TOKENS, WIDTH, dtype=torch.float64, generator=rng)
    scores = [
        (
            rotate(query, angles_in(kind, positions)) * rotate(key, angles_in(kind, positions - 1))
        ).sum(dim=-1)
        for kind in (torch.float64, dtype)
    ]  # each [pairs of tokens]
    error = (scores[1] - scores[0]).square().mean().sqrt() / scores[0].square().mean().sqrt()
    return error.item()


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"text": number(TEXT, ",d"), "width": number(WIDTH, "d")}
    series: Series = {"positions": list(POSITIONS)}
    for name, dtype in DTYPES.items():
        errors = [[score_error(dtype, at, seed) for at in POSITIONS] for seed in SEEDS]
        series[name] = [[one if math.isfinite(one) else None for one in run] for run in errors]
        fmt = ".0e" if dtype == torch.float32 else ".1%"  # it is a rounding error, but for the rest
        for at, sample in zip(POSITIONS, zip(*errors, strict=True), strict=True):
            finite = all(map(math.isfinite, sample))
            numbers[f"{name}_{at}"] = number(list(sample), fmt) if finite else number("not finite")
        numbers[f"{name}_distinct"] = number(torch.arange(TEXT).to(dtype).unique().numel(), ",d")
    numbers["first_bfloat16"] = number(_first_shared(torch.bfloat16), "d")
    numbers["first_float16"] = number(_first_shared(torch.float16), ",d")
    numbers["largest_float16"] = number(torch.finfo(torch.float16).max, ",.0f")
    return numbers, series


def _first_shared(dtype: torch.dtype) -> int:
    """The first position that is rounded to another one."""
    positions = torch.arange(TEXT)
    return int((positions.to(dtype).long() != positions).nonzero()[0])


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
