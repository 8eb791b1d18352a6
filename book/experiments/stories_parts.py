"""What each part of the transformer is worth on stories: one is changed, and it learns again.

All take the same steps on the same stories at the rate that is best for the whole model. A model
that needs another rate looks worse here than it is. Each change was trained once; the whole model
with five seeds, so that a reader sees how far seeds are apart.
"""

from measurements import Numbers, Series, number, run_and_save
from stories_models import SEEDS, TESTED
from stories_trained import Run, trained
from stories_training import PARTS, STEPS, Found, stories, tested


def found_by(name: str, seed: int) -> Found:
    return tested(trained(Run(name, seed)).model, stories("test", TESTED))


def measure() -> tuple[Numbers, Series]:
    whole = [found_by("transformer", seed) for seed in SEEDS]
    numbers: Numbers = {
        "steps": number(STEPS, ",d"),
        "window": number(PARTS["few_keys"].window, "d"),
        "full": number([one.bits_per_byte for one in whole], ".3f", "bits"),
        "right_full": number([one.right for one in whole], ".0f", "%"),
    }
    for name in PARTS:
        found = found_by(name, SEEDS[0])
        numbers[name] = number(found.bits_per_byte, ".3f", "bits")
        numbers[f"right_{name}"] = number(found.right, ".0f", "%")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
