"""Claim 73: what each part buys in bits a byte, when it is taken away."""

from dataclasses import replace

from lm_arms import FULL, SCOPE, SEEDS, compared
from measurements import Numbers, Series, run_and_save
from verdicts import claim

KINDS = {
    "no_attention": replace(FULL, attention="none"),
    "mean": replace(FULL, attention="mean"),
    "no_residual": replace(FULL, residual=False),
    "no_norm": replace(FULL, norm=False),
    "no_mlp": replace(FULL, mlp=False),
    "no_mask": replace(FULL, causal=False),
}
CLAIMS = [
    claim(
        73,
        "Without the causal mask a language model trains to a low loss and predicts nothing.",
        "Trained without the mask, it reports {no_mask_reported} a byte on test text that it sees "
        "whole, and needs {no_mask} when it sees only what came before; with the mask {full}.",
        "holds if",
        "a model that is hardly better than guessing by frequency is said to predict nothing",
        scope=SCOPE,
        control="It is not a better model: the same weights, given only what came before, need "
        "{no_mask}. Its learning rate is the best of four, as is that of the model with the mask.",
        stands=lambda n: n.no_mask_reported < n.full - 0.5 and n.no_mask > n.full + 0.5,
    ),
]


def measure() -> tuple[Numbers, Series]:
    return compared(KINDS)


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
