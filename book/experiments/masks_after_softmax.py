"""Masking the weights after the softmax instead of the scores before it.

Without renormalising, rows no longer sum to one and hidden keys still act through the denominator.
Renormalising repairs both on paper; here is what is left of it in finite precision.
"""

import math

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor

SEEDS = range(5)
LENGTH, D_K = 16, 16
GAPS = [float(gap) for gap in range(0, 121, 4)]  # how far the hidden scores lie above the others
DTYPES = (torch.float16, torch.bfloat16, torch.float32)


def row_sums(seed: int) -> float:
    """Mean row sum of causal weights that were masked after the softmax."""
    rng = torch.Generator().manual_seed(seed)
    query, key = (torch.randn(LENGTH, D_K, generator=rng) for _ in range(2))
    weights = (query @ key.T / math.sqrt(D_K)).softmax(dim=-1)  # [queries, keys]
    return weights.tril().sum(dim=-1).mean().item()


def leaked(seed: int, rise: float = 5.0) -> float:
    """By which share an output shrinks when one hidden key's score rises."""
    scores = torch.randn(8, generator=torch.Generator().manual_seed(seed))
    raised = scores.clone()
    raised[-1] += rise  # the last key is hidden
    before, after = (s.softmax(dim=-1)[:-1].sum() for s in (scores, raised))
    return (1 - after / before).item()


def scores_with_gap(seed: int, gap: float) -> Tensor:
    """Eight visible scores and, `gap` above their mean, one hidden: [queries, 9], float64."""
    scores = torch.randn(32, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    scores[:, -1] = gap
    return scores


def error(weights: Tensor, exact: Tensor) -> float:
    """Largest relative error; NaN where a row was 0 / 0."""
    return ((weights.double() - exact).abs() / exact).max().item()


def errors(seed: int, gap: float, dtype: torch.dtype) -> tuple[float, float]:
    """Relative error of masking before, and of masking after and renormalising."""
    scores = scores_with_gap(seed, gap)
    exact = scores[:, :-1].softmax(dim=-1)
    hidden = torch.arange(9) == 8  # [keys]
    before = scores.to(dtype).masked_fill(hidden, -math.inf).softmax(dim=-1)[:, :-1]
    kept = scores.to(dtype).softmax(dim=-1)[:, :-1]
    after = kept / kept.sum(dim=-1, keepdim=True)
    return error(before, exact), error(after, exact)


def first_nan(dtype: torch.dtype, seed: int) -> float:
    """Smallest whole gap at which a renormalised row is 0 / 0."""
    return next(float(gap) for gap in range(200) if math.isnan(errors(seed, gap, dtype)[1]))


def measure() -> tuple[Numbers, Series]:
    numbers = {
        "row_sum": number([row_sums(seed) for seed in SEEDS], ".2f"),
        "leaked": number([leaked(seed) for seed in SEEDS], ".0%"),
    }
    series: Series = {"gaps": GAPS, "before": {}, "after": {}}
    for dtype in DTYPES:
        name = str(dtype).removeprefix("torch.")
        grid = [[errors(seed, gap, dtype) for gap in GAPS] for seed in SEEDS]
        series["before"][name] = [[before for before, _ in row] for row in grid]
        series["after"][name] = [
            [after if math.isfinite(after) else None for _, after in row] for row in grid
        ]
        numbers[f"before_{name}"] = number([max(b for b, _ in row) for row in grid], ".0e")
        numbers[f"nan_{name}"] = number([first_nan(dtype, seed) for seed in SEEDS], ".0f")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
