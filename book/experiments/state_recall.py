"""Claim 79: how many pairs of a key and a value a state of fixed size gives back.

First random keys and values; then one trained layer of each kind. All keys of a sequence differ.
The rates, and the map of keys, were chosen on other seeds by the loss: the map for the linear
kind, the rates with the middle d_k.
"""

from collections.abc import Callable, Sequence

import torch
from measurements import Numbers, Series, number, run_and_save
from recall import Params
from state_counting import RULES, bend, kept, orthogonal_pairs, random_pairs
from state_model import D_V, KINDS, average_loss, right, train
from state_tasks import VALUES, Batch, any_count, pairs
from state_tuning import chosen, key, of_rates
from verdicts import claim

SEEDS = range(5)
WIDTHS, MIDDLE = (8, 16, 32), 16
COUNTS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
MORE_COUNTS = (*COUNTS, 192, 256, 384, 512, 768)
RATES = (0.01, 0.02, 0.04, 0.08, 0.16)
STEPS, BATCH, QUESTIONS = 800, 16, 4096
ENOUGH = 0.9
PARTS = (0.25, 0.5, 1, 2, 4, 8)  # of d_k: numbers of random pairs
VALUE_WIDTHS = (8, 32, 128)
STATES = KINDS[:-1]
TRAINED = (
    "one layer of one head, d_v 32, 256 keys, 32 values, 4 to 128 pairs in training, 800 steps of "
    "Adam"
)
CLAIMS = [
    claim(
        79,
        "Linear attention cannot give back more than d_k pairs without errors.",
        "With {middle} orthogonal keys, which are as many as d_k allows, the mean squared error is "
        "{error_orthogonal} for values of length 1. With twice as many random keys the state with "
        "the least error of all has {error_best_2}, and the sum of all writes {error_linear_2}. "
        "The nearest of {values} values is then still right for {right_best_2} and "
        "{right_linear_2}.",
        "holds if",
        "the value itself is wanted and not the nearest of a few",
        scope="random keys and values of length 1, d_k 16, d_v 32, without training",
        control="The rule of writing is not the cause: no state of this size has a lesser error "
        "than the best one. Up to d_k random keys its error is {error_best_1}.",
        stands=lambda n: (
            n.right_orthogonal == 1
            and max(n.error_orthogonal, n.error_best_1) < 1e-4
            and n.error_best_2 > 0.4
            and n.right_best_2 > 0.85
        ),
    ),
    claim(
        79,
        "The number of pairs that linear attention can recall is limited by d_k.",
        "A trained layer has {enough} of the answers right up to {bend_linear_8} pairs with d_k 8, "
        "{bend_linear_16} with 16 and {bend_linear_32} with 32. With all other kinds of state it "
        "is about the same.",
        "holds if",
        "a limit that grows with d_k is meant, here of about two pairs for each dimension of a key",
        scope=f"{TRAINED}, d_k 8 to 32",
        control="The training does not set the limit: softmax has {right_softmax_8_128} right with "
        "{most} pairs and d_k 8. d_k is not alone: with random keys of {middle} numbers the limit "
        "is {random_bend_16_8} pairs with d_v 8 and {random_bend_16_128} with d_v 128.",
        stands=lambda n: (
            all(
                1.3 < times < 3
                for times in (n.times_linear_8, n.times_linear_16, n.times_linear_32)
            )
            and n.right_softmax_8_128 > 0.99
            and n.random_bend_16_128 > 2 * n.random_bend_16_8
        ),
    ),
    claim(
        79,
        "With the delta rule a state of the same size recalls more pairs.",
        "With d_k {middle} a trained layer has {enough} right up to {bend_delta_16} pairs with the "
        "delta rule, {bend_linear_16} without, {bend_gated_16} with a gate and "
        "{bend_gated_delta_16} with both. Without training, with as many random keys as d_k, the "
        "delta rule has {right_delta_1} right and the sum {right_linear_1}.",
        "false",
        "where no key comes twice",
        scope=f"{TRAINED}, d_k 16",
        control="Both have the best of the same rates. The delta rule does what it is made for: "
        "without training its squared error is {error_delta_1} and that of the sum "
        "{error_linear_1}.",
        stands=lambda n: (
            n.bend_delta_16 < 1.15 * n.bend_linear_16
            and n.right_delta_1 < n.right_linear_1
            and n.error_delta_1 < n.error_linear_1
        ),
    ),
]


def drawn(rng: torch.Generator) -> Batch:
    return pairs(rng, BATCH, any_count(rng, COUNTS[0], COUNTS[-1]))


