"""How large the residual stream is after each part of a stack, and what each part adds to it.

A pre-norm stack never rescales the sum of its parts. The sizes are root mean squares over features,
tokens and sequences. They are measured before and after training, and by depth before training
where the matrices that write into the sum start as large as the others, and where they start small.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import torch
from block_ablation import KIND, RATE, SEEDS, SEQUENCES, STEPS, WARMUP
from block_model import LENGTH, Kind, Params, new_models, states, the_chain
from block_training import train
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor

DEPTHS = (1, 2, 4, 8, 16, 32)
STARTS = {"plain": False, "small": True}


def tokens() -> Tensor:
    rng = np.random.default_rng(71_000)
    return torch.from_numpy(the_chain().sample(SEQUENCES, LENGTH, rng))


@torch.no_grad()
def sizes(models: Params, kind: Kind) -> tuple[Tensor, Tensor]:
    """Of the stream, from the embedding on, and of what each part adds. [parts, models] each"""
    stream = states(models, kind, tokens())  # [models, batch, length, d_model] each
    added = [after - before for before, after in pairwise(stream)]
    return size(stream), size(added)


def size(each: list[Tensor]) -> Tensor:
    return torch.stack([x.square().mean(dim=(1, 2, 3)).sqrt() for x in each])


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"depth": number(KIND.depth, "d"), "deepest": number(DEPTHS[-1], "d")}
    series: Series = {"depths": [*DEPTHS]}
    models = new_models(KIND, SEEDS)
    for when in ("before", "after"):
        if when == "after":
            rates = torch.full((len(SEEDS),), RATE)
            train(models, KIND, the_chain(), rates, STEPS, WARMUP)
        stream, added = sizes(models, KIND)
        series[when] = {"stream": stream.tolist(), "added": added.tolist()}  # [parts, seeds]
        numbers[f"first_{when}"] = number(stream[0].tolist(), ".1f")
        numbers[f"last_{when}"] = number(stream[-1].tolist(), ".1f")
        for at, share in enumerate((added / stream[1:]).tolist()):
            numbers[f"added_{when}_{at + 1}"] = number(added[at].tolist(), ".1f")
            numbers[f"share_{when}_{at + 1}"] = number(share, ".2f")
    for name, small in STARTS.items():
        for depth in DEPTHS:
            kind = replace(KIND, depth=depth, small=small)
            stream, _ = sizes(new_models(kind, SEEDS), kind)
            numbers[f"{name}_{depth}"] = number((stream[-1] / stream[0]).tolist(), ".1f")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
