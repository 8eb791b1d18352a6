"""Claims 9 and 10: how large is a dot product of two random vectors, and when is it larger?

Queries and keys with independent entries of variance 1, at widths from 16 to 1024; then entries
that are correlated, or have a mean, or belong to a token that meets itself.
"""

import math
from collections.abc import Callable

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
WIDTHS = [2**power for power in range(4, 11)]
TOKENS, D_K = 100, 512  # the sizes in the text that claim 9 is from: 10,000 scores
REPEATS = 50  # sets of 100 queries and 100 keys behind each standard deviation
CORRELATION, MEAN = 0.3, 0.5
Draw = Callable[[torch.Generator, int], Tensor]  # vectors of that width: [tokens, d_k]

CLAIMS = [
    claim(
        9,
        "At d_k = 512, unscaled scores lie in about (−50, 50) and scaled ones in about "
        "(−2.2, 2.2), because √512 is about 22.6.",
        "The largest of 10,000 scores is {largest} unscaled and {largest_scaled} scaled. {outside} "
        "of them lie outside ±50, and {outside_scaled} outside ±2.2. The largest of a query's "
        "hundred scores lies above 2.2 for {rows_outside} of the queries.",
        "false",
        "the largest score of most queries lies outside these ranges",
        scope="independent normal entries of variance 1, 100 queries and 100 keys, untrained",
        control="The drawn vectors could be too large: the unscaled scores have the standard "
        "deviation {deviation_512}, which is √512. A normal distribution has 2.8% outside 2.2 "
        "standard deviations.",
        stands=lambda n: (
            n.largest > 60
            and n.largest_scaled > 3
            and min(n.outside, n.outside_scaled) > 0.01
            and n.rows_outside > 0.5
            and abs(n.deviation_512 - D_K**0.5) < 0.2
        ),
    ),
    claim(
        10,
        "For queries and keys of variance 1, the variance of a score is d_k; dividing by √d_k "
        "makes it 1.",
        "Variance of independent entries divided by d_k: {variance_16} at 16 and {variance_1024} "
        "at 1024. At 512 with entries correlated by {correlation}: {variance_correlated}; with a "
        "mean of {mean}: {variance_shifted}.",
        "holds if",
        "entries are also independent of each other and have mean 0",
        scope="random normal queries and keys, widths from 16 to 1,024, untrained",
        control="The width itself could change the ratio: with independent entries it is 1 at "
        "both ends. For correlated entries the formula gives {expected_correlated} times d_k.",
        stands=lambda n: (
            max(abs(n.variance_16 - 1), abs(n.variance_1024 - 1)) < 0.1
            and n.variance_correlated > 10
            and n.variance_shifted > 1.2
        ),
    ),
]


def independent(rng: torch.Generator, d_k: int, tokens: int = TOKENS) -> Tensor:
    return torch.randn(tokens, d_k, generator=rng)


def correlated(rng: torch.Generator, d_k: int) -> Tensor:
    """Entries of mean 0 and variance 1, each two of them correlated by CORRELATION."""
    shared = torch.randn(TOKENS, 1, generator=rng)
    return math.sqrt(1 - CORRELATION) * independent(rng, d_k) + math.sqrt(CORRELATION) * shared


def shifted(rng: torch.Generator, d_k: int) -> Tensor:
    """Independent entries of variance 1 and mean MEAN."""
    return independent(rng, d_k) + MEAN


def scores(draw: Draw, d_k: int, seed: int) -> Tensor:
    """Unscaled scores. [repeats, queries, keys]"""
    rng = torch.Generator().manual_seed(seed)
    return torch.stack([draw(rng, d_k) @ draw(rng, d_k).T for _ in range(REPEATS)])


def variance_over_width(draw: Draw, d_k: int, seed: int) -> float:
    return scores(draw, d_k, seed).var().item() / d_k


def extremes(seed: int) -> dict[str, float]:
    """The 10,000 scores of one set of queries and keys."""
    rng = torch.Generator().manual_seed(seed)
    raw = independent(rng, D_K) @ independent(rng, D_K).T  # [queries, keys]
    size, scaled = raw.abs(), raw.abs() / math.sqrt(D_K)
    return {
        "largest": size.max().item(),
        "largest_scaled": scaled.max().item(),
        "outside": (size > 50).float().mean().item(),
        "outside_scaled": (scaled > 2.2).float().mean().item(),
        # queries whose largest score lies above the range: that is what a softmax cares for
        "rows_outside": (raw.amax(dim=-1) / math.sqrt(D_K) > 2.2).float().mean().item(),
    }


def oneself(seed: int) -> float:
    """Mean scaled score of a vector with itself."""
    x = independent(torch.Generator().manual_seed(seed), D_K)
    return (x.square().sum(dim=-1) / math.sqrt(D_K)).mean().item()


def within_rows(seed: int) -> float:
    """Variance, over d_k, of the scores of one query with many keys that share a mean.

    The mean adds the same number to a whole row, which the softmax does not feel.
    """
    return scores(shifted, D_K, seed).var(dim=-1).mean().item() / D_K


def measure() -> tuple[Numbers, Series]:
    tops = [extremes(seed) for seed in SEEDS]
    formats = {"largest": ".0f", "largest_scaled": ".1f", "outside": ".1%", "outside_scaled": ".1%"}
    formats["rows_outside"] = ".0%"
    numbers = {key: number([top[key] for top in tops], fmt) for key, fmt in formats.items()}
    numbers |= {"correlation": number(CORRELATION, "g"), "mean": number(MEAN, "g")}
    numbers["expected_correlated"] = number(1 + (D_K - 1) * CORRELATION**2, ".1f")
    numbers["oneself"] = number([oneself(seed) for seed in SEEDS], ".1f")
    numbers["variance_rows"] = number([within_rows(seed) for seed in SEEDS], ".2f")
    for name, draw in {"correlated": correlated, "shifted": shifted}.items():
        found = [variance_over_width(draw, D_K, seed) for seed in SEEDS]
        numbers[f"variance_{name}"] = number(found, ".1f" if name == "correlated" else ".2f")
    deviations: dict[str, list[list[float]]] = {"unscaled": [], "scaled": []}
    for seed in SEEDS:
        found = [scores(independent, d_k, seed).std().item() for d_k in WIDTHS]
        deviations["unscaled"].append(found)
        deviations["scaled"].append(
            [one / math.sqrt(d_k) for one, d_k in zip(found, WIDTHS, strict=True)]
        )
    for at, d_k in enumerate(WIDTHS):
        sample = [row[at] for row in deviations["unscaled"]]
        numbers[f"deviation_{d_k}"] = number(sample, ".2f")
        numbers[f"variance_{d_k}"] = number([one**2 / d_k for one in sample], ".3f")
    return numbers, {"widths": WIDTHS, "deviations": deviations}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
