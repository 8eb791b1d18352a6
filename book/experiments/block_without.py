"""Claim 43 and the chapter's question: skip, norm or MLP, which does a stack miss first?

Stacks of several depths without one of the three learn the same source, whose floor is known. The
learning rate is chosen for each kind and depth, on seeds that are used for nothing else.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import torch
from block_model import LENGTH, Kind, Params, new_models, states, the_chain
from block_training import tested, train
from choosing import Choice, search
from markov import Chain, entropy_of
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS, TUNING = range(5), range(100, 105)
FIRST_RATE, FACTOR = 1e-2, 10**0.5  # of the rates that are tried, until both neighbours are worse
STEPS, WARMUP = 300, 30
DEPTHS = (1, 2, 4, 6)
FULL = Kind(depth=0)
KINDS = {
    "full": FULL,
    "no_skip": replace(FULL, skip=False),
    "no_norm": replace(FULL, norm="none"),
    "no_mlp": replace(FULL, mlp=False),
}
DEEPEST = {  # what might stand in, at the largest depth only
    "small": replace(FULL, norm="none", small=True),
    "rms": replace(FULL, rms=True),
    "gated": replace(FULL, gated=True),
}
CLAIMS = [
    claim(
        43,
        "RMS norm does as well as layer norm: to subtract the mean is not needed.",
        "Loss of stacks of {deepest} pre-norm blocks: {rms_6} with RMS norm, {full_6} with layer "
        "norm (floor {floor}).",
        "holds",
        scope="stacks of 6 blocks 16 wide, a Markov chain of four symbols, 300 steps of Adam, each "
        "at its own learning rate",
        control="A stack that needs no norm could not tell them apart. Without any norm six blocks "
        "end at {no_norm_6}.",
        stands=lambda n: abs(n.rms_6 - n.full_6) < 0.01,
    ),
]


def tuned(kind: Kind, chain: Chain) -> Choice:
    """The best of the learning rates, on seeds of its own, which are trained side by side."""

    @cache
    def losses_at(rate: float) -> dict[int, float]:
        models = new_models(kind, TUNING)
        train(models, kind, chain, torch.full((len(TUNING),), rate), STEPS, WARMUP)
        found = tested(models, kind, chain).nan_to_num(math.inf)
        return dict(zip(TUNING, found.tolist(), strict=True))

    def loss(rate: float, seed: int) -> float:
        return losses_at(rate)[seed]

    return search(loss, seeds=TUNING, start=FIRST_RATE, step=FACTOR)


@torch.no_grad()
def last_distance(models: Params, kind: Kind, chain: Chain) -> list[float]:
    """From rank one, of what leaves the last block: mean over sequences, for each model."""
    tokens = torch.from_numpy(chain.sample(200, LENGTH, np.random.default_rng(80_000)))
    x = states(models, kind, tokens)[-1]  # [models, batch, length, d_model]
    apart = (x - x.mean(dim=-2, keepdim=True)).norm(dim=(-2, -1)) / x.norm(dim=(-2, -1))
    return apart.mean(dim=-1).tolist()


def learn(kind: Kind, chain: Chain) -> tuple[Choice, Tensor, list[float], list[float]]:
    """The chosen rate, the losses of all seeds, and distances from rank one before and after."""
    choice, models = tuned(kind, chain), new_models(kind, SEEDS)
    before = last_distance(models, kind, chain)
    train(models, kind, chain, torch.full((len(SEEDS),), choice.best), STEPS, WARMUP)
    return choice, tested(models, kind, chain), before, last_distance(models, kind, chain)


def measure() -> tuple[Numbers, Series]:
    chain = the_chain()
    one = chain.pairs.sum(axis=0)  # how often each symbol comes
    numbers: Numbers = {
        "floor": number(chain.floor(LENGTH), unit="nats"),
        "one_symbol": number(chain.entropy_after_one, unit="nats"),
        "no_symbol": number(float(entropy_of(one)), unit="nats"),
        "steps": number(STEPS, "d"),
        "tuning": number(len(TUNING), "d"),
        "deepest": number(DEPTHS[-1], "d"),
    }
    series: Series = {"depths": [*DEPTHS], "losses": {}}
    runs = [(name, depth) for name in KINDS for depth in DEPTHS]
    for name, depth in [*runs, *((name, DEPTHS[-1]) for name in DEEPEST)]:
        kind = replace((KINDS | DEEPEST)[name], depth=depth)
        choice, losses, before, after = learn(kind, chain)
        numbers[f"{name}_{depth}"] = number(losses.tolist(), unit="nats")
        numbers[f"rate_{name}_{depth}"] = choice.number(".1e")
        numbers[f"before_{name}_{depth}"] = number(before, ".2g")
        numbers[f"after_{name}_{depth}"] = number(after, ".2g")
        series["losses"].setdefault(name, []).append(losses.tolist())  # [depths, seeds]
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
