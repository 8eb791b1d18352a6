"""The rivals of the transformer on stories: GRUs, of which each gets the same work.

Each gets the rate that is best for it, and the best of them then is the rival. It also tries a
larger batch. All of this is chosen on a seed and stories of their own.
"""

from measurements import Numbers, Series, load, number, run_and_save
from stories_settings import FACTOR, START_RATE, TRIAL, needs, rate_of
from stories_training import BATCH, made, steps_for

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
    rate = numbers[f"rate_{best}"]["value"]
    larger = min(needs(best, times * rate, TRIAL, 2 * BATCH) for times in (1, FACTOR))
    return numbers | {"larger_batch": number(larger, ".3f", "bits")}, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], [TRIAL])
