"""The rivals of the transformer on stories: GRUs, of which each gets the same work.

Each gets the rate that is best for it, and the best of them then is the rival. It is also
tried with other batches. All of this is chosen on a seed and stories of their own.
"""

from measurements import Numbers, Series, load, number, run_and_save
from stories_settings import FACTOR, START_RATE, TRIAL, needs, rate_of
from stories_training import BATCH, GRU_BATCH, made, steps_for

OTHERS = (BATCH, 2 * GRU_BATCH)  # batches that the best of them is tried with as well
NAMES = ("gru_128_1", "gru_256_1", "gru_128_2")  # width and layers


def rival() -> str:
    """The name of the best GRU, as the record has it."""
    return str(load("stories_rivals")["numbers"]["rival"]["value"])


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {}
    needed = {}
    for name in NAMES:
        rates = rate_of(name, start=8 * START_RATE)
        needed[name] = rates.losses[rates.best]
        numbers[name] = number(needed[name], ".3f", "bits")
        numbers[f"rate_{name}"] = rates.number("g")
        numbers[f"steps_{name}"] = number(steps_for(name), ",d")
        parameters = sum(part.numel() for part in made(name, 0).parameters())
        numbers[f"parameters_{name}"] = number(parameters, ",d")
    best = min(NAMES, key=lambda name: needed[name])
    numbers["rival"] = number(best)
    for batch in OTHERS:
        bits = min(needs(best, rate, TRIAL, batch) for rate in rates_beside(numbers, best))
        numbers[f"batch_{batch}"] = number(bits, ".3f", "bits")
    return numbers, {}


def rates_beside(numbers: Numbers, name: str) -> tuple[float, float]:
    """The best rate, and one that is lower by a step of the search."""
    rate = numbers[f"rate_{name}"]["value"]
    return rate, rate / FACTOR


if __name__ == "__main__":
    run_and_save(__file__, measure, [], [TRIAL])
