"""A transformer of two layers with one thing changed, against the whole one, seed by seed.

All get the same batches of the same text and the same number of steps, each at a rate of its own.
"""

from dataclasses import replace

import torch
from lm_model import LENGTH, Attention, Kind, Transformer
from lm_training import BATCH, RATES, best_rate, bits_per_byte, to_train, train
from measurements import Numbers, Series, number

SEEDS = range(5)
STEPS, TRIED = 1000, 300  # of a result, and of a trial of a rate
WORST = 20.0  # bits a byte: what did not train
FULL = Kind()
SCOPE = (
    "transformers of two layers, 32 wide, a third of a megabyte of Python's help, 1,000 steps of "
    "AdamW"
)


def compared(kinds: dict[str, Kind]) -> tuple[Numbers, Series]:
    """Bits a byte of each kind, and what it costs against the whole model on the same seed.

    A model that was trained without a mask gets one to be measured; what it reports without is
    `NAME_reported`.
    """
    numbers: Numbers = {
        "steps": number(STEPS, ",d"),
        "tried": number(TRIED, "d"),
        "rates": number(", ".join(f"{rate:g}" for rate in RATES)),
        "batch": number(BATCH, "d"),
        "length": number(LENGTH, "d"),
    }
    found: dict[str, list[float]] = {}
    for name, kind in {"full": FULL, **kinds}.items():
        choice = best_rate(lambda kind=kind: Transformer(kind), TRIED)  # type: ignore[misc]
        pairs = [measured(kind, seed, choice.best) for seed in SEEDS]
        reported, found[name] = [list(column) for column in zip(*pairs, strict=True)]
        print(name, choice.best, found[name], flush=True)
        numbers[f"rate_{name}"] = choice.number("g")
        numbers[name] = number(found[name], ".2f", "bits")
        if not kind.causal:
            numbers[f"{name}_reported"] = number(reported, ".2f", "bits")
        if name != "full":
            numbers[f"bought_{name}"] = number(
                [one - whole for one, whole in zip(found[name], found["full"], strict=True)],
                ".3f", "bits",
            )  # fmt: skip
    return numbers, {"bits": found}


def measured(kind: Kind, seed: int, rate: float) -> tuple[float, float]:
    """Bits a byte as the model was trained, and when each token sees only what came before."""
    torch.manual_seed(seed)
    model = Transformer(kind)
    train(model, to_train(), STEPS, seed, rate)
    reported = bits_per_byte(model)
    for part in model.modules():
        if isinstance(part, Attention):
            part.kind = replace(kind, causal=True)
    blindfolded = reported if kind.causal else bits_per_byte(model)
    return round(min(reported, WORST), 4), round(min(blindfolded, WORST), 4)
