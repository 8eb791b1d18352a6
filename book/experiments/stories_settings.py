"""The settings that models of stories are trained with: chosen on a seed and stories of their own.

Here the rate of the transformer and the order of an n-gram; `stories_rivals.py` chooses a GRU in
the same way.
"""

from functools import cache

from choosing import Choice, search
from lm_ngram import KneserNey
from measurements import Numbers, Series, number, run_and_save
from stories_trained import Run, trained
from stories_training import STEPS, TRAINED, VOCABULARY, Found, stories, tested
from torch import nn

TRIAL = 100  # the seed that settings are tried with
TRIED = 100  # stories
START_RATE, FACTOR = 1.5e-3, 2.0
ORDERS = (3, 5, 8, 11)


@cache
def counted(order: int) -> KneserNey:
    tokens = stories("train", TRAINED).tokens
    return KneserNey([row[row >= 0] for row in tokens], order, VOCABULARY)


def counts_need(order: int) -> float:
    """Bits a byte of the stories that settings are chosen by."""
    given = stories("choose", TRIED)
    return sum(counted(order).bits(row[row >= 0]) for row in given.tokens) / given.size


def after(name: str, rate: float) -> Found:
    """What a model is like after training at this rate, with the budget of all."""
    return tested(trained(Run(name, TRIAL, rate)).model, stories("choose", TRIED))


def parameters(model: nn.Module) -> int:
    return sum(part.numel() for part in model.parameters())


def rate_of(name: str, start: float = START_RATE) -> Choice:
    """The rate that is best for a model after the work that all get. start: tried first."""
    return search(lambda rate, _: after(name, rate).bits_per_byte, [TRIAL], start, FACTOR)


def measure() -> tuple[Numbers, Series]:
    orders = Choice({order: counts_need(order) for order in ORDERS})
    rates = rate_of("transformer")
    numbers: Numbers = {
        "steps": number(STEPS, ",d"),
        "trained": number(TRAINED, ",d"),
        "order": orders.number("d"),
        "rate_transformer": rates.number("g"),
    }
    return numbers, {"ngrams": orders.losses, "rates": rates.losses}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], [TRIAL])
