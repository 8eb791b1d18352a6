"""Claim 27: could "it" attend to one noun because of a later adjective, as it is often drawn?

Not a trained model: what is asked holds for every setting of the weights, so random ones will do.
Two sentences differ in their last word; how do the log-odds of the two nouns, seen from "it",
differ? They are the logarithm of the ratio of the weights that "it" gives to the two: 0 where both
get the same.
"""

import math
import statistics

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

SEEDS = range(200)
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
        "The documents draw weights that no model produced. Random weights, {seeds} seeds: in one "
        "layer that reads word vectors, swapping the last word changes the log-odds of the two "
        "nouns by at most {rounding}, which is rounding. In the second layer it changes them by "
        "{change_2} on average, in either direction, and by {most_2} at most. Under a causal mask, "
        "four layers deep, by {causal_most_4}: the word comes too late.",
        "illustration",
        scope="random weights, one head a layer, up to four layers 32 wide, untrained",
        stands=lambda n: n.rounding < 1e-9 and n.causal_most_4 < 1e-9 and n.most_2 > 0.05,
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


def changes(seed: int, causal: bool) -> list[float]:
    """By how much the last word changes the log-odds of crate and hatch, by layer."""
    log_odds = []
    for ending in ENDINGS:
        layers = weights_by_layer(embed([*SENTENCE, ending], seed), seed, causal)
        log_odds.append([(w[IT, NOUNS[0]].log() - w[IT, NOUNS[1]].log()).item() for w in layers])
    return [wide - narrow for wide, narrow in zip(*log_odds, strict=True)]


def measure() -> tuple[Numbers, Series]:
    numbers = {"seeds": number(len(SEEDS), "d")}
    of_all, of_causal = ([changes(seed, causal) for seed in SEEDS] for causal in (False, True))
    rounding = max(abs(row[0]) for row in of_all)
    numbers["rounding"] = number(rounding, ".0e" if rounding else "d")
    for at, depth in enumerate(DEPTHS[1:], start=1):
        sizes = [abs(row[at]) for row in of_all]
        numbers[f"change_{depth}"] = number(statistics.fmean(sizes), ".2f")
        numbers[f"most_{depth}"] = number(max(sizes), ".2f")
        numbers[f"up_{depth}"] = number(statistics.fmean(row[at] > 0 for row in of_all), ".0%")
    furthest = max(abs(row[-1]) for row in of_causal)
    numbers["causal_most_4"] = number(furthest, ".0e") if furthest else number(0, "d")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
