"""Each sublayer of a trained stack is silenced: by zero, and by its mean output.

What a sublayer adds at every token alike carries no news, but what follows was trained with
it. Zero takes it away, the mean leaves it there.
"""

import numpy as np
import torch
from block_model import LENGTH, Kind, losses, new_models, states, sublayers, the_chain
from block_training import train
from measurements import Numbers, Series, number, run_and_save

SEEDS = range(5)
KIND = Kind(depth=4)
RATE, STEPS, WARMUP = 1e-2, 300, 30
SEQUENCES = 1000


@torch.no_grad()
def measure() -> tuple[Numbers, Series]:
    chain, models = the_chain(), new_models(KIND, SEEDS)
    with torch.enable_grad():
        train(models, KIND, chain, torch.full((len(SEEDS),), RATE), STEPS, WARMUP)
    shown, kept = (
        torch.from_numpy(chain.sample(SEQUENCES, LENGTH + 1, np.random.default_rng(seed)))
        for seed in (70_000, 71_000)
    )
    whole = losses(models, KIND, shown)
    x = states(models, KIND, kept[:, :-1])
    names = [f"{part}_{at}" for at in range(KIND.depth) for part in sublayers(KIND)]
    numbers: Numbers = {"whole": number(whole.tolist(), unit="nats")}
    numbers["depth"] = number(KIND.depth, "d")
    numbers["floor"] = number(chain.floor(LENGTH), unit="nats")
    series: Series = {"names": names, "zero": [], "mean": []}
    for at, name in enumerate(names):
        added = x[at + 1] - x[at]  # [models, batch, length, d_model]
        mean = added.mean(dim=(1, 2), keepdim=True)
        share = mean.square().sum(dim=-1).flatten() / added.square().sum(dim=-1).mean(dim=(1, 2))
        numbers[f"share_{name}"] = number(share.tolist(), ".0%")
        costs = {
            way: losses(models, KIND, shown, {name: given}) - whole
            for way, given in (("zero", torch.zeros_like(mean)), ("mean", mean))
        }
        for way, cost in costs.items():
            numbers[f"{way}_{name}"] = number(cost.tolist(), ".2f", "nats")
            series[way].append(cost.tolist())  # [sublayers, seeds]
        apart = (costs["zero"] - costs["mean"]).abs().max()
        numbers[f"apart_{name}"] = number(apart.item(), ".2f", "nats")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
