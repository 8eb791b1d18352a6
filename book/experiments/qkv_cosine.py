"""Claim 38: is the cosine of a query and a key their attention score, and does training align them?

The example is repeated: ten random tokens of 768 entries, projections to 64 as torch initialises
them. Then heads of qkv_tied learn recall, where it is known which key a query should find.
"""

import math

import torch
from measurements import Numbers, Series, number, run_and_save
from qkv_tied import BATCH, Head, Task, fit
from torch import Tensor, nn
from torch.nn import functional as F
from verdicts import claim

SEEDS, RANDOM = range(5), range(200)
TOKENS, D_MODEL, D_K = 10, 768, 64
WIDTH, RATE = 12, 0.1  # of the heads: the largest width of qkv_tied, the rate its search starts at

CLAIMS = [
    claim(
        38,
        "The cosine of a query and a key is their attention score.",
        "Before training, the cosine of {d_k}-d queries and keys is {cosine}, over {drawn} seeds: "
        "noise of size 1 / √d_k. The key of the largest cosine gets the largest weight in {agree} "
        "of the rows of ten tokens. A softmax of cosines gives a key among ten at most {bound}.",
        "false",
        "the score depends on the lengths of the vectors, too",
        scope="ten random tokens 768 wide, one head with d_k = 64, untrained",
        control="A factor that is missing from all scores: it would leave the largest cosine the "
        "largest score in every row.",
        stands=lambda n: abs(n.cosine) < 0.03 and n.agree < 0.99,
    ),
    claim(
        38,
        "After training, a query aligns with the keys that it should find.",
        "After training on recall, eight keys, the cosine of a query with its key is {right}. The "
        "head gives that key a weight of {weight}. A softmax of the cosines would give it "
        "{softmax}.",
        "holds",
        scope="recall of eight names, one head with d_k = 12 and frozen embeddings, 600 steps of "
        "Adam",
        control="A query that aligns with all keys: its cosine with the other seven is {wrong}. "
        "The same heads were not measured before training.",
        stands=lambda n: n.right > n.wrong + 0.3 and n.weight > n.softmax + 0.2,
    ),
]


def cosines(query: Tensor, key: Tensor) -> Tensor:
    """[..., queries, keys]"""
    return F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT


def untrained(seed: int) -> tuple[list[float], float]:
    """The two cosines that the example prints; how often the largest is the largest score."""
    torch.manual_seed(seed)
    W_q, W_k = (nn.Linear(D_MODEL, D_K, bias=False) for _ in range(2))
    x = torch.randn(TOKENS, D_MODEL)
    with torch.no_grad():
        query, key = W_q(x), W_k(x)  # [tokens, d_k]
        found = cosines(query, key)
        same = found.argmax(dim=-1) == (query @ key.mT).argmax(dim=-1)
    return found[1, [0, 2]].tolist(), same.float().mean().item()


def trained() -> dict[str, list[float]]:
    """Of heads that learned recall, each an average over queries, one value a seed."""
    task, head = Task("recall", SEEDS), Head("qkv", WIDTH, SEEDS)
    fit(head, lambda: task.batch(BATCH), RATE)
    batch = task.batch(200)
    with torch.no_grad():
        cosine = cosines(batch.queries @ head.W["q"], batch.memory @ head.W["k"])
        weights = head.scores(batch).softmax(dim=-1)  # [seeds, batch, queries, keys]
    count = cosine.size(-1)
    right = cosine.diagonal(dim1=2, dim2=3).mean(dim=(1, 2))  # a query stands where its key stands
    found = {
        "right": right,
        "wrong": (cosine.sum(dim=-1).mean(dim=(1, 2)) - right) / (count - 1),
        "weight": weights.diagonal(dim1=2, dim2=3).mean(dim=(1, 2)),
        "softmax": cosine.softmax(dim=-1).diagonal(dim1=2, dim2=3).mean(dim=(1, 2)),
    }
    return {name: sample.tolist() for name, sample in found.items()}


def measure() -> tuple[Numbers, Series]:
    runs = [untrained(seed) for seed in RANDOM]
    numbers: Numbers = {
        "d_k": number(D_K, "d"),
        "drawn": number(len(RANDOM), "d"),
        "seeds": number(len(SEEDS), "d"),
        "cosine": number([cosine for pair, _ in runs for cosine in pair], ".2f"),
        "expected": number(1 / math.sqrt(D_K), ".3f"),
        "agree": number(sum(share for _, share in runs) / len(runs), ".0%"),
        "bound": number(math.e / (math.e + (TOKENS - 1) / math.e), ".2f"),
    }
    return numbers | {name: number(sample, ".2f") for name, sample in trained().items()}, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
