"""Claim 1, continued: what does a copier lack that passes on fewer numbers than it computes?

The copier of `bottleneck_limit.py` with a state of 32 numbers, of which two linear layers pass on
only 2 or 4. The network that reads and the network that writes stay as they are. If four times the
training does not bring it as far as twice the width does, width is what it lacks. Each is trained
for 4,000 and for 16,000 steps, with its own learning rate.
"""

from bottleneck_limit import LENGTHS, SEEDS, START, STATES, exact_of, longest, rate
from bottleneck_recall import copied
from measurements import Numbers, Series, number, run_and_save

KEPT, STEPS = (2, 4), (4000, 16_000)
WIDTH = STATES[-1]


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"width": number(WIDTH, "d"), "more": number(STEPS[1] // STEPS[0], "d")}
    exact: dict[str, list[list[float]]] = {}
    for kept in KEPT:
        start, totals = START, []
        for steps in STEPS:
            key = f"{kept}_{steps}"
            chosen = rate(WIDTH, steps, kept, start)
            start = chosen.best
            exact[key] = [exact_of(WIDTH, steps, kept, start, seed) for seed in SEEDS]
            print(key, start, exact[key], flush=True)
            totals.append([copied(run) for run in exact[key]])
            numbers[f"rate_{key}"] = chosen.number(".1e")
            numbers[f"longest_{key}"] = number(longest(exact[key]), "d")
            numbers[f"copied_{key}"] = number(totals[-1], ".2f")
        gains = [now - then for then, now in zip(*totals, strict=True)]
        numbers[f"gain_{kept}"] = number(gains, ".2f")
    return numbers, {"lengths": LENGTHS, "exact": exact}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
