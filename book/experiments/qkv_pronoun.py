"""Claim 27: could "it" attend to one noun because of a later adjective, as it is often drawn?

Not a trained model: what is asked holds for every setting of the weights, so random ones will do.
Two sentences differ in their last word; how do the odds of the two nouns, seen from "it", differ?
"""

import math

import torch
from measurements import Numbers, Series, claim, number, run_and_save
from torch import Tensor
from torch.nn import functional as F

SEEDS = range(5)
SENTENCE = ["the", "crate", "would", "not", "go", "through", "the", "hatch"]
SENTENCE += ["because", "it", "was", "too"]
ENDINGS = ("wide", "narrow")  # one makes "it" the crate, the other the hatch
NOUNS, IT = (SENTENCE.index("crate"), SENTENCE.index("hatch")), SENTENCE.index("it")
D_MODEL, DEPTHS = 32, (1, 2, 3, 4)
VOCABULARY = sorted({*SENTENCE, *ENDINGS})

CLAIMS = [
    claim(
        27,
        "“it” attends to one noun because of a later word: “mat” because of “soft”, “animal” "
        "because of “tired”.",
        "The documents draw weights that no model produced. In one layer that reads word vectors, "
        "swapping the last word changes the odds between the two nouns by a factor of {odds_1} "
        "(1 is no change), whatever the weights are. In the second layer, with random weights, "
        "they change by a factor of {odds_2} in one direction or the other (counted so that it is "
        "never below 1). Under a causal mask, four layers deep, by {causal_odds_4}: the word comes "
        "too late.",
        "illustration",
        stands=lambda n: abs(n.odds_1 - 1) < 1e-9 and abs(n.causal_odds_4 - 1) < 1e-9,
    )
]


def embed(sentence: list[str], seed: int) -> Tensor:
    """Random word vectors plus random positions, float64. [length, d_model]"""
    rng = torch.Generator().manual_seed(seed)
    words = torch.randn(len(VOCABULARY), D_MODEL, generator=rng, dtype=torch.float64)
    places = torch.randn(len(sentence), D_MODEL, generator=rng, dtype=torch.float64)
    return words[[VOCABULARY.index(word) for word in sentence]] + places


def weights_by_layer(x: Tensor, seed: int, causal: bool) -> list[Tensor]:
    """The weights of four layers with random projections. Each [queries, keys]"""
    rng, found = torch.Generator().manual_seed(1000 + seed), []
    visible = torch.ones(len(x), len(x)).tril().bool()
    for _ in DEPTHS:
        shape = (3, D_MODEL, D_MODEL)
        made = torch.randn(shape, generator=rng, dtype=x.dtype) / math.sqrt(D_MODEL)
        query, key, value = F.layer_norm(x, (D_MODEL,)) @ made  # each [length, d_model]
        scores = query @ key.mT / math.sqrt(D_MODEL)
        found.append((scores.masked_fill(~visible, -math.inf) if causal else scores).softmax(-1))
        x = x + found[-1] @ value  # residual
    return found


def odds_factors(seed: int, causal: bool) -> list[float]:
    """By which factor, never below 1, the last word changes the odds of the nouns, by layer."""
    crate, hatch = NOUNS
    odds = []
    for ending in ENDINGS:
        layers = weights_by_layer(embed([*SENTENCE, ending], seed), seed, causal)
        odds.append([(w[IT, crate] / w[IT, hatch]).item() for w in layers])
    return [max(a / b, b / a) for a, b in zip(*odds, strict=True)]


def measure() -> tuple[Numbers, Series]:
    numbers = {"seeds": number(float(len(SEEDS)), ".0f")}
    for prefix, causal in (("odds", False), ("causal_odds", True)):
        by_seed = [odds_factors(seed, causal) for seed in SEEDS]
        for at, depth in enumerate(DEPTHS):
            sample = [row[at] for row in by_seed]
            only_rounding = max(sample) < 1 + 1e-12
            numbers[f"{prefix}_{depth}"] = number(1 if only_rounding else sample, ".2f")
        furthest = max(row[0] - 1 for row in by_seed)  # of the first layer: rounding only
        numbers[f"{prefix}_rounding"] = number(furthest, ".0e" if furthest else ".0f")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
