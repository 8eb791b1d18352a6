"""What a step of training takes: equal work is not equal time."""

import time

from lm_models import NAMES, WORK, made
from lm_training import steps_for, to_train, train
from measurements import Numbers, Series, of_machine, run_and_save

SEEDS = range(3)
STEPS, RATE = 50, 1e-2


def milliseconds(name: str, seed: int) -> float:
    """Of the processor, for a step; the first few are not counted."""
    model = made(name, seed)
    train(model, to_train(), 10, seed, RATE)
    began = time.process_time()
    train(model, to_train(), STEPS, seed, RATE)
    return (time.process_time() - began) * 1000 / STEPS


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {}
    for name in NAMES:
        found = [milliseconds(name, seed) for seed in SEEDS]
        steps = steps_for(WORK, made(name, 0))
        numbers[f"step_{name}"] = of_machine(found, ".1f", "ms")
        numbers[f"all_{name}"] = of_machine([steps * each / 1000 for each in found], ".1f", "s")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
