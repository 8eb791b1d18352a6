"""Claims 11, first half, and 28: what a softmax does to scores of a given size, and its gradient.

Random queries and keys at widths from 16 to 1024, with and without the root: the largest weight,
the entropy, and the gradient that comes back through the softmax from random gradients of the
weights. Then the same against the standard deviation of the scores, for three numbers of keys.
"""

import math

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
WIDTHS = [2**power for power in range(4, 11)]
QUERIES, KEYS, SETS = 64, 64, 8  # of queries and keys, so that 512 rows stand behind a value
DEVIATIONS = [2 ** (power / 2) for power in range(-6, 11)]
NUMBERS_OF_KEYS = (16, 256, 4096)
DECIDED = 0.9  # a row whose largest weight is below this passes a gradient worth the name
SHOWN = (64, 128, 256, 1024)  # widths whose numbers a page may quote: usual ones, and wide ones

CLAIMS = [
    claim(
        11,
        "Without the root, the softmax saturates.",
        "Without the root, the largest of {keys} weights is {top_unscaled_64} on average at a "
        "width of 64, {top_unscaled_128} at 128 and {top_unscaled_1024} at 1,024. It is below "
        "{decided} in {undecided_unscaled_64}, {undecided_unscaled_128} and "
        "{undecided_unscaled_1024} of the rows.",
        "holds if",
        "to saturate means that one of 64 weights is above 0.9 in most rows, and the width is "
        "128 or more",
        scope="random queries and keys with entries of variance 1, 64 keys, untrained",
        control="The drawn queries and keys could have done it: with the root, the same ones have "
        "a largest weight of {top_scaled_64} on average at 64 and {top_scaled_1024} at 1,024.",
        stands=lambda n: (
            n.undecided_unscaled_64 > 0.5 > n.undecided_unscaled_128 > n.undecided_unscaled_1024
            and min(n.undecided_scaled_64, n.undecided_scaled_1024) > 0.99
        ),
    ),
    claim(
        11,
        "Without the root, the gradient vanishes.",
        "The median of the gradients at the queries is {median_ratio_64} times what it is with the "
        "root at a width of 64, {median_ratio_128} times at 128, {median_ratio_256} times at 256 "
        "and {median_ratio} times at 1,024. The mean is {mean_ratio_64}, {mean_ratio_128} and, at "
        "1,024, {mean_ratio} times what it is with the root.",
        "holds if",
        "the width is well above 256 and “the gradient” is the median over the queries, not the "
        "mean",
        scope="random queries and keys with entries of variance 1, 64 keys, random gradients of "
        "the weights, untrained",
        control="Other queries, keys or gradients of the weights: both kinds get the same ones. "
        "Nine tenths of the total go to {nine_tenths_unscaled_1024} of the queries at 1,024, with "
        "the root to {nine_tenths_scaled_1024}.",
        stands=lambda n: (
            min(n.median_ratio_64, n.median_ratio_128) > 2
            and n.median_ratio_256 > 0.5
            and n.median_ratio < 0.2
            and min(n.mean_ratio_64, n.mean_ratio_128, n.mean_ratio) > 2
            and n.nine_tenths_unscaled_1024 < n.nine_tenths_scaled_1024 / 2
        ),
    ),
    claim(
        28,
        "The softmax is zero-sum: more weight here is less there.",
        "Each row of the Jacobian sums to 0 within {row_sum}; {negative} of its entries off the "
        "diagonal are negative. The ratios of the other weights do not change, within "
        "{ratio_change}.",
        "holds",
        scope="computed in float64 for random rows of eight scores",
        control="The formula of the Jacobian could be wrong: the weights were also computed anew "
        "after one score had been raised by 1, and it is those whose ratios are compared.",
        stands=lambda n: n.row_sum < 1e-9 and n.ratio_change < 1e-9 and n.negative == 1,
    ),
]


def back(weights: Tensor, gradient: Tensor) -> Tensor:
    """The softmax's gradient, J g = w (g - w.g), along the last axis."""
    return weights * (gradient - (weights * gradient).sum(dim=-1, keepdim=True))


def rows(d_k: int, scaled: bool, seed: int) -> dict[str, Tensor]:
    """Per query: largest weight, entropy, size of the gradient of its scores and of itself."""
    rng = torch.Generator().manual_seed(seed)
    query, key = (torch.randn(SETS, size, d_k, generator=rng) for size in (QUERIES, KEYS))
    scale = 1 / math.sqrt(d_k) if scaled else 1.0
    weights = (scale * query @ key.mT).softmax(dim=-1)  # [sets, queries, keys]
    # gradients of the weights are products of a value and a gradient of the output: here normal
    of_scores = back(weights, torch.randn(weights.shape, generator=rng))
    of_query = scale * of_scores @ key  # [sets, queries, d_k]
    return {
        "top": weights.amax(dim=-1).flatten(),
        "entropy": torch.special.entr(weights).sum(dim=-1).flatten(),
        "of_scores": of_scores.norm(dim=-1).flatten(),
        "of_query": of_query.norm(dim=-1).flatten(),
    }


def share_that_gets(part: float, sizes: Tensor) -> float:
    """The smallest share of the queries that together have this part of the sum."""
    running = sizes.sort(descending=True).values.cumsum(dim=0)
    return ((running < part * running[-1]).sum() + 1).item() / sizes.numel()


