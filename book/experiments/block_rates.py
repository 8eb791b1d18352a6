"""Claim 42: which learning rates train a stack, with and without warm-up, by the place of the norm.

A rate trains if the loss comes within `NEAR` of the source's floor. Guessing by how often each
symbol comes is far above that.
"""

from dataclasses import replace

import torch
from block_model import LENGTH, Kind, new_models, the_chain
from block_training import tested, train
from measurements import Numbers, Series, number, run_and_save
from verdicts import claim

SEEDS = range(5)
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
        "{post_with_0_01} with it, at a rate of 0.01; at 0.003 at {post_without_0_003} and "
        "{post_with_0_003} (floor {floor}).",
        "holds if",
        "the learning rate is 0.01, which is above the best one without warm-up",
        scope="stacks of 6 blocks 16 wide, a Markov chain of four symbols, 300 steps of Adam, five "
        "rates",
        control="The rate of 0.01 is not too high for every stack: with pre-norm and no warm-up it "
        "ends at {pre_without_0_01}. The steps, the sequences and the first matrices are the same.",
        stands=lambda n: (
            n.post_without_0_01 > n.post_with_0_01 + 0.15
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
        "at the best of five rates on the reported seeds",
        control="The choice among five rates could favour one of them. Pre-norm without warm-up "
        "reaches {pre_without_0_003} at 0.003 as well, where post-norm with warm-up is at its best "
        "with {post_with_0_003}.",
        stands=lambda n: (
            n.best_pre_without < n.best_post_with + 0.02
            and n.window_pre_without > n.window_post_with
        ),
    ),
]


def measure() -> tuple[Numbers, Series]:
    chain = the_chain()
    floor = chain.floor(LENGTH)
    numbers: Numbers = {"floor": number(floor, unit="nats"), "near": number(NEAR, unit="nats")}
    numbers |= {"rates": number(len(RATES), "d"), "depth": number(FULL.depth, "d")}
    numbers |= {"steps": number(STEPS, "d"), "warmup": number(WARMUP, "d")}
    series: Series = {"rates": [*RATES], "losses": {}}
    for name, kind in KINDS.items():
        for how, warmup in WARMUPS.items():
            models = new_models(kind, [seed for _ in RATES for seed in SEEDS])
            rates = torch.tensor(RATES).repeat_interleave(len(SEEDS))
            train(models, kind, chain, rates, STEPS, warmup)
            found = tested(models, kind, chain).nan_to_num(BAD).clamp(max=BAD)
            by_seed = found.view(len(RATES), -1).T.double().round(decimals=4)  # [seeds, rates]
            usable = (by_seed < floor + NEAR).sum(dim=-1)
            best = by_seed[:, by_seed.mean(dim=0).argmin()]
            numbers[f"window_{name}_{how}"] = number(usable.float().tolist(), ".1f")
            numbers[f"best_{name}_{how}"] = number(best.tolist(), unit="nats")
            for at, rate in enumerate(RATES):
                label = f"{rate:g}".replace(".", "_")
                numbers[f"{name}_{how}_{label}"] = number(by_seed[:, at].tolist(), ".2f", "nats")
            series["losses"][f"{name}_{how}"] = by_seed.tolist()
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
