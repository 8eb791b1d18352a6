"""The rival with ten times the work: whether a state can hold a story, and is only slow to learn.

Its rate is the one that was best for the usual work.
"""

from measurements import Numbers, Series, number, run_and_save
from stories_models import CROWDED, MORE, TESTED, parameters
from stories_rivals import rival
from stories_trained import Run, trained
from stories_training import Source, stories, tested

SEEDS = range(1)
TIMES = 10


def measure() -> tuple[Numbers, Series]:
    one, given = trained(Run(rival(), 0, TIMES)), stories("test", TESTED)
    found = tested(one.model, given)
    numbers: Numbers = {
        "times": number(TIMES, "d"),
        "parameters": number(parameters(one.model), ",d"),
        "bits": number(found.bits_per_byte, ".3f", "bits"),
        "above": number(found.bits_per_byte - given.bits / given.size, ".3f", "bits"),
        "answer": number(found.bits_per_answer, ".2f", "bits"),
        "right": number(found.right, ".0f", "%"),
    }
    for people, right in found.right_by_people.items():
        numbers[f"right_{people}"] = number(right, ".0f", "%")
    for people in MORE:
        crowd = stories("test", CROWDED, Source(people, people))
        numbers[f"right_{people}"] = number(tested(one.model, crowd).right, ".0f", "%")
    return numbers, {"curve": one.curve}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
