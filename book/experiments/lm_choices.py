"""Claim 72: what the course's choices buy in bits a byte, each against another choice."""

from dataclasses import replace

from lm_arms import FULL, SCOPE, SEEDS, compared
from measurements import Numbers, Series, number, run_and_save
from verdicts import claim

WINDOW = 8
KINDS = {
    "no_root": replace(FULL, root=False),
    "one_head": replace(FULL, heads=1, kv_heads=1),
    "one_kv": replace(FULL, kv_heads=1),
    "no_positions": replace(FULL, positions="none"),
    "learned": replace(FULL, positions="learned"),
    "alibi": replace(FULL, positions="alibi"),
    "few_keys": replace(FULL, window=WINDOW),
}
CLAIMS = [
    claim(
        72,
        "A causal language model needs no positions: it learns them from the mask.",
        "Without positions {no_positions} a byte, with learned ones {learned}, with ALiBi {alibi}, "
        "with RoPE {full}.",
        "false",
        "since a model with rotated positions needs fewer bits than one without",
        scope=SCOPE,
        control="The learning rate is not the cause: each model has the best of four, and all see "
        "the same batches. Not tried: more training, in which a mask could teach positions, and "
        "whether this model learns positions.",
        stands=lambda n: n.no_positions < n.learned + 0.05 and n.full < n.no_positions - 0.03,
    ),
]


def measure() -> tuple[Numbers, Series]:
    numbers, series = compared(KINDS)
    return {**numbers, "window": number(WINDOW, "d")}, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
