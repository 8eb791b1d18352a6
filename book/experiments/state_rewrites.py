"""Claim 80: keys that come twice, each time with another value; the newest value is asked for.

One trained layer of each kind. Softmax knows no order, so it is also given a learned bias by
distance. The rates were chosen on other seeds by the loss, the map of keys in `state_recall.py`.
"""

from collections.abc import Callable, Sequence

import torch
from measurements import Numbers, Series, load, number, run_and_save
from recall import Params
from state_model import KINDS, average_loss, gates, right, train
from state_tasks import VALUES, Batch, any_count, first_values, rewritten
from state_tuning import chosen, key, of_rates
from verdicts import claim

SEEDS = range(5)
D_K = 16
COUNTS = (4, 8, 16, 32)  # keys, each of which comes twice
RATES = (0.01, 0.02, 0.04, 0.08)
STEPS, BATCH, QUESTIONS = 800, 16, 4096
WITHOUT, WITH = "softmax", "softmax with a bias"
LABELS = (*KINDS, WITH)


SCOPE = (
    "one layer of one head, d_k 16, d_v 32, 256 keys, 32 values, 4 to 32 keys that come twice, 800 "
    "steps of Adam"
)
CLAIMS = [
    claim(
        80,
        "The delta rule replaces what was written with a key before.",
        "With 8 keys that come twice, {right_delta_8} of the answers are the newest value with the "
        "delta rule and {right_linear_8} without, and {old_delta_8} and {old_linear_8} are the old "
        "one. With 16 keys the delta rule has {right_delta_16} right, with 32 {right_delta_32}.",
        "holds if",
        "there are no more keys than d_k",
        scope=SCOPE,
        control="The order has to be known: softmax, which does not know it, has "
        "{right_softmax_8} right with 8 keys, and with a learned bias by distance "
        "{right_softmax_with_a_bias_8}.",
        stands=lambda n: (
            n.right_delta_8 > 0.95
            and 0.85 < n.right_delta_16 < 0.95
            and n.right_delta_32 < 0.8
            and n.right_linear_8 < 0.55
            and n.right_softmax_8 < 0.55
        ),
    ),
    claim(
        80,
        "A gate on the state and the delta rule complement each other.",
        "With 8 keys that come twice, the gate alone has {right_gated_8} right, the delta rule "
        "alone {right_delta_8} and both together {right_gated_delta_8}. With 32 keys it is "
        "{right_gated_32}, {right_delta_32} and {right_gated_delta_32}.",
        "false",
        "where all that has to be forgotten is the old value of a key",
        scope=SCOPE,
        control="Alone, the gate is used: the mean decay is {decay_gated}. Beside the delta rule "
        "it stays at {decay_gated_delta}. Without both, {right_linear_8} are right. "
        "All kinds have the best of the same rates.",
        stands=lambda n: (
            abs(n.right_gated_delta_8 - n.right_delta_8) < 0.03
            and abs(n.right_gated_delta_32 - n.right_delta_32) < 0.05
            and n.right_linear_8 + 0.1 < n.right_gated_8 < n.right_delta_8 - 0.1
        ),
    ),
]


def drawn(rng: torch.Generator) -> Batch:
    return rewritten(rng, BATCH, any_count(rng, COUNTS[0], COUNTS[-1]))


def tests() -> list[Batch]:
    rng = torch.Generator().manual_seed(61_000)
    return [rewritten(rng, QUESTIONS // count, count) for count in COUNTS]


def kind_and_shape(label: str) -> tuple[str, str]:
    if label in (WITHOUT, WITH):
        return "softmax", "bias" if label == WITH else ""
    return label, load("state_recall")["numbers"]["map"]["value"]


def trainer(label: str) -> Callable[[Sequence[float], Sequence[int]], Params]:
    return lambda rates, seeds: train(*kind_and_shape(label), D_K, rates, seeds, drawn, STEPS)


def of_label(label: str) -> tuple[float, dict[str, list[list[float]]], Numbers]:
    """The rate, shares of newest and of old values [seeds][counts], and what is left of the first
    of 32 positions by the decay alone."""
    kind, shape = kind_and_shape(label)
    batches = tests()
    rate, _ = chosen(RATES, trainer(label), lambda m: average_loss(m, kind, shape, batches))
    models = trainer(label)([rate] * len(SEEDS), SEEDS)
    answers = {"right": batches, "old": [(*b[:3], first_values(b)) for b in batches]}
    shares = {
        name: torch.stack([right(models, kind, shape, [b]).mean(dim=1) for b in asked], 1).tolist()
        for name, asked in answers.items()
    }
    return rate, shares, of_gates(label, models, batches[-1])


@torch.no_grad()
def of_gates(label: str, models: Params, batch: Batch) -> Numbers:
    """The mean decay and write strength, where the kind has them."""
    found: Numbers = {}
    for name, gate in zip(("decay", "beta"), gates(models, label, *batch[:2]), strict=True):
        if gate is not None:
            each = (gate.exp() if name == "decay" else gate).mean(dim=(1, 2))
            found[f"{name}_{key(label)}"] = number(each.mean().item(), ".3f")
    return found


def measure() -> tuple[Numbers, Series]:
    rates: dict[str, float] = {}
    series: Series = {"counts": list(COUNTS), "right": {}, "old": {}}
    numbers: Numbers = {"d_k": number(D_K, "d"), "values": number(VALUES, "d"),
                        "steps": number(STEPS, ",d")}  # fmt: skip
    for label in LABELS:
        rates[label], shares, found = of_label(label)
        numbers |= found
        for name, rows in shares.items():
            series[name][label] = rows
            for at, count in enumerate(COUNTS):
                of_seeds = [row[at] for row in rows]
                numbers[f"{name}_{key(label)}_{count}"] = number(of_seeds, ".0%")
    return numbers | of_rates(RATES, rates), series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
