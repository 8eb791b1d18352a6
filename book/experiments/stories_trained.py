"""Models trained on stories, which several experiments look at: each is trained once and kept.

They lie in build/stories, under a name that says what they were made by: a changed script, setting
or source of stories makes another model. A measurement that was stopped goes on after the last one.
"""

import hashlib
from dataclasses import dataclass, field
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

import torch
from measurements import FRESH, load
from stories_training import (
    USUAL,
    Source,
    batches,
    made,
    steps_for,
    stories,
    tested,
    train,
)
from torch import nn

FOLDER = FRESH.parent / "stories"
WATCHED = 100  # stories to look at a model with
LOOKS, KEPT = 40, 4  # looks at each training, and of how many the weights of one are kept
CODE = ("stories.py", "stories_training.py", "lm_model.py", "lm_text.py")


def chosen(name: str) -> float:
    """The rate of a model, as a record has it; a transformer with a changed part has its rate."""
    if name.startswith("gru"):
        return float(load("stories_rivals")["numbers"][f"rate_{name}"]["value"])
    return float(load("stories_settings")["numbers"]["rate_transformer"]["value"])


@dataclass(frozen=True)
class Run:
    """One training: `times` is the work, in that of the transformer's usual training.

    rate: None for the one that was chosen for this model.
    """

    name: str
    seed: int
    rate: float | None = None
    times: float = 1
    source: Source = USUAL

    def at(self) -> float:
        """The learning rate."""
        return self.rate or chosen(self.name)


@dataclass
class Trained:
    """A model, and what it was like in training.

    curve: at each look, the part of the training that is done, bits a byte, bits an answer and the
    percentage of answers that are right. states: the weights, by the part of
    the training that is done.
    """

    model: nn.Module
    curve: list[tuple[float, float, float, float]] = field(default_factory=list)
    states: dict[float, dict[str, Any]] = field(default_factory=dict)


def trained(run: Run) -> Trained:
    """The model of a run, trained now if it was not yet."""
    path = FOLDER / f"{run.name}_{run.seed}_{_digest(run)}.pt"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        flock(lock, LOCK_EX)  # another experiment may be training it: wait for that one
        if not path.exists():
            half = path.with_suffix(".half")
            torch.save(_train(run), half)
            half.replace(path)
    kept = torch.load(path)
    model = made(run.name, run.seed)
    model.load_state_dict(kept["states"][1.0])
    return Trained(model, kept["curve"], kept["states"])


def _train(run: Run) -> dict[str, Any]:
    steps = steps_for(run.name, run.times)
    watched = stories("watch", WATCHED, run.source)
    looks = {round(steps * look / LOOKS): look for look in range(LOOKS + 1)}
    curve, states = [], {}

    def watch(step: int, model: nn.Module) -> None:
        if step not in looks:
            return
        done = looks[step] / LOOKS
        found = tested(model, watched)
        curve.append((done, found.bits_per_byte, found.bits_per_answer, found.right))
        if looks[step] % KEPT == 0:
            states[done] = {name: part.clone() for name, part in model.state_dict().items()}
        print(run, f"{done:.0%}", found, flush=True)

    model = made(run.name, run.seed)
    train(model, steps, run.at(), batches(run.seed, run.source), watch)
    return {"curve": curve, "states": states}


def _digest(run: Run) -> str:
    code = "".join((Path(__file__).parent / name).read_text() for name in CODE)
    return hashlib.sha256(f"{run} {run.at()} {code}".encode()).hexdigest()[:12]
