"""The rivals of the transformer on stories: GRUs, of which each gets the same work.

Each gets the rate that is best for it, and the best of them then is the rival. It is also
tried with other batches. All of this is chosen on a seed and stories of their own.
"""

from measurements import Numbers, Series, load, number, run_and_save
from stories_settings import FACTOR, START_RATE, TRIAL, after, rate_of
from stories_training import BATCH, made, steps_for

OTHERS = (BATCH // 2, 2 * BATCH)  # batches that the best of them is tried with as well
NAMES = ("gru_128_1", "gru_64_2", "gru_128_2", "gru_128_3")  # width and layers


def rival() -> str:
    """The name of the best GRU, as the record has it."""
    return str(load("stories_rivals")["numbers"]["rival"]["value"])


def of_rival(name: str) -> Numbers:
    """What a GRU needs at its best rate."""
    rates = rate_of(name, start=8 * START_RATE)
    return {
        name: number(rates.losses[rates.best], ".3f", "bits"),
        f"rate_{name}": rates.number("g"),
        f"steps_{name}": number(steps_for(name), ",d"),
        f"parameters_{name}": number(sum(p.numel() for p in made(name, 0).parameters()), ",d"),
    }


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {}
    for name in NAMES:
        numbers |= of_rival(name)
    best = min(NAMES, key=lambda name: float(numbers[name]["value"]))
    rate = numbers[f"rate_{best}"]["value"]
    for batch in OTHERS:
        found = [after(best, each, TRIAL, batch) for each in (rate, rate / FACTOR)]
        bits = min(one.bits_per_byte for one in found)
        numbers[f"batch_{batch}"] = number(bits, ".3f", "bits")
    return numbers | {"rival": number(best)}, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], [TRIAL])
