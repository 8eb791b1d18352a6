"""Claims 4 and 5: what does attention see if embeddings are compared with themselves?

No projections: query = key = value = embedding. First the six 2-d embeddings of a well-known
example, then six random ones, whose score with themselves is their squared length.
"""

import math

import numpy as np
import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
WORDS = ("The", "cat", "sat", "on", "the", "mat")
GIVEN = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.3, 0.3), (1.0, 0.0), (0.0, 1.0))
SAT = 2
DIMENSIONS = (128, 1024)
SENTENCES = 200  # of six random words, for each seed and dimension

CLAIMS = [
    claim(
        4,
        "With the six given 2-d embeddings, “sat” attends to “cat” and “mat”.",
        "“cat” and “mat” get {cat} each, and so do “The”, “the” and “sat” itself; “on” gets {on}.",
        "false",
        "five of the six words have the same score",
        scope="computed for the six given vectors",
        control="The scale of the scores: at {factor} times the scores, “The” and “cat” still tie. "
        "Vectors that allow nothing else: a query of (0, 4) instead of “sat” itself gives “cat” "
        "and “mat” {asked} each.",
        stands=lambda n: n.cat < 0.2 and n.asked > 0.3,
    ),
    claim(
        5,
        "exp(scores) / sum(exp(scores)) of raw 128-d embeddings shows which tokens matter.",
        "A random token gives itself a weight of {self_128}: its score with itself is its squared "
        "length, {score_128}, that with another is 0 on average. Divided by the root of 128, the "
        "scores still leave it {scaled_128}. As written, {nan_float32_128} of the rows hold a NaN "
        "in float32, and at 1024 dimensions {nan_float32_1024} in float32 and {nan_float64_1024} "
        "in float64. A softmax that subtracts the largest score first gives {stable_nan_1024} NaN, "
        "and the token itself {self_1024}.",
        "false",
        "a token gives itself nearly all of its weight",
        scope="sentences of six words, random normal embeddings, untrained",
        control="The words themselves: after separate random projections to 64 dimensions a token "
        "gives itself {separate_128}, and after one projection for both {tied_128}.",
        stands=lambda n: (
            min(n.self_128, n.scaled_128, n.self_1024, n.tied_128) > 0.99
            and n.separate_128 < 0.25
            and n.nan_float32_128 > 0.5
            and n.stable_nan_1024 == 0
        ),
    ),
]


def weights_of_sat(factor: float = 1.0, query: tuple[float, float] | None = None) -> Tensor:
    """Weights of the six words, scores divided by the root of 2 as in the example. [keys]"""
    key = torch.tensor(GIVEN, dtype=torch.float64)  # [keys, d_k]
    asked = key[SAT] if query is None else torch.tensor(query, dtype=torch.float64)
    return (factor * key @ asked / math.sqrt(2)).softmax(dim=-1)


def sentences(seed: int, dimension: int) -> Tensor:
    """Sentences of six random words, float64. [sentences, words, d_model]"""
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(SENTENCES, len(WORDS), dimension, generator=rng, dtype=torch.float64)


def self_weight(x: Tensor, scale: float = 1.0) -> float:
    """Mean weight that a token gives itself, softmax in its stable form."""
    weights = (x @ x.mT / scale).softmax(dim=-1)  # [sentences, queries, keys]
    return weights.diagonal(dim1=1, dim2=2).mean().item()


def nan_rows(x: Tensor, dtype: torch.dtype) -> float:
    """Share of rows that exp(scores) / sum(exp(scores)) turns into NaN."""
    scores = (x @ x.mT).to(dtype).numpy()
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return float(np.isnan(weights).any(axis=-1).mean())


def projected_self_weight(x: Tensor, seed: int, tied: bool) -> float:
    """The same after random projections to 64 dimensions, scaled; W_q = W_k where `tied`."""
    rng, width = torch.Generator().manual_seed(1000 + seed), x.size(-1)
    W_q, W_k = torch.randn(2, width, 64, generator=rng, dtype=x.dtype) / math.sqrt(width)
    query, key = x @ (W_k if tied else W_q), x @ W_k
    weights = (query @ key.mT / 8).softmax(dim=-1)
    return weights.diagonal(dim1=1, dim2=2).mean().item()


def of_dimension(dimension: int) -> Numbers:
    """What happens to random embeddings of one width, over all seeds."""
    samples = [sentences(seed, dimension) for seed in SEEDS]
    root = math.sqrt(dimension)
    squares = [x.square().sum(dim=-1).mean().item() for x in samples]
    found = {
        "score": number(squares, ".1f"),
        "self": number([self_weight(x) for x in samples], ".4f"),
        "scaled": number([self_weight(x, root) for x in samples], ".5f"),
        "stable_nan": number([stable_nan_rows(x) for x in samples], ".1%"),
    }
    for dtype in (torch.float32, torch.float64):
        name = str(dtype).removeprefix("torch.")
        found[f"nan_{name}"] = number([nan_rows(x, dtype) for x in samples], ".1%")
    return {f"{key}_{dimension}": entry for key, entry in found.items()}


def stable_nan_rows(x: Tensor) -> float:
    """The same in float32 with torch's softmax, which subtracts the largest score first."""
    weights = (x.float() @ x.float().mT).softmax(dim=-1)
    return weights.isnan().any(dim=-1).float().mean().item()


def measure() -> tuple[Numbers, Series]:
    weights = weights_of_sat().tolist()
    factor = 100.0
    sharp = weights_of_sat(factor)
    assert sharp[0] == sharp[1], "The and cat tie at any scale"
    numbers = {
        "cat": number(weights[1], ".4f"),
        "on": number(weights[3], ".4f"),
        "factor": number(factor, ".0f"),
        "asked": number(weights_of_sat(query=(0.0, 4.0))[1].item(), ".2f"),
        "seeds": number(float(len(SEEDS)), ".0f"),
    }
    for dimension in DIMENSIONS:
        numbers |= of_dimension(dimension)
    for name, tied in (("tied", True), ("separate", False)):
        sample = [projected_self_weight(sentences(s, 128), s, tied) for s in SEEDS]
        numbers[f"{name}_128"] = number(sample, ".3f")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
