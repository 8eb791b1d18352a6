"""Answers that take two steps: "Ada visits Ben" names no city, and then Ada stays somewhere.

The transformer and its rival are trained on stories with visits, with the usual work and the rates
that are best for the usual stories.
"""

from lm_training import mean
from measurements import Numbers, Series, number, run_and_save
from stories_models import TESTED, guesses
from stories_rivals import rival
from stories_trained import Run, trained
from stories_training import Source, stories, tested

SEEDS = range(3)
VISITS = 0.5  # the probability that whoever moves visits somebody
SOURCE = Source(visits=VISITS)
WORDS = {1: "one", 2: "two"}


def measure() -> tuple[Numbers, Series]:
    given = stories("test", TESTED, SOURCE)
    numbers: Numbers = {
        "visits": number(100 * VISITS, ".0f", "%"),
        "floor": number(given.bits / given.size, ".3f", "bits"),
        "one_step": number(int((given.steps == 1).sum()), ",d"),
        "two_steps": number(int((given.steps == 2).sum()), ",d"),
        "more_steps": number(int((given.steps > 2).sum()), "d"),
    }
    guessed = guesses([SOURCE.told(f"test {at}") for at in range(TESTED)])
    for steps, word in WORDS.items():
        most = [100 * most for each, _, most in guessed if each == steps]
        numbers[f"most_{word}"] = number(mean(most), ".0f", "%")
    curves = {}
    for label, name in {"transformer": "transformer", "gru": rival()}.items():
        models = [trained(Run(name, seed, source=SOURCE)) for seed in SEEDS]
        found = [tested(one.model, given) for one in models]
        numbers[f"bits_{label}"] = number([one.bits_per_byte for one in found], ".3f", "bits")
        for steps, word in WORDS.items():
            right = [one.right_by_steps[steps] for one in found]
            numbers[f"right_{word}_{label}"] = number(right, ".0f", "%")
        curves[label] = [one.curve for one in models]
    return numbers, {"curves": curves}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
