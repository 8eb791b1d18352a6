"""Claim 1, continued: is the one vector too small, or is it hard to learn to use?

The copier without attention of `bottleneck_recall.py`, as it is there, once narrower, once wider,
once trained for longer. If the vector had too little room, width would help and training would not.
"""

import math

from bottleneck_recall import (
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
RUNS = {  # name: width, steps
    "base": (WIDTH, STEPS),
    "narrow": (WIDTH // 2, STEPS),
    "wide": (WIDTH * 2, STEPS),
    "long": (WIDTH, MORE * STEPS),
}

CLAIMS = [
    claim(
        1,
        "… because the context vector has too little room.",
        "Exact copies of 8 symbols: {base_8} at width {width_base}, {wide_8} at twice the width "
        "({parameters_wide} parameters instead of {parameters_base}), {long_8} at the same width "
        "after {more} times as many steps. What fails is learning to use the vector.",
        "false",
        "for eight symbols",
        stands=lambda n: n.long_8 > n.base_8 + 0.3 and n.long_8 > n.wide_8 + 0.2,
    )
]


def runs_of(width: int, steps: int) -> list[list[float]]:
    """Share of sequences copied rightly: a list over seeds of lists over `LENGTHS`."""
    scored = [score(train(width, False, seed, steps), seed)["exact"] for seed in SEEDS]
    return [[exact[TESTED.index(length)] for length in LENGTHS] for exact in scored]


def numbers_of(exact: dict[str, list[list[float]]]) -> Numbers:
    numbers = {
        "more": number(MORE, "d"),
        "bits_needed": number(TRAINED * math.log2(SYMBOLS), ".0f"),
        "bits_there": number(32 * WIDTH, ",d"),  # of float32
    }
    for name, runs in exact.items():
        width, steps = RUNS[name]
        numbers[f"width_{name}"] = number(width, "d")
        numbers[f"steps_{name}"] = number(steps, ",d")
        numbers[f"parameters_{name}"] = number(parameters(Copier(width, False)), ",d")
        for at, length in enumerate(LENGTHS):
            numbers[f"{name}_{length}"] = number([run[at] for run in runs], ".0%")
    return numbers


def measure() -> tuple[Numbers, Series]:
    exact = {}
    for name, (width, steps) in RUNS.items():
        exact[name] = runs_of(width, steps)
        print(name, exact[name], flush=True)
    return numbers_of(exact), {"lengths": LENGTHS, "exact": exact}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
