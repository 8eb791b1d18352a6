"""Claim 50: rotary models of 32 tokens, trained further at 128, in four ways, and new models.

As they are; with positions divided by four, so that angles stay in the trained range; with a base
with which the slowest hand is four times slower; with only those hands slowed down that did not
come round in 32 tokens. New models show what the earlier training is worth. Each has a rate of its
own, chosen on other seeds. Before that, how far the base decides what happens at 64 tokens.
"""

import math
import statistics
from collections.abc import Iterator

import torch
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save
from positions_lengths import LONG, SEEDS
from positions_model import BASE, D_MODEL, HEADS, Model, angles
from positions_tasks import LAYERS, SYMBOLS, TRAINED, Sampler, accuracy, train
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

BASES = (10.0, 100.0, 1e3, 1e4, 1e5, 1e6)
WIDTH, FACTOR = D_MODEL // HEADS, LONG // TRAINED
TURNS = TRAINED * angles(torch.ones(1), WIDTH)[0] / (2 * math.pi)  # in training, by hand: [pairs]
WAYS: dict[str, tuple[float | Tensor, float]] = {  # the factor of the angles, and the base
    "as_is": (1.0, BASE),
    "interpolated": (1 / FACTOR, BASE),
    "larger_base": (1.0, BASE * FACTOR ** (WIDTH / (WIDTH - 2))),
    "by_parts": (torch.where(TURNS < 1, 1 / FACTOR, 1.0), BASE),
}
YARN_TURNS = 32  # with so many, a hand keeps its speed in YaRN
NEW = "from_scratch"
MORE, EVERY, BATCH, LAST = 200, 50, 4, 20
TUNING_SEEDS = (10, 11)

CLAIMS = [
    claim(
        50,
        "To extend a rotary model, divide the positions and train on a little (position "
        "interpolation): that is better than positions that it never saw.",
        "From 32 to 128 tokens without further training: copying {copying_as_is_0} as it is and "
        "{copying_interpolated_0} interpolated; successor {successor_as_is_0} and "
        "{successor_interpolated_0}. After {more} steps at 128 tokens: copying {copying_as_is_200} "
        "and {copying_interpolated_200}; successor {successor_as_is_200} and "
        "{successor_interpolated_200}.",
        "false",
        "in copying within 200 further steps, while in the successor task the two ways end within "
        "0.1 of each other on average",
        scope="one or two layers of attention 32 wide, 300 or 600 steps of Adam on 32 tokens and "
        "200 on 128 at a constant rate, chosen for each way and task on two other seeds",
        control="Both ways start from the same weights, and a rate that suits one could be wrong "
        "for the other: each has the best of its own. The steps at 128 tokens alone could do: "
        "new models reach {copying_from_scratch_200} in copying and {successor_from_scratch_200} "
        "in the successor task with them. More steps were not run, and in copying the interpolated "
        "model is still improving, from {copying_interpolated_150} at step 150 to "
        "{copying_interpolated_200} at step 200.",
        stands=lambda n: (
            n.copying_as_is_200 > n.copying_interpolated_200 + 0.2
            and abs(n.successor_interpolated_200 - n.successor_as_is_200) < 0.1
        ),
    ),
    claim(
        50,
        "Rotary positions beyond those of the training may lead to catastrophically high scores.",
        "The largest score of a query with the keys 32 to 127 tokens back is {score_ratio} times "
        "the largest with those up to 31 back (copying), and accuracy falls to {copying_as_is_0}.",
        "holds if",
        "'high' means higher than any score at a trained distance",
        scope="copying with one layer of attention 32 wide, base 10,000, 300 steps of Adam on 32 "
        "tokens",
        control="Something else could ruin the copy at 128 tokens. With a window of 32 keys, which "
        "leaves out just these scores, the same models make no mistake (positions_copying).",
        stands=lambda n: 1 < n.score_ratio < 3 and n.copying_as_is_0 < 0.2,
    ),
]


def rotary(task: str, base: float = BASE, seeds: range = SEEDS) -> Model:
    model = Model("rope", LAYERS[task], SYMBOLS, seeds)
    model.base = base
    return train(task, model, seeds)


def begun(task: str, way: str, short: Model, seeds: range) -> Model:
    """A model that begins with the weights of the short one, but for a new one."""
    model = Model("rope", LAYERS[task], SYMBOLS, seeds)
    if way != NEW:
        model.factor, model.base = WAYS[way]
        with torch.no_grad():
            for parameter, known in zip(model.parameters, short.parameters, strict=True):
                parameter.copy_(known)
    return model


