"""Claim 42: which learning rates train a stack, with and without warm-up, by the place of the norm.

A rate trains if the loss comes within `NEAR` of the source's floor. Guessing by how often each
symbol comes is far above that. The best rate of each kind is chosen on seeds of its own.
"""

from dataclasses import replace

import torch
from block_model import LENGTH, Kind, new_models, the_chain
from block_training import tested, train
from choosing import Choice
from markov import Chain
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from verdicts import claim

SEEDS, TUNING = range(5), range(100, 105)
RATES = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
STEPS, WARMUP, NEAR, BAD = 300, 30, 0.15, 2.0
FULL = Kind(depth=6)
KINDS = {"pre": FULL, "post": replace(FULL, norm="post"), "none": replace(FULL, norm="none")}
WARMUPS = {"with": WARMUP, "without": 0}
CLAIMS = [
    claim(
        42,
        "Post-norm transformers need a learning-rate warm-up.",
        "A post-norm stack of depth {depth} ends at {post_without_0_01} without warm-up and at "
        "{post_with_0_01} with it, at a rate of 0.01: within {near} of the floor, {floor}, in "
        "{seeds_post_without_0_01} and {seeds_post_with_0_01} of 5 seeds. At 0.003 it ends at "
        "{post_without_0_003} and {post_with_0_003}.",
        "holds if",
        "the learning rate is 0.01, which is above the best one without warm-up",
        scope="stacks of 6 blocks 16 wide, a Markov chain of four symbols, 300 steps of Adam, five "
        "rates",
        control="The rate of 0.01 is not too high for every stack: with pre-norm and no warm-up it "
        "ends at {pre_without_0_01}. The steps, the sequences and the first matrices are the same.",
        stands=lambda n: (
            n.post_without_0_01 > n.post_with_0_01 + 0.15
            and n.seeds_post_without_0_01 < n.seeds_post_with_0_01
            and n.post_without_0_003 < n.floor + NEAR
            and abs(n.best_post_without - n.best_post_with) < 0.1
        ),
    ),
    claim(
        42,
        "Pre-norm transformers train without warm-up as well as post-norm ones with it.",
        "The best rate gives {best_pre_without} with pre-norm and no warm-up, and {best_post_with} "
        "with post-norm and warm-up. Of {rates} rates, {window_pre_without} and "
        "{window_post_with} train.",
        "holds",
        scope="stacks of 6 blocks 16 wide, a Markov chain of four symbols, 300 steps of Adam, each "
        "at the best of five rates, chosen on five other seeds",
        control="The choice among five rates could favour one of them. Pre-norm without warm-up "
        "reaches {pre_without_0_003} at 0.003 as well, where post-norm with warm-up is at its best "
        "with {post_with_0_003}.",
        stands=lambda n: (
            n.best_pre_without < n.best_post_with + 0.02
            and n.window_pre_without > n.window_post_with
            and n.rate_post_with == 3e-3
        ),
    ),
]


def trained(kind: Kind, chain: Chain, warmup: int) -> tuple[Tensor, Tensor]:
    """Losses of the seeds that choose and of those that are reported. [seeds, rates] each"""
    seeds = [*TUNING, *SEEDS]
    models = new_models(kind, [seed for _ in RATES for seed in seeds])
    rates = torch.tensor(RATES).repeat_interleave(len(seeds))
    train(models, kind, chain, rates, STEPS, warmup)
    found = tested(models, kind, chain).nan_to_num(BAD).clamp(max=BAD)
    by_seed = found.view(len(RATES), -1).T.double().round(decimals=4)
    return by_seed[: len(TUNING)], by_seed[len(TUNING) :]


def measure() -> tuple[Numbers, Series]:
    chain = the_chain()
    floor = chain.floor(LENGTH)
    numbers: Numbers = {"floor": number(floor, unit="nats"), "near": number(NEAR, unit="nats")}
    numbers |= {"rates": number(len(RATES), "d"), "depth": number(FULL.depth, "d")}
    numbers |= {"steps": number(STEPS, "d"), "warmup": number(WARMUP, "d")}
    series: Series = {"rates": [*RATES], "losses": {}}
    for name, kind in KINDS.items():
        for how, warmup in WARMUPS.items():
            tuning, by_seed = trained(kind, chain, warmup)
            choice = Choice(dict(zip(RATES, tuning.max(dim=0).values.tolist(), strict=True)))
            usable = by_seed < floor + NEAR
            best = by_seed[:, RATES.index(choice.best)]
            numbers[f"window_{name}_{how}"] = number(usable.sum(dim=-1).float().tolist(), ".1f")
            numbers[f"best_{name}_{how}"] = number(best.tolist(), unit="nats")
            numbers[f"rate_{name}_{how}"] = choice.number("g")
            for at, rate in enumerate(RATES):
                label = f"{rate:g}".replace(".", "_")
                numbers[f"{name}_{how}_{label}"] = number(by_seed[:, at].tolist(), ".2f", "nats")
                numbers[f"seeds_{name}_{how}_{label}"] = number(usable[:, at].sum().item(), "d")
            series["losses"][f"{name}_{how}"] = by_seed.tolist()
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