def summary(d_k: int, scaled: bool, seed: int) -> dict[str, float]:
    found = rows(d_k, scaled, seed)
    return {
        "top": found["top"].mean().item(),
        "entropy": found["entropy"].mean().item(),
        "mean_of_scores": found["of_scores"].mean().item(),
        "mean_of_query": found["of_query"].mean().item(),
        "median_of_query": found["of_query"].median().item(),
        "half": share_that_gets(0.5, found["of_query"]),
        "nine_tenths": share_that_gets(0.9, found["of_query"]),
        "undecided": (found["top"] < DECIDED).float().mean().item(),
    }


def decided_ratio(d_k: int, seed: int) -> float:
    """Of the rows with one large weight: the median gradient without the root, by that with it."""
    without, with_root = (rows(d_k, scaled, seed) for scaled in (False, True))
    decided = without["top"] >= DECIDED
    sizes = [found["of_query"][decided].median().item() for found in (without, with_root)]
    return sizes[0] / sizes[1]


def jacobian(weights: Tensor) -> Tensor:
    """diag(w) - w w^T along the last axis. [..., keys, keys]"""
    return torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]


def zero_sum(seed: int) -> dict[str, float]:
    """Signs and sums of the Jacobian, and what one raised score does to the other weights."""
    rng = torch.Generator().manual_seed(seed)
    scores = torch.randn(100, 8, dtype=torch.float64, generator=rng)
    weights = scores.softmax(dim=-1)
    matrix = jacobian(weights)
    others = matrix[:, ~torch.eye(8, dtype=torch.bool)]
    scores[:, 0] += 1.0
    ratios = scores.softmax(dim=-1)[:, 1:] / weights[:, 1:]  # after / before
    return {
        "row_sum": matrix.sum(dim=-1).abs().max().item(),
        "negative": (others < 0).double().mean().item(),
        "ratio_change": (ratios / ratios[:, :1] - 1).abs().max().item(),
        "norm": torch.linalg.matrix_norm(matrix, ord=2).max().item(),
    }


def gradient_size(deviation: float, keys: int, seed: int) -> float:
    """Mean size of the gradient of the scores; that of the weights has entries of size one."""
    rng = torch.Generator().manual_seed(seed)
    weights = (deviation * torch.randn(256, keys, generator=rng)).softmax(dim=-1)
    return back(weights, torch.randn(weights.shape, generator=rng)).norm(dim=-1).mean().item()


def ratios(series: Series, kind: str, d_k: int) -> list[float]:
    """What a measurement is without the root, divided by what it is with it. One per seed."""
    at = WIDTHS.index(d_k)
    pairs = zip(series[f"{kind}_unscaled"], series[f"{kind}_scaled"], strict=True)
    return [without[at] / with_root[at] for without, with_root in pairs]


def by_width() -> tuple[Numbers, Series]:
    numbers: Numbers = {
        "decided": number(DECIDED, "g"),
        "keys": number(KEYS, "d"),
        "uniform": number(math.log(KEYS), ".2f", "nats"),
    }
    series: Series = {}
    for name, scaled in {"unscaled": False, "scaled": True}.items():
        found = [[summary(d_k, scaled, seed) for d_k in WIDTHS] for seed in SEEDS]
        for key in found[0][0]:
            series[f"{key}_{name}"] = [[one[key] for one in row] for row in found]
        for at, d_k in enumerate(WIDTHS):
            numbers[f"top_{name}_{d_k}"] = number([row[at]["top"] for row in found], ".3f")
            entropy = [row[at]["entropy"] for row in found]
            numbers[f"entropy_{name}_{d_k}"] = number(entropy, ".2f", "nats")
            for key in ("undecided", "nine_tenths"):
                if d_k in SHOWN:
                    share = [row[at][key] for row in found]
                    numbers[f"{key}_{name}_{d_k}"] = number(share, ".0%")
        numbers[f"half_{name}"] = number([row[-1]["half"] for row in found], ".1%")
    for d_k in (128, 1024):
        decided = [decided_ratio(d_k, seed) for seed in SEEDS]
        numbers[f"decided_ratio_{d_k}"] = number(decided, ".1g")
    numbers["median_ratio"] = number(ratios(series, "median_of_query", 1024), ".2f")
    numbers["mean_ratio"] = number(ratios(series, "mean_of_query", 1024), ".0f")
    for d_k in (64, 128, 256):
        for kind in ("median", "mean"):
            numbers[f"{kind}_ratio_{d_k}"] = number(ratios(series, f"{kind}_of_query", d_k), ".1f")
    numbers["mean_ratio_scores"] = number(ratios(series, "mean_of_scores", 1024), ".2f")
    return numbers, series


def by_deviation() -> tuple[Numbers, Series]:
    numbers: Numbers = {"most_keys": number(NUMBERS_OF_KEYS[-1], "d")}
    series: Series = {}
    for keys in NUMBERS_OF_KEYS:
        found = [[gradient_size(one, keys, seed) for one in DEVIATIONS] for seed in SEEDS]
        series[str(keys)] = found
        best = torch.tensor(found).mean(dim=0).argmax()
        numbers[f"peak_{keys}"] = number(DEVIATIONS[best], ".1f")
        at_one = DEVIATIONS.index(1.0)
        numbers[f"gain_{keys}"] = number([row[best] / row[at_one] for row in found], ".1f")
    return numbers, series


def measure() -> tuple[Numbers, Series]:
    numbers, series = by_width()
    more, sizes = by_deviation()
    sums = [zero_sum(seed) for seed in SEEDS]
    numbers |= more | {"negative": number([one["negative"] for one in sums], ".0%")}
    for key in ("row_sum", "ratio_change"):
        numbers[key] = number(max(one[key] for one in sums), ".0e")
    numbers["norm"] = number(max(one["norm"] for one in sums), ".2f")
    return numbers, series | {"widths": WIDTHS, "deviations": DEVIATIONS, "sizes": sizes}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
