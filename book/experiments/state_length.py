"""Claims 82 and 83: trained on 256 positions, asked after up to 4,096.

Eight pairs lie among fillers, which have keys and no values; all are asked for at the end. The
rates were chosen on other seeds by the loss at 256 positions, the map of keys in
`state_recall.py`. The same models of softmax are also read with scores that grow with the
logarithm of the length, which changes nothing at 256.
"""

import math
from collections.abc import Callable, Sequence

import torch
from measurements import Numbers, Series, load, number, run_and_save
from recall import Params
from state_model import KINDS, PACES, average_loss, gates, projected, right, train
from state_tasks import LENGTH, VALUES, Batch, among_fillers
from state_tuning import chosen, key, of_rates
from verdicts import claim

SEEDS = range(5)
D_K, PAIRS = 16, 8
LENGTHS = (LENGTH, 512, 1024, 2048, 4096)
RATES = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
# A decay of 0.9997 at first, which changes slowly: with that of `state_recall.py` both gated kinds
# forget the sequence and learn nothing.
OPENED, SLOW_GATES = 8.0, PACES | {"W_decay": 0.03, "b_decay": 0.03}
STEPS, BATCH, TESTED, ONCE = 800, 8, 128, 32  # sequences of a test, and so many at once
LOG = "softmax, log"


SCOPE = (
    "one layer of one head, d_k 16, 8 pairs of 64 keys and 32 values among 32 symbols that are "
    "fillers, no positions, 800 steps of Adam"
)
CLAIMS = [
    claim(
        82,
        "Softmax attention finds less in texts longer than in training, since its weights flatten.",
        "Trained on {trained} positions, softmax has {right_softmax_256} right there and "
        "{right_softmax_4096} after {longest}. The mean weight on the pair that is asked for is "
        "{weight_softmax_256} and {weight_softmax_4096}.",
        "false",
        "where the longer text has more fillers of the same kind and no more pairs",
        scope=SCOPE,
        control="Scores that grow with the logarithm of the length, which keep the weights, give "
        "{right_log_4096} right after {longest}. The length alone is enough for other kinds to "
        "fail: the sum of all writes has {right_linear_256} and {right_linear_4096}.",
        stands=lambda n: (
            n.right_softmax_256 > 0.97
            and abs(n.right_softmax_4096 - n.right_softmax_256) < 0.02
            and n.right_linear_4096 < 0.5
        ),
    ),
    claim(
        83,
        "With a gate and the delta rule a state keeps more of a longer text than in training than "
        "with one of them alone.",
        "After {longest} positions, {right_gated_delta_4096} of the answers are right with both, "
        "{right_delta_4096} with the delta rule alone, {right_gated_4096} with the gate alone and "
        "{right_linear_4096} with neither. After {trained}, as in training, it is "
        "{right_gated_delta_256}, {right_delta_256}, {right_gated_256} and {right_linear_256}.",
        "holds if",
        "the gate alone is what both are compared with, since the delta rule alone does as well",
        scope=SCOPE,
        control="The state is not full: there are {pairs} pairs at every length, half of d_k, and "
        "only fillers are added. With the gate alone the pair that came first is right for "
        "{first_gated_4096} and the last for {last_gated_4096}, with neither it is "
        "{first_linear_4096} and {last_linear_4096}. All kinds have the best of the same rates.",
        stands=lambda n: (
            min(n.right_gated_delta_256, n.right_delta_256, n.right_gated_256) > 0.9
            and min(n.right_gated_delta_4096, n.right_delta_4096) > n.right_gated_4096 + 0.3
            and abs(n.right_gated_delta_4096 - n.right_delta_4096) < 0.05
        ),
    ),
]


def drawn(rng: torch.Generator) -> Batch:
    return among_fillers(rng, BATCH, PAIRS, LENGTH)


def tests(length: int) -> list[Batch]:
    rng = torch.Generator().manual_seed(63_000)
    return [among_fillers(rng, ONCE, PAIRS, length) for _ in range(TESTED // ONCE)]


def shape_of(kind: str) -> str:
    return "" if kind == "softmax" else load("state_recall")["numbers"]["map"]["value"]


def trainer(kind: str) -> Callable[[Sequence[float], Sequence[int]], Params]:
    return lambda rates, seeds: train(
        kind, shape_of(kind), D_K, rates, seeds, drawn, STEPS, OPENED, SLOW_GATES
    )


def trained(kind: str) -> tuple[float, Params]:
    batches = tests(LENGTH)
    rate, _ = chosen(RATES, trainer(kind), lambda m: average_loss(m, kind, shape_of(kind), batches))
    return rate, trainer(kind)([rate] * len(SEEDS), SEEDS)


def by_length(models: Params, kind: str, shape: str) -> list[list[list[float]]]:
    """Share of right answers: [lengths][seeds][pairs, the one that came first first]."""
    return [right(models, kind, shape, tests(length)).tolist() for length in LENGTHS]


@torch.no_grad()
def of_weights(models: Params) -> Numbers:
    """Of softmax: the mean weight on the pair that is asked for."""
    numbers: Numbers = {}
    for length in LENGTHS:
        keys, values, asked, _ = tests(length)[0]
        query, key_ = projected(models, "W_q", asked, None), projected(models, "W_k", keys, values)
        weights = (query @ key_.mT / math.sqrt(D_K)).softmax(dim=-1)
        on_pair = (weights * (keys[:, None] == asked[..., None])).sum(dim=-1).mean(dim=(1, 2))
        numbers[f"weight_softmax_{length}"] = number(on_pair.tolist(), ".3f")
    return numbers


@torch.no_grad()
def of_filler(models: Params, kind: str) -> Numbers:
    """The mean decay at fillers, where the kind has one: what is left of a state after 256."""
    keys, values, *_ = tests(LENGTH)[0]
    decay, _ = gates(models, kind, keys, values)
    if decay is None:
        return {}
    at = values == VALUES
    each = (decay * at).sum(dim=(1, 2)) / at.sum()
    return {f"left_{key(kind)}_{length}": number((each * length).exp().tolist(), ".2f")
            for length in LENGTHS}  # fmt: skip


def of_shares(name: str, found: list[list[list[float]]]) -> Numbers:
    """All pairs together, and the first and the last of eight."""
    numbers: Numbers = {}
    for length, seeds in zip(LENGTHS, found, strict=True):
        numbers[f"right_{name}_{length}"] = number([sum(row) / PAIRS for row in seeds], ".0%")
        for place, at in (("first", 0), ("last", -1)):
            numbers[f"{place}_{name}_{length}"] = number([row[at] for row in seeds], ".0%")
    return numbers


def measure() -> tuple[Numbers, Series]:
    rates: dict[str, float] = {}
    numbers: Numbers = {"pairs": number(PAIRS, "d"), "d_k": number(D_K, "d"),
                        "trained": number(LENGTH, "d"), "longest": number(LENGTHS[-1], ",d"),
                        "steps": number(STEPS, ",d")}  # fmt: skip
    series: Series = {"lengths": list(LENGTHS), "right": {}}
    for kind in KINDS:
        rates[kind], models = trained(kind)
        series["right"][kind] = by_length(models, kind, shape_of(kind))
        numbers |= of_shares(key(kind), series["right"][kind]) | of_filler(models, kind)
        if kind == "softmax":
            series["right"][LOG] = by_length(models, kind, "log")
            numbers |= of_shares("log", series["right"][LOG]) | of_weights(models)
    return numbers | of_rates(RATES, rates), series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
