"""Claim 1, continued: is the one vector too small, or is it hard to learn to use?

The copier without attention of `bottleneck_recall.py`, as it is there, once narrower, once wider,
once trained for longer. If the vector had too little room, width would help and training would not.
Each has a learning rate of its own, chosen as there. At which length a narrow vector stops copying
is measured in `bottleneck_limit.py`.
"""

import math

from bottleneck_recall import (
    CHOOSING,
    STEPS,
    SYMBOLS,
    TESTED,
    TRAINED,
    WIDTHS,
    Copier,
    copied,
    parameters,
    score,
    train,
)
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save
from verdicts import claim

SEEDS = range(5)
MORE = 4
LENGTHS = (2, 4, 6, 8, 10, 12, 14, TRAINED)
WIDTH = WIDTHS["fixed"]
RUNS = {  # name: width, steps, the learning rate that is tried first
    "base": (WIDTH, STEPS, 5e-3),
    "narrow": (WIDTH // 2, STEPS, 2e-2),
    "wide": (WIDTH * 2, STEPS, 2.5e-3),
    "long": (WIDTH, MORE * STEPS, 5e-3),
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
        "the sequences take more bits than the vector has",
        scope="GRUs 34 to 136 wide that copy random symbols, 1,000 and 4,000 steps of Adam, the "
        "limit counted",
        control="Too little room could also be why the vector fails at 8 symbols. But there {more} "
        "times the training helps more than twice the width, each with a learning rate of its own. "
        "The count is independent of training.",
        stands=lambda n: (
            n.long_8 > n.base_8 + 0.3 and n.long_8 > n.wide_8 + 0.2 and n.limit > 10 * TRAINED
        ),
    )
]


def exact_of(width: int, steps: int, peak: float, seed: int) -> list[float]:
    """Share of sequences copied correctly, by length."""
    return score(train(width, False, seed, peak, steps), seed)["exact"]


def rate(width: int, steps: int, start: float) -> Choice:
    def failures(peak: float, seed: int) -> float:
        return 1 - copied(exact_of(width, steps, peak, seed))

    return search(failures, seeds=CHOOSING, start=start, step=2)


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
    exact, rates = {}, {}
    for name, (width, steps, start) in RUNS.items():
        chosen = rate(width, steps, start)
        rates[f"rate_{name}"] = chosen.number(".1e")
        runs = [exact_of(width, steps, chosen.best, seed) for seed in SEEDS]
        exact[name] = [[run[TESTED.index(length)] for length in LENGTHS] for run in runs]
        print(name, chosen.best, exact[name], flush=True)
    return numbers_of(exact) | rates, {"lengths": LENGTHS, "exact": exact}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
