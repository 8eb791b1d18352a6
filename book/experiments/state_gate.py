"""Claims 86 and 87: whether a gate on the output of attention takes the sink away.

The task, the reading through a window and the measures are those of next_sinks. All kinds of
gates learn from the same texts, at each of two learning rates.
"""

from statistics import fmean
from typing import Any

import torch
from measurements import Numbers, Series, number, run_and_save
from next_sink_model import BATCH, CLIP, TRAINED, TRIGGERS, Text, fit
from next_sinks import LONG, STEPS, TEXTS, WINDOW, of_model
from state_gate_model import KINDS, Gated
from torch import Tensor

SEEDS = range(5)
# On the seeds 100 and 101, 0.003 and 0.1 left a greater loss; which of these two is better differs
# by kind. The sink differs by rate, so that one rate for all kinds compares them, and two are told.
RATES = {"low": 1e-2, "high": 3e-2}
BINS = 10  # of gates between 0 and 1

CLAIMS: list[Any] = []


class Course:
    """The texts of all seeds, for all kinds: those to learn from, and then new ones."""

    def __init__(self) -> None:
        self.text = Text(SEEDS)
        self.batches = [self.text(BATCH, TRAINED + 1, True) for _ in range(STEPS)]
        self.after = self.text.rng.get_state()

    def teach(self, kind: str, rate: float) -> Gated:
        """The texts that come next are the same after each call."""
        model, left = Gated(kind, SEEDS), iter(self.batches)
        fit(model, lambda *_: next(left), STEPS, True, rate)
        self.text.rng.set_state(self.after)
        return model


@torch.no_grad()
def of_gates(model: Gated, tokens: Tensor) -> dict[str, Any]:
    """Where the head has something to do, at triggers ("busy"), and elsewhere ("idle"): the mean of
    the gates, the length of what the head adds, and how many gates lie in each tenth."""
    model.forward(tokens[..., :-1])
    gates = model.gates.expand(*tokens[..., 1:].shape, 1, model.gates.size(-1))[:, :, CLIP:, 0]
    length = model.added[:, :, CLIP:].norm(dim=-1)
    busy = tokens[..., CLIP:-1] < TRIGGERS
    found: dict[str, Any] = {}
    for name, at in (("busy", busy), ("idle", ~busy)):
        for what, x in (("open", gates.mean(dim=-1)), ("added", length)):
            found[f"{what}_{name}"] = ((x * at).sum(dim=(1, 2)) / at.sum(dim=(1, 2))).tolist()
        counts = torch.histc(gates[at], BINS, 0, 1)
        found[f"bins_{name}"] = (counts / counts.sum()).tolist()
    return found


def of_kind(kind: str, rate: float, course: Course) -> dict[str, Any]:
    model = course.teach(kind, rate)
    found = of_model(model, course.text, True)
    found |= of_gates(model, course.text(TEXTS, TRAINED + 1, True))
    pairs = zip(found["added_idle"], found["added_busy"], strict=True)
    return found | {"written": [idle / busy for idle, busy in pairs], "size": model.size()}


def numbers_of(kind: str, found: dict[str, Any], name: str) -> Numbers:
    formats = {"idle": ".2f", "busy": ".2f", "short": ".3f", "rise": ".2f", "open_idle": ".2f",
               "open_busy": ".2f", "written": ".2f"}  # fmt: skip
    numbers = {f"{key}_{kind}_{name}": number(found[key], fmt) for key, fmt in formats.items()}
    numbers[f"rise_most_{kind}_{name}"] = number(max(found["rise"]), ".2f")
    return numbers | {f"size_{kind}": number(found["size"], ",d")}


def measure() -> tuple[Numbers, Series]:
    course = Course()
    numbers = {
        "trained": number(TRAINED, "d"),
        "long": number(LONG, "d"),
        "window": number(WINDOW, "d"),
        "even": number(fmean(1 / (at + 1) for at in range(CLIP, TRAINED)), ".2f"),
    }
    series: Series = {"kinds": KINDS}
    shown = ("idle", "rise", "short", "open_idle", "open_busy", "written", "bins_idle", "bins_busy")
    for name, rate in RATES.items():
        numbers[f"rate_{name}"] = number(rate, ".2g")
        found = {kind: of_kind(kind, rate, course) for kind in KINDS}
        series[name] = {kind: {key: found[kind][key] for key in shown} for kind in KINDS}
        for kind in KINDS:
            numbers |= numbers_of(kind, found[kind], name)
            better = [
                a - b for a, b in zip(found["none"]["short"], found[kind]["short"], strict=True)
            ]
            numbers[f"better_{kind}_{name}"] = number(better, ".3f")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
