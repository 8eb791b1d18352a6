"""What stories with few people do for those with many: training on stories of five people only.

Both trainings are equally long, and both models are asked about the same stories of five people.
"""

from measurements import Numbers, Series, number, run_and_save
from stories import MOST
from stories_models import TESTED
from stories_trained import Run, trained
from stories_training import USUAL, Source, stories, tested

SEEDS = range(3)
SOURCES = {"mixed": USUAL, "five": Source(MOST, MOST)}


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"people": number(MOST, "d")}
    curves, given = {}, stories("test", TESTED, SOURCES["five"])
    for label, source in SOURCES.items():
        models = [trained(Run("transformer", seed, source=source)) for seed in SEEDS]
        found = [tested(one.model, given) for one in models]
        numbers[f"right_{label}"] = number([one.right for one in found], ".0f", "%")
        numbers[f"answer_{label}"] = number([one.bits_per_answer for one in found], ".2f", "bits")
        curves[label] = [one.curve for one in models]
    return numbers, {"curves": curves}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
