"""Where in a story a model needs its bits: at answers, early or late, and at what is drawn."""

from lm_text import IGNORED
from lm_window import by_counts, means, split
from measurements import Numbers, Series, load, number, run_and_save
from stories_models import TESTED
from stories_rivals import rival
from stories_settings import counted
from stories_trained import Run, trained
from stories_training import predicted, stories
from torch import Tensor

SEEDS = range(5)


def of_stories() -> dict[str, dict[str, float]]:
    """Bits a token, by model; the parts of the window are of answers only."""
    given = stories("test", TESTED)
    answers, real = given.steps[:, 1:] > 0, given.tokens[:, 1:] != IGNORED

    def of(bits: Tensor) -> dict[str, float]:
        return {**split(bits, answers, answers), "new": bits[real & ~answers].mean().item()}

    counts = counted(load("stories_settings")["numbers"]["order"]["value"])
    found = {"ngram": of(by_counts(counts, given.tokens))}
    for label, name in {"gru": rival(), "transformer": "transformer"}.items():
        models = [trained(Run(name, seed)).model for seed in SEEDS]
        found[label] = means([of(predicted(model, given.tokens)[0]) for model in models])
    return found


def measure() -> tuple[Numbers, Series]:
    found, given = of_stories(), stories("test", TESTED)
    drawn = int(((given.tokens[:, 1:] != IGNORED) & (given.steps[:, 1:] == 0)).sum())
    numbers: Numbers = {"floor_new": number(given.bits / drawn, ".2f", "bits")}
    for label, values in found.items():
        for key, value in values.items():
            numbers[f"{label}_{key}"] = number(value, ".2f", "bits")
    return numbers, {"found": found}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
