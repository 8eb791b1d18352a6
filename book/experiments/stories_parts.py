"""What each part of the transformer is worth on stories: one is changed, and it learns again.

All take the same steps on the same stories at the rate that is best for the whole model. A model
that needs another rate looks worse here than it is.
"""

from measurements import Numbers, Series, number, run_and_save
from stories_models import TESTED
from stories_trained import Run, trained
from stories_training import PARTS, STEPS, Found, stories, tested

SEEDS = range(2)


def found_by(name: str) -> list[Found]:
    models = [trained(Run(name, seed)).model for seed in SEEDS]
    return [tested(model, stories("test", TESTED)) for model in models]


def numbers_of(name: str, found: list[Found]) -> Numbers:
    return {
        name: number([one.bits_per_byte for one in found], ".3f", "bits"),
        f"right_{name}": number([one.right for one in found], ".0f", "%"),
    }


def measure() -> tuple[Numbers, Series]:
    whole = found_by("transformer")
    numbers = numbers_of("full", whole)
    numbers |= {"steps": number(STEPS, ",d"), "window": number(PARTS["few_keys"].window, "d")}
    for name in PARTS:
        found = found_by(name)
        costs = [one.bits_per_byte - other.bits_per_byte
                 for one, other in zip(found, whole, strict=True)]  # fmt: skip
        numbers |= numbers_of(name, found) | {f"bought_{name}": number(costs, ".3f", "bits")}
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
