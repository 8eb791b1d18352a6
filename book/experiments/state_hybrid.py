"""Claim 81: four layers that recall more pairs than d_k, all or one or none of them softmax.

The rate of each arrangement was chosen on another seed by the loss.
"""

import torch
from measurements import Numbers, Series, number, run_and_save
from recall import Params
from state_layers import ASKED, D_K, Sequences, losses, right, sequences, train
from state_model import D_V
from state_tasks import any_count
from state_tuning import OTHERS, chosen, key, of_rates
from verdicts import claim

SEEDS = range(5)
FULL, FIXED = "softmax", "gated delta"
ARRANGEMENTS = {
    "one gated delta": (FIXED,),
    "four gated delta": (FIXED,) * 4,
    "softmax first": (FULL, FIXED, FIXED, FIXED),
    "softmax last": (FIXED, FIXED, FIXED, FULL),
    "four softmax": (FULL,) * 4,
}
COUNTS = (4, 8, 16, 32, 64)
RATES = (0.003, 0.006, 0.012, 0.024, 0.048)
STEPS, BATCH, TESTED = 1000, 8, 128
LONG, BYTES = 4096, 2  # tokens, and of a number in a cache


CLAIMS = [
    claim(
        81,
        "With one softmax layer in four, a model recalls as well as with four.",
        "With {pairs} pairs and d_k {d_k}, four layers of softmax have {right_four_softmax_64} of "
        "the answers right, three of gated delta and one of softmax {right_softmax_first_64} when "
        "that is the first one and {right_softmax_last_64} when it is the last, and four of gated "
        "delta {right_four_gated_delta_64}. After {long} tokens the models with one layer of "
        "softmax keep {part} of the bytes of four.",
        "holds",
        scope="four layers of one head, 64 wide, no MLP, a pair at one position, one lookup for an "
        "answer, 1,000 steps of Adam",
        control="Layers alone do not do it: one layer of gated delta has "
        "{right_one_gated_delta_64} right, and four such layers little more. Each arrangement has "
        "the best of the same rates.",
        stands=lambda n: (
            min(n.right_softmax_first_64, n.right_softmax_last_64) > n.right_four_softmax_64 - 0.02
            and n.right_four_softmax_64 > 0.97
            and n.right_four_gated_delta_64 < 0.6
            and n.right_four_gated_delta_64 < n.right_one_gated_delta_64 + 0.15
        ),
    ),
]


def drawn(rng: torch.Generator) -> Sequences:
    return sequences(rng, BATCH, any_count(rng, COUNTS[0], COUNTS[-1]))


def tests() -> list[Sequences]:
    rng = torch.Generator().manual_seed(62_000)
    return [sequences(rng, TESTED, count) for count in COUNTS]


@torch.no_grad()
def average_loss(models: Params, kinds: tuple[str, ...]) -> torch.Tensor:
    return torch.stack([losses(models, kinds, batch) for batch in tests()]).mean(dim=0)


def kept_bytes(kinds: tuple[str, ...], length: int) -> int:
    """Of the keys and values, or the state, of all layers after so many tokens."""
    each = {FULL: length * (D_K + D_V), FIXED: D_K * D_V}
    return BYTES * sum(each[kind] for kind in kinds)


def of_arrangement(kinds: tuple[str, ...]) -> tuple[float, list[list[float]]]:
    """The rate, and the share of right answers: [seeds][counts]."""
    rate, _ = chosen(
        RATES,
        lambda rates, seeds: train(kinds, rates, seeds, drawn, STEPS),
        lambda models: average_loss(models, kinds),
        OTHERS[:1],
    )
    models = train(kinds, [rate] * len(SEEDS), SEEDS, drawn, STEPS)
    return rate, torch.stack([right(models, kinds, batch) for batch in tests()], dim=1).tolist()


def measure() -> tuple[Numbers, Series]:
    rates: dict[str, float] = {}
    series: Series = {"counts": list(COUNTS), "right": {}, "bytes": {}}
    numbers: Numbers = {"d_k": number(D_K, "d"), "pairs": number(COUNTS[-1], "d"),
                        "long": number(LONG, ",d"), "asked": number(ASKED, "d"),
                        "steps": number(STEPS, ",d")}  # fmt: skip
    for name, kinds in ARRANGEMENTS.items():
        rates[name], shares = of_arrangement(kinds)
        series["right"][name] = shares
        series["bytes"][name] = kept_bytes(kinds, LONG)
        numbers[f"bytes_{key(name)}"] = number(kept_bytes(kinds, LONG), ",d", "bytes")
        for at, count in enumerate(COUNTS):
            of_seeds = [row[at] for row in shares]
            numbers[f"right_{key(name)}_{count}"] = number(of_seeds, ".0%")
    part = series["bytes"]["softmax last"] / series["bytes"]["four softmax"]
    numbers["part"] = number(part, ".1%")
    return numbers | of_rates(RATES, rates), series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
