"""What low precision does to scores and to their softmax, with and without the root.

Queries and keys have entries of standard deviation one. Lost: weights, because large scores are
stored coarsely. Overflowing: the exponential without its shift, and the scores themselves.
"""

import math
from collections.abc import Callable

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor

SEEDS = range(5)
WIDTHS = [2**power for power in range(4, 11)]
KEYS, QUERIES, D_K = 64, 512, 128
DTYPES = (torch.float16, torch.bfloat16, torch.float32)
SMALL_DTYPES = DTYPES[:2]


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def exact_scores(d_k: int, scaled: bool, seed: int) -> Tensor:
    """[queries, keys], float64"""
    rng = torch.Generator().manual_seed(seed)
    query, key = (torch.randn(n, d_k, generator=rng).double() for n in (QUERIES, KEYS))
    return query @ key.T / (math.sqrt(d_k) if scaled else 1.0)


def moved(dtype: torch.dtype, d_k: int, scaled: bool, seed: int) -> float:
    """Weight that rounding the scores to `dtype` gives to other keys, in the worst of the rows."""
    scores = exact_scores(d_k, scaled, seed)
    weights = scores.to(dtype).double().softmax(dim=-1)
    return 0.5 * (weights - scores.softmax(dim=-1)).abs().sum(dim=-1).max().item()


def naive_softmax(scores: Tensor) -> Tensor:
    size = scores.exp()
    return size / size.sum(dim=-1, keepdim=True)


def broken_rows(
    softmax: Callable[[Tensor], Tensor], dtype: torch.dtype, scaled: bool, seed: int, d_k: int = D_K
) -> float:
    """Share of the rows with a weight that is not a number."""
    weights = softmax(exact_scores(d_k, scaled, seed).to(dtype))
    return weights.isnan().any(dim=-1).double().mean().item()


def broken_entropy(scaled: bool, seed: int) -> float:
    """Share of the rows whose -w log w is NaN in float32, because a weight is exactly 0."""
    weights = exact_scores(1024, scaled, seed).float().softmax(dim=-1)
    return (weights * weights.log()).sum(dim=-1).isnan().double().mean().item()


def largest_deviation(first: bool, seed: int) -> int:
    """Largest whole standard deviation of the entries with which all float16 scores are finite.

    `first`: the query is divided by the root before the product, and not the product after it.
    """
    rng = torch.Generator().manual_seed(seed)
    query, key = (torch.randn(n, D_K, generator=rng) for n in (QUERIES, KEYS))
    for deviation in range(1, 400):
        scaled = deviation * query / (math.sqrt(D_K) if first else 1.0)
        scores = scaled.half().float() @ (deviation * key).half().float().T
        if scores.half().isinf().any():  # products are summed in float32, as in hardware
            return deviation - 1
    raise ArithmeticError("nothing overflows")


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {}
    series: Series = {"widths": WIDTHS, "moved": {}}
    for dtype in DTYPES:
        name = name_of(dtype)
        numbers[f"log_{name}"] = number(math.log(torch.finfo(dtype).max), ".1f")
        for way, softmax in {"naive": naive_softmax, "stable": softmax_}.items():
            broken = [broken_rows(softmax, dtype, False, seed) for seed in SEEDS]
            numbers[f"{way}_{name}"] = number(broken, ".0%")
    wide = [broken_rows(naive_softmax, torch.float32, False, seed, 1024) for seed in SEEDS]
    numbers["naive_float32_1024"] = number(wide, ".0%")
    for dtype in SMALL_DTYPES:
        for way, scaled in {"no root": False, "root": True}.items():
            found = [[moved(dtype, d_k, scaled, seed) for d_k in WIDTHS] for seed in SEEDS]
            series["moved"][f"{name_of(dtype)}, {way}"] = found
            key = f"moved_{name_of(dtype)}_{'root' if scaled else 'none'}"
            numbers[key] = number([row[-1] for row in found], ".1%")
    for way, first in {"before": True, "after": False}.items():
        numbers[f"largest_{way}"] = number([largest_deviation(first, s) for s in SEEDS], ".0f")
    for way, scaled in {"none": False, "root": True}.items():
        share = [broken_entropy(scaled, seed) for seed in SEEDS]
        numbers[f"broken_entropy_{way}"] = number(share, ".0%")
    return numbers, series


def softmax_(scores: Tensor) -> Tensor:
    return scores.softmax(dim=-1)


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
