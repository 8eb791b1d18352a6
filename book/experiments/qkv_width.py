"""Claim 32: what does a small d_k save, and does it keep a head from overfitting?

Heads of qkv_tied with d_k from 1 to d_model, all with the same d_v, see the same few sequences
again and again and are tested on new ones. Three tasks: recall; clean-up; and clean-up of names
that differ in four directions only, so that a d_k of four loses nothing. Beside them, weight decay
in the widest head. The learning rate, and the decay, are the best for other seeds than those that
are reported.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from measurements import Numbers, Series, claim, number, run_and_save
from qkv_tied import D_MODEL, SYMBOLS, Head, Task, fit
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

SEEDS, TUNING = range(5), range(100, 103)
SEQUENCES, STEPS, D_V, RANK = 32, 300, 16, 4
WIDTHS, RATES, DECAYS = (1, 2, 4, 8, 16, 32), (0.01, 0.03, 0.1), (0.1, 1.0, 10.0)
TASKS = {"recall": "recall", "clean-up": "cleanup", "clean-up, four directions": "few"}
LENGTH, WIDE, NARROW = 512, 768, 64  # for the count of operations

CLAIMS = [
    claim(
        32,
        "A d_k smaller than d_model reduces computation.",
        "Multiplications for queries, keys and scores of {length} tokens: one head with d_k = 64 "
        "takes {one_narrow} of those of one with d_k = 768, twelve such heads {twelve_narrow}.",
        "holds if",
        "the heads together are narrower than the model",
        stands=lambda n: n.one_narrow < 0.1 and n.twelve_narrow == 1,
    ),
    claim(
        32,
        "A d_k smaller than d_model acts as regularization.",
        "Heads trained on {sequences} sequences, accuracy on new ones. d_k = 4: recall {recall_4}, "
        "clean-up {cleanup_4}, clean-up of names in four directions {few_4}. d_k = 32 = d_model: "
        "{recall_32}, {cleanup_32} and {few_32}. With weight decay it is {recall_decay}, "
        "{cleanup_decay} and {few_decay}.",
        "false",
        stands=lambda n: (
            n.recall_32 > n.recall_4 + 0.02
            and n.cleanup_32 > n.cleanup_4 + 0.1
            and n.few_32 > n.few_4 - 0.03
        ),
    ),
]


class Result(NamedTuple):
    """Of each seed: cross-entropy on the training sequences (nats), accuracy on them and on new."""

    loss: list[float]
    seen: list[float]
    new: list[float]


def task_of(name: str, seeds: Sequence[int]) -> Task:
    """A task of qkv_tied; the third has names that lie in a space of `RANK` dimensions."""
    task = Task(name.partition(",")[0], seeds)
    if name not in ("recall", "clean-up"):
        place = torch.randn(len(seeds), SYMBOLS, RANK, generator=task.rng) / math.sqrt(RANK)
        basis = torch.randn(len(seeds), D_MODEL, RANK, generator=task.rng)
        task.names = place @ torch.linalg.qr(basis).Q.mT  # [seeds, symbols, d_model]
    return task


def result(name: str, d_k: int, rate: float, seeds: Sequence[int], decay: float = 0.0) -> Result:
    """What heads of one width make of a few sequences, and of new ones."""
    task, head = task_of(name, seeds), Head("qkv", d_k, seeds, D_V)
    few = task.batch(SEQUENCES)
    fit(head, lambda: few, rate, STEPS, decay)
    with torch.no_grad():
        loss = -head.logits(few).log_softmax(dim=-1).gather(-1, few.target[..., None])
    return Result(
        loss.mean(dim=(1, 2, 3)).tolist(), head.accuracy(few), head.accuracy(task.batch(500))
    )


def best(name: str, d_k: int, decays: Sequence[float] = (0.0,)) -> Result:
    """The result with the rate and the decay that are best on new sequences of other seeds."""
    choices = [(rate, decay) for rate in RATES for decay in decays]
    tried = {(r, d): sum(result(name, d_k, r, TUNING, d).new) for r, d in choices}
    rate, decay = max(choices, key=lambda choice: tried[choice])
    found = result(name, d_k, rate, SEEDS, decay)
    print(name, d_k, rate, decay, [f"{a:.2f}" for a in found.new], flush=True)
    return found


def multiplications(d_k: int, num_heads: int) -> int:
    """Of the projections to queries and keys and of the scores, counted while they are computed."""
    W_q, W_k = (nn.Linear(WIDE, num_heads * d_k, bias=False) for _ in range(2))
    x = torch.randn(LENGTH, WIDE)
    with FlopCounterMode(display=False) as counter:
        query, key = (W(x).unflatten(-1, (num_heads, d_k)).transpose(0, 1) for W in (W_q, W_k))
        _ = query @ key.mT  # [heads, queries, keys]
    return counter.get_total_flops() // 2  # it counts additions too


def measure() -> tuple[Numbers, Series]:
    wide = multiplications(WIDE, 1)
    numbers: Numbers = {
        "seeds": number(len(SEEDS), "d"),
        "sequences": number(SEQUENCES, "d"),
        "length": number(LENGTH, "d"),
        "one_narrow": number(multiplications(NARROW, 1) / wide, ".1%"),
        "twelve_narrow": number(multiplications(NARROW, WIDE // NARROW) / wide, ".0%"),
    }
    series: Series = {"widths": list(WIDTHS), "runs": {}}
    for task, short in TASKS.items():
        results = {d_k: best(task, d_k) for d_k in WIDTHS}
        for d_k, found in results.items():
            numbers[f"{short}_{d_k}"] = number(found.new, ".2f")
            numbers[f"{short}_seen_{d_k}"] = number(found.seen, ".1%")
            numbers[f"{short}_loss_{d_k}"] = number(found.loss, ".4f")
        numbers[f"{short}_decay"] = number(best(task, WIDTHS[-1], DECAYS).new, ".2f")
        series["runs"][task] = [
            list(run) for run in zip(*(r.new for r in results.values()), strict=True)
        ]
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
