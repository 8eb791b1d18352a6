"""Claim 1, continued: at which length does a narrow vector stop copying, however long it trains?

The copier without attention of `bottleneck_recall.py`, with states of 8, 16 and 32 numbers, each
trained for 1,000, 4,000 and 16,000 steps. Where four times the steps no longer help, something else
than training is missing.

A narrow state is also a small network. So the one with a state of 32 is trained once more with a
vector that two linear layers reduce to 8 or 16 numbers on its way to the decoder: if this copies
no more than the small network, the vector is what is missing, and if it copies as much as the
network without the reduction, it is the network.

The learning rates are chosen as in `bottleneck_recall.py`, but for the longer runs on one seed.
"""

import statistics

from bottleneck_recall import CHOOSING, TESTED, TRAINED, copied, score, train
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save

SEEDS = range(3)
STATES = (8, 16, 32)
STEPS = (1000, 4000, 16_000)
KEPT, KEPT_STEPS = (8, 16), 4000  # of the widest state
START = 1e-2  # the learning rate that is tried first
LENGTHS = [length for length in TESTED if length <= TRAINED]
SHOWN = (4, 6, 8, 10, 12, TRAINED)


def exact_of(width: int, steps: int, kept: int | None, peak: float, seed: int) -> list[float]:
    """Share of sequences copied correctly, for each of the `LENGTHS`."""
    model = train(width, False, seed, peak, steps, kept)
    return score(model, seed)["exact"][: len(LENGTHS)]


def rate(width: int, steps: int, kept: int | None, start: float) -> Choice:
    def failures(peak: float, seed: int) -> float:
        return 1 - copied(exact_of(width, steps, kept, peak, seed))

    seeds = CHOOSING if steps == STEPS[0] else CHOOSING[:1]
    return search(failures, seeds=seeds, start=start, step=2)


def longest(runs: list[list[float]]) -> int:
    """The greatest length of which more than half of the sequences are copied correctly."""
    means = [statistics.fmean(column) for column in zip(*runs, strict=True)]
    return max(
        (length for length, mean in zip(LENGTHS, means, strict=True) if mean > 0.5), default=0
    )


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"more": number(STEPS[1] // STEPS[0], "d")}
    exact: dict[str, list[list[float]]] = {}

    def add(key: str, width: int, steps: int, kept: int | None, start: float) -> float:
        """Train and score these models; returns the learning rate that was chosen for them."""
        chosen = rate(width, steps, kept, start)
        exact[key] = runs = [exact_of(width, steps, kept, chosen.best, seed) for seed in SEEDS]
        print(key, chosen.best, runs, flush=True)
        numbers[f"rate_{key}"] = chosen.number(".1e")
        numbers[f"longest_{key}"] = number(longest(runs), "d")
        numbers[f"copied_{key}"] = number([copied(run) for run in runs], ".2f")
        for length in SHOWN:
            sample = [run[LENGTHS.index(length)] for run in runs]
            numbers[f"exact_{key}_{length}"] = number(sample, ".0%")
        return chosen.best

    for width in STATES:
        peak = START
        for steps in STEPS:
            peak = add(f"{width}_{steps}", width, steps, None, peak)
        before, after = (numbers[f"copied_{width}_{steps}"]["sample"] for steps in STEPS[-2:])
        gains = [now - then for then, now in zip(before, after, strict=True)]
        numbers[f"gain_{width}"] = number(gains, ".3f")
    for kept in KEPT:
        add(f"kept_{kept}", STATES[-1], KEPT_STEPS, kept, START)
    return numbers, {"lengths": LENGTHS, "exact": exact}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
