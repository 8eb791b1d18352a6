"""What one layer of attention does with repeated blocks, where two learn to find the earlier place.

The control of `heads_induction`: one layer of the same width, for as many steps and for four times
as many, and one layer that is wider, so that it has as many parameters as the two. The learning
rate of each is searched with seeds that are not reported, until both neighbours are worse. What
such a model goes by is asked in three ways: where its probability lies, what changing a symbol
costs, and what it loses when the second copy has another order.
"""

import math
from typing import Any

import torch
from choosing import Choice, search
from heads_induction import STEPS, train
from heads_model import AttentionOnly
from heads_probe import PERIOD, SECOND, loss_of_copies, perturbed, test_sequences
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor

SEEDS = range(5)
TUNING_SEEDS = (100, 101)  # never reported
NARROW = {"num_layers": 1}
WIDE = {"num_layers": 1, "d_model": 88}  # as many parameters as two layers of width 64
RUNS = {"one": (NARROW, STEPS), "long": (NARROW, 4 * STEPS), "wide": (WIDE, STEPS)}


@torch.no_grad()
def score(model: AttentionOnly, seed: int) -> dict[str, Any]:
    tokens = test_sequences(500, seed)
    effect, _ = perturbed(model, tokens, torch.Generator().manual_seed(seed))  # [batch, keys]
    mean = effect.mean(dim=0)
    return {
        "loss": loss_of_copies(model, tokens)[1].item(),
        "reordered": loss_of_copies(model, reordered(tokens, seed))[1].item(),
        **shares(model, tokens),
        "itself": mean[0].item(),
        "answer": mean[PERIOD - 1].item(),
        "match": mean[PERIOD].item(),
    }


def reordered(tokens: Tensor, seed: int) -> Tensor:
    """The same block, its second copy in an order of its own. [count, LENGTH + 1]"""
    rng = torch.Generator().manual_seed(60_000 + seed)
    order = torch.rand(len(tokens), PERIOD, generator=rng).argsort(dim=1)
    block = tokens[:, :PERIOD]
    return torch.cat([block, block.gather(1, order), tokens[:, 2 * PERIOD :]], dim=1)


def shares(model: AttentionOnly, tokens: Tensor) -> dict[str, float]:
    """Where the probability lies in the second copy, while one symbol of it or more is to come."""
    queries = SECOND[:-1]
    given = model(tokens[:, :-1])[0].softmax(dim=-1)[:, queries]  # [batch, queries, symbols]
    seen = torch.nn.functional.one_hot(tokens[:, :-1], given.size(-1)).cumsum(dim=1)
    times = seen[:, queries]  # how often each symbol has come
    share = {name: given[times == count].sum() for name, count in NAMES.items()}
    places = given[..., 0].numel()
    return {name: (total / places).item() for name, total in share.items()}


NAMES = {"foreign": 0, "to_come": 1, "used": 2}  # by how often a symbol has come


def choose(shape: dict[str, int], steps: int) -> Choice:
    """The rate whose worst loss in the second copy is least."""

    def loss(rate: float, seed: int) -> float:
        return score(train(seed, False, rate, steps, **shape)[0], seed)["loss"]

    return search(loss, seeds=TUNING_SEEDS, start=10**-2.5, step=10**0.5)


def parameters(**shape: int) -> int:
    return sum(parameter.numel() for parameter in AttentionOnly(**shape).parameters())


def measure() -> tuple[Numbers, Series]:
    numbers = {
        "block": number(math.log(PERIOD), ".2f", "nats"),
        "unused": number(math.lgamma(PERIOD + 1) / PERIOD, ".2f", "nats"),
        "parameters_two": number(parameters(), ",d"),
        "parameters_one": number(parameters(**NARROW), ",d"),
        "parameters_wide": number(parameters(**WIDE), ",d"),
        "width_wide": number(WIDE["d_model"], "d"),
    }
    for name, (shape, steps) in RUNS.items():
        choice = choose(shape, steps)
        runs = [score(train(s, False, choice.best, steps, **shape)[0], s) for s in SEEDS]
        print(name, choice.best, [run["loss"] for run in runs], flush=True)
        numbers[f"rate_{name}"] = choice.number(".1e")
        for key in ("loss", "reordered", "itself", "answer", "match"):
            numbers[f"{key}_{name}"] = number([run[key] for run in runs], ".2f", "nats")
        for key in NAMES:
            numbers[f"{key}_{name}"] = number([run[key] for run in runs], ".0%")
    return numbers, {}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
