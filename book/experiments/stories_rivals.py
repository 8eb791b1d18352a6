"""The rivals of the transformer on stories: GRUs of other sizes, with the same work of training.

Each gets the rate that is best for it, and the best of them then is the rival. All of this is
chosen on a seed and stories of their own.
"""

from measurements import Numbers, Series, load, number, run_and_save
from stories_settings import START_RATE, TRIAL, after, parameters, rate_of
from stories_training import made, steps_for

NAMES = ("gru_128_1", "gru_64_2", "gru_128_2")  # width and layers


def rival() -> str:
    """The name of the best GRU, as the record has it."""
    return str(load("stories_rivals")["numbers"]["rival"]["value"])


def of_rival(name: str) -> Numbers:
    """What a GRU needs at its best rate, and how many of its answers are right then and at the rate
    that was tried first."""
    first = 8 * START_RATE
    rates = rate_of(name, first)
    found = after(name, rates.best)
    return {
        name: number(found.bits_per_byte, ".3f", "bits"),
        f"right_{name}": number(found.right, ".0f", "%"),
        f"first_{name}": number(after(name, first).right, ".0f", "%"),
        f"rate_{name}": rates.number("g"),
        f"steps_{name}": number(steps_for(name), ",d"),
        f"parameters_{name}": number(parameters(made(name, 0)), ",d"),
    }


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {}
    for name in NAMES:
        numbers |= of_rival(name)
    best = min(NAMES, key=lambda name: float(numbers[name]["value"]))
    return numbers | {"rival": number(best), "first": number(8 * START_RATE, "g")}, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], [TRIAL])
