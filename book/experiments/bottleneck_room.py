"""Claim 1, continued: is the one vector too small, or is it hard to learn to use?

The copier without attention of `bottleneck_recall.py`, as it is there, once narrower, once wider,
once trained for longer. If the vector had too little room, width would help and training would not.

The learning rates were chosen on seed 100: 20 thousandths, of 2.5, 5, 10 and 20, for the narrow
model; 2.5, of 1.25, 2.5, 5, 10 and 20, for the wide one. The middle one has the rate of
`bottleneck_recall.py`, and so have the long runs.
"""

import math

from bottleneck_recall import (
    PEAK,
    STEPS,
    SYMBOLS,
    TESTED,
    TRAINED,
    WIDTHS,
    Copier,
    parameters,
    score,
    train,
)
from measurements import Numbers, Series, claim, number, run_and_save

SEEDS = range(5)
MORE = 4
LENGTHS = (2, 4, 6, 8, 10, 12, 14, TRAINED)
WIDTH = WIDTHS["fixed"]
RUNS = {  # name: width, steps, learning rate
    "base": (WIDTH, STEPS, PEAK),
    "narrow": (WIDTH // 2, STEPS, 2e-2),
    "wide": (WIDTH * 2, STEPS, 2.5e-3),
    "long": (WIDTH, MORE * STEPS, PEAK),
}
LIMIT = 32 * WIDTH / math.log2(SYMBOLS)  # symbols: the sequences of more outnumber the vectors

CLAIMS = [
    claim(
        1,
        "A vector of fixed size has too little room for arbitrarily long sequences.",
        "Exact copies of 8 symbols: {base_8} at width {width_base}, {wide_8} at twice the width "
        "({parameters_wide} parameters instead of {parameters_base}), {long_8} at the same width "
        "after {more} times as many steps. By counting, of all sequences of more than {limit} "
        "symbols at least two share a vector of {width_base} float32.",
        "holds if",
        "the sequences are longer than that; at eight symbols training was missing, and not room",
        stands=lambda n: (
            n.long_8 > n.base_8 + 0.3 and n.long_8 > n.wide_8 + 0.2 and n.limit > 10 * TRAINED
        ),
    )
]


def runs_of(width: int, steps: int, peak: float) -> list[list[float]]:
    """Share of sequences copied correctly: a list over seeds of lists over `LENGTHS`."""
    scored = [score(train(width, False, seed, steps, peak), seed)["exact"] for seed in SEEDS]
    return [[exact[TESTED.index(length)] for length in LENGTHS] for exact in scored]


def numbers_of(exact: dict[str, list[list[float]]]) -> Numbers:
    numbers = {
        "more": number(MORE, "d"),
        "bits_needed": number(TRAINED * math.log2(SYMBOLS), ".0f"),
        "bits_there": number(32 * WIDTH, ",d"),  # of float32
        "limit": number(LIMIT, ",.0f"),
    }
    for name, runs in exact.items():
        width, steps, _ = RUNS[name]
        numbers[f"width_{name}"] = number(width, "d")
        numbers[f"steps_{name}"] = number(steps, ",d")
        numbers[f"parameters_{name}"] = number(parameters(Copier(width, False)), ",d")
        for at, length in enumerate(LENGTHS):
            numbers[f"{name}_{length}"] = number([run[at] for run in runs], ".0%")
    return numbers


def measure() -> tuple[Numbers, Series]:
    exact = {}
    for name, run in RUNS.items():
        exact[name] = runs_of(*run)
        print(name, exact[name], flush=True)
    return numbers_of(exact), {"lengths": LENGTHS, "exact": exact}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
