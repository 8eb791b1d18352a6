"""The GRU of one layer with five times the work: whether all that it lacks is training.

Its rate is the one that was best for the usual work.
"""

from measurements import Numbers, Series, number, run_and_save
from stories_models import TESTED
from stories_trained import Run, trained
from stories_training import stories, tested

SEEDS = range(1)
NAME, TIMES = "gru_128_1", 5


def measure() -> tuple[Numbers, Series]:
    one, given = trained(Run(NAME, 0, times=TIMES)), stories("test", TESTED)
    found = tested(one.model, given)
    numbers: Numbers = {
        "times": number(TIMES, "d"),
        "bits": number(found.bits_per_byte, ".3f", "bits"),
        "above": number(found.bits_per_byte - given.bits / given.size, ".3f", "bits"),
        "answer": number(found.bits_per_answer, ".2f", "bits"),
        "right": number(found.right, ".0f", "%"),
    }
    for people, right in found.right_by_people.items():
        numbers[f"right_{people}"] = number(right, ".0f", "%")
    return numbers, {"curve": one.curve}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