def further(task: str, model: Model, seeds: range, rate: float) -> Iterator[float]:
    """Trains at LONG tokens; yields each loss before its step, on sequences that are new."""
    sampler, optimizer = Sampler(task, seeds, shift=7), torch.optim.Adam(model.parameters, rate)
    for _ in range(MORE + 1):
        tokens, targets, _ = sampler(BATCH, LONG)
        loss = F.cross_entropy(model(tokens).flatten(0, -2), targets.flatten())
        yield loss.item()
        optimizer.zero_grad()
        (model.seeds * loss).backward()
        optimizer.step()


def chosen_rate(task: str, way: str, short: dict[int, Model]) -> Choice:
    """The rate with the least loss in the last steps; short: of each tuning seed its model."""

    def loss(rate: float, seed: int) -> float:
        seeds = range(seed, seed + 1)
        losses = [*further(task, begun(task, way, short[seed], seeds), seeds, rate)]
        return statistics.fmean(losses[-LAST:])

    choice = search(loss, TUNING_SEEDS, start=3e-3, step=2)
    print(task, way, {f"{rate:.2g}": f"{loss:.2f}" for rate, loss in choice.losses.items()})
    return choice


def extended(task: str) -> tuple[Numbers, Series]:
    """Each way has a rate of its own."""
    short = rotary(task)
    tuning = {seed: rotary(task, seeds=range(seed, seed + 1)) for seed in TUNING_SEEDS}
    numbers: Numbers = {}
    series: Series = {}
    for way in (*WAYS, NEW):
        choice = chosen_rate(task, way, tuning)
        numbers |= {f"{task}_{way}_rate": choice.number(".2g")}
        numbers |= curve(task, way, begun(task, way, short, SEEDS), choice.best, series)
    return numbers, {task: series}


def curve(task: str, way: str, model: Model, rate: float, series: Series) -> Numbers:
    """The accuracies at LONG tokens, of which a curve goes into the series; at last, at TRAINED."""
    tests = [
        accuracy(task, model, SEEDS, LONG)
        for step, _ in enumerate(further(task, model, SEEDS, rate))
        if step % EVERY == 0
    ]  # [tests, seeds]
    series[way] = [list(seed) for seed in zip(*tests, strict=True)]
    print(task, way, [f"{statistics.fmean(one):.2f}" for one in tests], flush=True)
    numbers = {f"{task}_{way}_{at * EVERY}": number(one, ".2f") for at, one in enumerate(tests)}
    short = accuracy(task, model, SEEDS, TRAINED)
    return numbers | {f"{task}_{way}_short": number(short, ".2f")}


@torch.no_grad()
def score_ratio(model: Model) -> list[float]:
    """Largest score at distances never seen, over the largest at those seen, by seed."""
    tokens, *_ = Sampler("copying", SEEDS, shift=8)(32, LONG)
    positions = torch.arange(LONG)
    query, key, _ = model.project(model.embedded(tokens, positions), 0)
    scores = model.scores(query, key, 0, positions)[..., -1, :].flip(-1)
    # scores: [seeds, batch, heads, distances]
    seen, unseen = scores[..., :TRAINED], scores[..., TRAINED:]
    return (unseen.amax(dim=(1, 2, 3)) / seen.amax(dim=(1, 2, 3))).tolist()


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {}
    series: Series = {"steps": list(range(0, MORE + 1, EVERY)), "bases": list(BASES)}
    by_base = {base: rotary("copying", base) for base in BASES}
    for length in (TRAINED, 2 * TRAINED, LONG):
        runs = [accuracy("copying", model, SEEDS, length) for model in by_base.values()]
        series[f"base_{length}"] = [list(seed) for seed in zip(*runs, strict=True)]
        for base, sample in zip(BASES, runs, strict=True):
            numbers[f"base_{base:.0f}_{length}"] = number(sample, ".2f")
    numbers["score_ratio"] = number(score_ratio(by_base[BASE]), ".2f")
    for task in LAYERS:
        more, curves = extended(task)
        numbers, series = numbers | more, series | curves
    sizes = {"more": MORE, "factor": FACTOR}
    numbers |= {key: number(size, "d") for key, size in sizes.items()}
    numbers["yarn_keep"] = number(((TURNS[0] - 1) / (YARN_TURNS - 1)).item(), ".2f")
    numbers["ntk_base"] = number(WAYS["larger_base"][1], ",.0f")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