def tests() -> list[Batch]:
    rng = torch.Generator().manual_seed(60_000)
    return [pairs(rng, QUESTIONS // count, count) for count in COUNTS]


def trainer(kind: str, shape: str, d_k: int) -> Callable[[Sequence[float], Sequence[int]], Params]:
    return lambda rates, seeds: train(kind, shape, d_k, rates, seeds, drawn, STEPS)


def choices() -> tuple[str, dict[str, float], Numbers]:
    """The map of keys, and the rate of each kind."""
    best: dict[tuple[str, str], tuple[float, float]] = {}
    for kind, shape in (("linear", "identity"), ("linear", "relu"), ("softmax", "")):
        best[kind, shape] = choice(kind, shape)
    shape = min(("identity", "relu"), key=lambda one: best["linear", one][1])
    rates = {kind: (best.get((kind, shape)) or choice(kind, shape))[0] for kind in STATES}
    rates["softmax"] = best["softmax", ""][0]
    losses = {f"loss_{one}": number(best["linear", one][1], ".2f", "nats")
              for one in ("identity", "relu")}  # fmt: skip
    return shape, rates, losses | {"map": number(shape)} | of_rates(RATES, rates)


def choice(kind: str, shape: str) -> tuple[float, float]:
    batches = tests()
    return chosen(
        RATES, trainer(kind, shape, MIDDLE), lambda m: average_loss(m, kind, shape, batches)
    )


def by_count(kind: str, shape: str, d_k: int, rate: float) -> list[list[float]]:
    """Share of right answers of trained models: [seeds][counts]."""
    models = trainer(kind, shape, d_k)([rate] * len(SEEDS), SEEDS)
    shares = [right(models, kind, shape, [batch]).mean(dim=1) for batch in tests()]
    return torch.stack(shares, dim=1).tolist()


def of_random_pairs() -> tuple[Numbers, Series]:
    """Rules of writing, for numbers of pairs that are parts of d_k."""
    counts = [int(part * MIDDLE) for part in PARTS]
    numbers: Numbers = {}
    series: Series = {"parts": list(PARTS), "random_right": {}, "random_error": {}}
    for rule in RULES:
        found = [[kept(rule, *random_pairs(seed, count, MIDDLE, D_V)) for count in counts]
                 for seed in SEEDS]  # fmt: skip
        for at, name, fmt in ((0, "right", ".0%"), (1, "error", ".2f")):
            series[f"random_{name}"][rule] = [[one[at] for one in row] for row in found]
            for place, part in enumerate(PARTS):
                of_seeds = [row[place][at] for row in found]
                numbers[f"{name}_{rule}_{str(part).replace('.', '')}"] = number(of_seeds, fmt)
    exact = [kept("linear", *orthogonal_pairs(seed, MIDDLE, D_V)) for seed in SEEDS]
    numbers["right_orthogonal"] = number([share for share, _ in exact], ".0%")
    numbers["error_orthogonal"] = number([error for _, error in exact], ".0e")
    return numbers, series


def of_value_widths() -> Numbers:
    """Up to how many random pairs the linear rule is right, by d_v and by d_k."""
    numbers = {}
    for d_k, d_v in [(MIDDLE, d_v) for d_v in VALUE_WIDTHS] + [(d_k, D_V) for d_k in WIDTHS]:
        bends = []
        for seed in SEEDS:
            found = [kept("linear", *random_pairs(seed, count, d_k, d_v))[0]
                     for count in MORE_COUNTS]  # fmt: skip
            bends.append(bend(MORE_COUNTS, found, ENOUGH))
        numbers[f"random_bend_{d_k}_{d_v}"] = number(bends, ".0f")
    return numbers


def measure() -> tuple[Numbers, Series]:
    shape, rates, numbers = choices()
    counted, series = of_random_pairs()
    numbers |= counted | of_value_widths()
    numbers |= {"values": number(VALUES, "d"), "d_v": number(D_V, "d"),
                "middle": number(MIDDLE, "d"),
                "steps": number(STEPS, ",d"), "enough": number(ENOUGH, ".0%"),
                "most": number(COUNTS[-1], "d")}  # fmt: skip
    series |= {"counts": list(COUNTS), "right": {}}
    for kind in KINDS:
        for d_k in WIDTHS:
            found = by_count(kind, shape if kind in STATES else "", d_k, rates[kind])
            series["right"][f"{kind} {d_k}"] = found
            numbers |= of_kind(f"{key(kind)}_{d_k}", d_k, found)
    return numbers, series


def of_kind(name: str, d_k: int, found: list[list[float]]) -> Numbers:
    bends = [bend(COUNTS, shares, ENOUGH) for shares in found]
    numbers = {f"right_{name}_{count}": number([row[at] for row in found], ".0%")
               for at, count in enumerate(COUNTS) if count in (8, 16, 32, 64, 128)}  # fmt: skip
    return numbers | {f"bend_{name}": number(bends, ".0f"),
                      f"times_{name}": number([one / d_k for one in bends], ".1f")}  # fmt: skip


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
