"""What each part of the transformer is worth on stories: one is changed, and it learns again.

All take the same steps on the same stories, each at the rate that is best for it on a seed and
stories of their own.
"""

from measurements import Numbers, Series, number, run_and_save
from stories_models import TESTED
from stories_settings import rate_of
from stories_trained import Run, trained
from stories_training import PARTS, STEPS, Found, batches, made, stories, tested, train

SEEDS = range(3)


def whole(seed: int) -> Found:
    return tested(trained(Run("transformer", seed)).model, stories("test", TESTED))


def changed(name: str, rate: float, seed: int) -> Found:
    model = made(name, seed)
    train(model, STEPS, rate, batches(seed))
    return tested(model, stories("test", TESTED))


def of_part(name: str, full: list[Found]) -> Numbers:
    """What a model without this part needs, and how much more that is than the whole one does."""
    rates = rate_of(name)
    found = [changed(name, rates.best, seed) for seed in SEEDS]
    costs = [one.bits_per_byte - other.bits_per_byte
             for one, other in zip(found, full, strict=True)]  # fmt: skip
    return numbers_of(name, found) | {
        f"rate_{name}": rates.number("g"),
        f"bought_{name}": number(costs, ".3f", "bits"),
    }


def numbers_of(name: str, found: list[Found]) -> Numbers:
    return {
        name: number([one.bits_per_byte for one in found], ".3f", "bits"),
        f"right_{name}": number([one.right for one in found], ".0f", "%"),
    }


def measure() -> tuple[Numbers, Series]:
    full = [whole(seed) for seed in SEEDS]
    numbers = numbers_of("full", full)
    numbers |= {"steps": number(STEPS, ",d"), "window": number(PARTS["few_keys"].window, "d")}
    for name in PARTS:
        numbers |= of_part(name, full)
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
