"""Claim 61: what temperature, top-k and top-p keep of a model that is partly wrong.

The truth is known: in sharp contexts few tokens can come, in flat ones many. The model says the
truth, with a little weight on all other tokens. All probabilities are exact; nothing is drawn.
"""

from typing import Any

import torch
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
VOCABULARY, CONTEXTS, NOISE = 1000, 200, 0.1
SUPPORT = {"sharp": (1, 6), "flat": (100, 301)}  # how many tokens can come
TOP_K, TOP_P, LARGER, COLD = 40, 0.9, 0.95, 0.7
KS = (1, 2, 5, 10, 20, 40, 100, 200, 400, 1000)
PS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0)

CLAIMS = [
    claim(
        61,
        "A fixed top-k keeps too much where few tokens are likely and too little where many are.",
        "A model with {noise} of its weight on wrong tokens. Where 1 to 5 tokens can come, top-k of"
        " {top_k} leaves {k_junk_sharp} of the weight on wrong ones; where 100 to 300 can, it "
        "loses {k_lost_flat} of the truth. Top-p of {top_p} leaves {p_junk_sharp} and loses "
        "{p_lost_flat}. Top-p of {larger} leaves {larger_junk_sharp} in sharp contexts, more than "
        "top-k.",
        "holds if",
        "top-p is compared at a value that is not above the share of the weight that is right",
        scope="a made-up model of 1,000 tokens with a tenth of its weight on wrong ones, computed "
        "without drawing",
        control="No other k does as well: of ten values from 1 to 1,000, none is as good in both "
        "contexts as top-p of {top_p}. The kind of rule is not enough: top-p of {larger} is worse "
        "than top-k in sharp contexts.",
        stands=lambda n: (
            n.k_junk_sharp > 3 * n.p_junk_sharp
            and n.k_lost_flat > 3 * n.p_lost_flat
            and n.larger_junk_sharp > n.k_junk_sharp
        ),
    ),
]


def contexts(kind: str, seed: int) -> Tensor:
    """True distributions [contexts, vocabulary], with a Zipf-like fall."""
    rng = torch.Generator().manual_seed(seed)
    low, high = SUPPORT[kind]
    size = torch.randint(low, high, (CONTEXTS, 1), generator=rng)
    rank = torch.rand(CONTEXTS, VOCABULARY, generator=rng).argsort(dim=-1)
    weight = (rank < size) / (rank + 1.0).sqrt().double()
    return weight / weight.sum(dim=-1, keepdim=True)


def model_of(truth: Tensor, seed: int) -> Tensor:
    """The truth, and NOISE spread unevenly over all tokens."""
    rng = torch.Generator().manual_seed(seed + 100)
    noise = torch.rand(truth.shape, generator=rng, dtype=torch.float64)
    return (1 - NOISE) * truth + NOISE * noise / noise.sum(dim=-1, keepdim=True)


def kept(probs: Tensor, temperature: float = 1.0, top_k: int = VOCABULARY, top_p: float = 1.0
         ) -> Tensor:  # fmt: skip
    """Probabilities of the next token after all three, in this order."""
    warm = (probs.log() / temperature).softmax(dim=-1)
    ordered, tokens = warm.sort(dim=-1, descending=True, stable=True)
    ordered[:, top_k:] = 0
    ordered /= ordered.sum(dim=-1, keepdim=True)
    ordered[ordered.cumsum(dim=-1) - ordered >= top_p] = 0
    result = torch.zeros_like(probs).scatter_(-1, tokens, ordered)
    return result / result.sum(dim=-1, keepdim=True)


def junk(after: Tensor, truth: Tensor) -> float:
    """Weight on tokens that cannot come."""
    return (after * (truth == 0)).sum(dim=-1).mean().item()


def lost(after: Tensor, truth: Tensor) -> float:
    """Weight, in truth, of tokens that no longer come."""
    return (truth * (after == 0)).sum(dim=-1).mean().item()


def moved(after: Tensor, truth: Tensor) -> float:
    return (after - truth).abs().sum(dim=-1).mean().item() / 2


def count(after: Tensor) -> float:
    return (after > 0).double().sum(dim=-1).mean().item()


WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "k": {"top_k": TOP_K},
    "p": {"top_p": TOP_P},
    "larger": {"top_p": LARGER},
    "cold": {"temperature": COLD},
    "both": {"temperature": COLD, "top_p": TOP_P},
}


def of_kind(kind: str) -> Numbers:
    numbers: Numbers = {}
    truths = [contexts(kind, seed) for seed in SEEDS]
    models = [model_of(truth, seed) for seed, truth in zip(SEEDS, truths, strict=True)]
    for way, arguments in WAYS.items():
        after = [kept(model, **arguments) for model in models]
        pairs = [*zip(after, truths, strict=True)]
        for what in (junk, lost, moved):
            key = f"{way}_{what.__name__}_{kind}"
            numbers[key] = number([what(*pair) for pair in pairs], ".1%")
        numbers[f"{way}_count_{kind}"] = number([count(x) for x in after], ".0f")
    return numbers


def frontier(kind: str) -> dict[str, list[list[float]]]:
    """Weight on wrong tokens and truth lost, means over seeds, along top-k and along top-p."""
    ways: dict[str, list[dict[str, Any]]] = {
        "top-k": [{"top_k": k} for k in KS],
        "top-p": [{"top_p": p} for p in PS],
    }
    found: dict[str, list[list[float]]] = {}
    for name, settings in ways.items():
        rows = []
        for setting in settings:
            pairs = [(kept(model_of(t, s), **setting), t)
                     for s, t in ((s, contexts(kind, s)) for s in SEEDS)]  # fmt: skip
            rows.append([sum(what(*pair) for pair in pairs) / len(pairs) for what in (junk, lost)])
        found[name] = rows
    return found


def measure() -> tuple[Numbers, Series]:
    numbers = {
        "noise": number(NOISE, ".0%"),
        "vocabulary": number(VOCABULARY, ",.0f"),
        "top_k": number(TOP_K, ".0f"),
        "top_p": number(TOP_P, ".1f"),
        "larger": number(LARGER, ".2f"),
        "cold": number(COLD, ".1f"),
    }
    for kind in SUPPORT:
        numbers |= of_kind(kind)
    numbers["cold_kept"] = number(numbers["cold_count_sharp"]["value"], ",.0f")
    return numbers, {"k": KS, "p": PS, "frontier": {kind: frontier(kind) for kind in SUPPORT}}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
