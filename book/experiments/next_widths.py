"""One shared head that keeps 16 numbers of a token: 12 for its key and 4 for its value.

The task, the parameters and the search for a learning rate are those of next_quality, where heads
that keep 16 numbers have keys as wide as their values.
"""

from measurements import Numbers, Series, number, run_and_save
from next_model import Cache
from next_quality import SEEDS, tested, train, tuned

KEPT = Cache(8, 1, d_k=12, d_v=4)


def measure() -> tuple[Numbers, Series]:
    rate = tuned(KEPT)
    model = train(KEPT, rate.best, SEEDS)
    accuracy, _ = tested(model, SEEDS)
    numbers = {
        "kept": number(KEPT.numbers, "d"),
        "d_k": number(KEPT.d_k, "d"),
        "d_v": number(KEPT.d_v, "d"),
        "parameters": number(model.size, ",d"),
        "accuracy": number(accuracy, ".0%"),
        "rate": rate.number(".1e"),
    }
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
