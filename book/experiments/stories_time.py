"""What the training on stories takes: equal work is not equal time."""

import time

from measurements import Numbers, Series, of_machine, run_and_save
from stories_rivals import rival
from stories_trained import chosen
from stories_training import batches, made, steps_for, train

SEEDS = range(3)
STEPS = 50


def seconds(name: str, seed: int) -> float:
    """Of the processor, for the whole training; the first few steps are not counted."""
    model = made(name, seed)
    train(model, 10, chosen(name), batches(seed))
    began = time.process_time()
    train(model, STEPS, chosen(name), batches(seed))
    return (time.process_time() - began) * steps_for(name) / STEPS


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {}
    for label, name in {"transformer": "transformer", "gru": rival()}.items():
        numbers[label] = of_machine([seconds(name, seed) for seed in SEEDS], ".0f", "s")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
