"""What both tasks measure of each scheme: accuracy by length, and what of a long sequence is new.

A long sequence has new positions, new distances and more keys. `moved` has only the first: a short
sequence at high positions. A window has only the second taken away: a long sequence of which each
query sees the last keys, as many as in training.
"""

from typing import Any

import torch
from measurements import Numbers, Series, number
from positions_model import CLIP, HEADS, SCHEMES, Model, slopes
from positions_tasks import (
    BATCH,
    CHANCE,
    LAYERS,
    SILENT,
    STEPS,
    SYMBOLS,
    TRAINED,
    Sampler,
    accuracy,
    train,
)

SEEDS = range(5)
LENGTHS = (32, 64, 128, 256)
LONG = 128
CONDITIONS: dict[str, dict[str, Any]] = {
    "moved": {"length": TRAINED, "start": LONG - TRAINED},
    "window": {"length": LONG, "window": TRAINED},
}


def trained(task: str, scheme: str, seeds: range = SEEDS, clip: int = CLIP) -> Model:
    return train(task, Model(scheme, LAYERS[task], SYMBOLS, seeds, clip), seeds)


def of_scheme(task: str, name: str, model: Model) -> Numbers:
    """Accuracy at each length and under each condition, over seeds."""
    found = {str(length): accuracy(task, model, SEEDS, length) for length in LENGTHS}
    found |= {key: accuracy(task, model, SEEDS, **how) for key, how in CONDITIONS.items()}
    print(task, name, *(f"{key} {sum(v) / len(v):.2f}" for key, v in found.items()), flush=True)
    return {f"{name}_{key}": number(sample, ".2f") for key, sample in found.items()}


@torch.no_grad()
def by_position(task: str, model: Model) -> list[list[float]]:
    """Share of right answers at each position of a long sequence: [seeds, positions]."""
    tokens, targets, distance = Sampler(task, SEEDS, shift=2)(256, LONG)
    asked = (targets != SILENT) & (distance < TRAINED)
    right = (model(tokens).argmax(dim=-1) == targets) & asked
    return (right.sum(dim=1) / asked.sum(dim=1).clamp(min=1)).tolist()


def facts(task: str) -> Numbers:
    """Sizes and the training, which the page names."""
    return {
        "trained": number(TRAINED, "d"),
        "long": number(LONG, "d"),
        "longest": number(LENGTHS[-1], "d"),
        "symbols": number(SYMBOLS, "d"),
        "layers": number(LAYERS[task], "d"),
        "heads": number(HEADS, "d"),
        "clip": number(CLIP, "d"),
        "slope": number(slopes(HEADS)[0].item(), ".2f"),
        "steps": number(STEPS[task], "d"),
        "batch": number(BATCH, "d"),
        "seeds": number(len(SEEDS), "d"),
        "chance": number(CHANCE[task], ".2f"),
    }


def all_schemes(task: str) -> tuple[Numbers, Series, dict[str, Model]]:
    models = {scheme: trained(task, scheme) for scheme in SCHEMES}
    numbers, series = facts(task), {}
    for name, model in models.items():
        numbers |= of_scheme(task, name, model)
        series[name] = by_position(task, model)
    return numbers, {"lengths": list(LENGTHS), "by_position": series}, models
