"""Claim 32: what does a small d_k save, and does it keep a head from overfitting?

Heads of qkv_tied with d_k from 1 to d_model, all with the same d_v, see the same few sequences
again and again and are tested on new ones. Three tasks: recall; clean-up; and clean-up of names
that differ in four directions only, so that a d_k of four loses nothing.

Each width has a learning rate of its own, searched on seeds that are not reported. Since this rate
is best on new sequences, it may itself keep a wide head from overfitting. So all widths are also
trained at one rate, for as many steps (`same`) and for four times as many (`long`). Beside them,
weight decay in the widest head, whose amount is chosen on the same seeds: it shows that the test
can tell when something regularises.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save
from qkv_tied import D_MODEL, SYMBOLS, Head, Task, fit
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

SEEDS, TUNING = range(5), range(100, 103)
SEQUENCES, STEPS, D_V, RANK = 32, 300, 16, 4
WIDTHS, RATE, LONG = (1, 2, 4, 8, 16, 32), 0.03, 4  # RATE: the one for all widths, tried first
NO_DECAY, DECAYS = 0.0, (0.0, 0.01, 0.1, 1.0, 10.0, 100.0)
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
        scope="counted for 512 tokens 768 wide",
        control="An error of the count: for each head, 2 · 512 · 768 · d_k + 512² · d_k is "
        "proportional to d_k, so it gives 1/12 and 1, too.",
        stands=lambda n: abs(n.one_narrow - 1 / 12) < 1e-4 and n.twelve_narrow == 1,
    ),
    claim(
        32,
        "A d_k smaller than d_model acts as regularization.",
        "Heads trained on {sequences} sequences, accuracy on new ones. d_k = 4: recall {recall_4}, "
        "clean-up {cleanup_4}, clean-up of names in four directions {few_4}. d_k = 32 = d_model: "
        "{recall_32}, {cleanup_32} and {few_32}.",
        "false",
        "no small d_k is better on new sequences than d_k = d_model, beyond what seeds differ by",
        scope="three toy tasks, one head with frozen embeddings and values 16 wide, 32 training "
        "sequences, 300 steps of Adam at a rate for each d_k and 1,200 steps at one rate",
        control="Learning rates that keep wide heads from overfitting: at one rate and four times "
        "the steps, d_k = 4 has {recall_long_4}, {cleanup_long_4} and {few_long_4}, and d_k = 32 "
        "has {recall_long_32}, {cleanup_long_32} and {few_long_32}. A wide head that never fits "
        "its sequences: then it answers {recall_long_seen_32}, {cleanup_long_seen_32} and "
        "{few_long_seen_32} of them. A test that sees no regularisation: weight decay raises "
        "recall with d_k = 32 by {recall_decay_gain} and clean-up by {cleanup_decay_gain}; four "
        "directions by {few_decay_gain}, so that task alone cannot tell.",
        stands=lambda n: (
            n.recall_4 < n.recall_32 - 0.02
            and n.cleanup_4 < n.cleanup_32 - 0.1
            and narrow_lead(n) < 0.03
            and min(n.recall_long_seen_32, n.cleanup_long_seen_32) > 0.99
            and n.cleanup_decay_gain > 0.01
        ),
    ),
]


class Result(NamedTuple):
    """Of each seed: cross-entropy on the training sequences (nats), accuracy on them and on new."""

    loss: list[float]
    seen: list[float]
    new: list[float]


def narrow_lead(numbers: Any) -> float:
    """By how much a narrower head is ahead of the widest on new sequences, at most."""
    kinds = [f"{short}{kind}" for short in TASKS.values() for kind in ("", "_same", "_long")]
    widest = WIDTHS[-1]
    return max(
        getattr(numbers, f"{kind}_{d_k}") - getattr(numbers, f"{kind}_{widest}")
        for kind in kinds
        for d_k in WIDTHS[:-1]
    )


def task_of(name: str, seeds: Sequence[int]) -> Task:
    """A task of qkv_tied; the third has names that lie in a space of `RANK` dimensions."""
    task = Task(name.partition(",")[0], seeds)
    if name not in ("recall", "clean-up"):
        place = torch.randn(len(seeds), SYMBOLS, RANK, generator=task.rng) / math.sqrt(RANK)
        basis = torch.randn(len(seeds), D_MODEL, RANK, generator=task.rng)
        task.names = place @ torch.linalg.qr(basis).Q.mT  # [seeds, symbols, d_model]
    return task


def result(
    name: str,
    d_k: int,
    rate: float,
    seeds: Sequence[int] = SEEDS,
    decay: float = NO_DECAY,
    steps: int = STEPS,
) -> Result:
    """What heads of one width make of a few sequences, and of new ones."""
    task, head = task_of(name, seeds), Head("qkv", d_k, seeds, D_V)
    few = task.batch(SEQUENCES)
    fit(head, lambda: few, rate, steps, decay)
    with torch.no_grad():
        loss = -head.logits(few).log_softmax(dim=-1).gather(-1, few.target[..., None])
    return Result(
        loss.mean(dim=(1, 2, 3)).tolist(), head.accuracy(few), head.accuracy(task.batch(500))
    )


def best_rate(name: str, d_k: int, decay: float = NO_DECAY) -> Choice:
    """The rate with which the worst of the tuning seeds, trained at once, makes fewest mistakes on
    new sequences.
    """

    def mistakes(rate: float, _: int) -> float:
        return 1 - min(result(name, d_k, rate, TUNING, decay).new)

    return search(mistakes, TUNING[:1], RATE, 10**0.5)


def best_decay(name: str) -> tuple[Choice, Choice]:
    """Of the widest head: the decay, each one at its own best rate, and that rate."""
    rates = {decay: best_rate(name, WIDTHS[-1], decay) for decay in DECAYS}
    losses = {decay: choice.losses[choice.best] for decay, choice in rates.items()}
    decay = Choice(losses, natural=(NO_DECAY,))
    return decay, rates[decay.best]


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
        "steps": number(STEPS, "d"),
        "long_steps": number(LONG * STEPS, ",d"),
        "rate_for_all": number(RATE, ".2g"),
        "one_narrow": number(multiplications(NARROW, 1) / wide, ".1%"),
        "twelve_narrow": number(multiplications(NARROW, WIDE // NARROW) / wide, ".0%"),
    }
    series: Series = {"widths": list(WIDTHS), "runs": {}}
    for task, short in TASKS.items():
        runs = []
        for d_k in WIDTHS:
            choice = best_rate(task, d_k)
            numbers[f"{short}_rate_{d_k}"] = choice.number(".2g")
            found = result(task, d_k, choice.best)
            runs.append(found.new)
            numbers |= numbers_of(found, short, d_k)
            numbers |= numbers_of(result(task, d_k, RATE), f"{short}_same", d_k)
            longer = result(task, d_k, RATE, steps=LONG * STEPS)
            numbers |= numbers_of(longer, f"{short}_long", d_k)
            print(task, d_k, choice.losses, *(f"{a:.2f}" for a in found.new), flush=True)
        numbers |= with_decay(task, short, runs[-1])
        series["runs"][task] = [list(run) for run in zip(*runs, strict=True)]
    return numbers, series


def numbers_of(found: Result, name: str, d_k: int) -> Numbers:
    return {
        f"{name}_{d_k}": number(found.new, ".2f"),
        f"{name}_seen_{d_k}": number(found.seen, ".1%"),
        f"{name}_loss_{d_k}": number(found.loss, ".4f"),
    }


def with_decay(task: str, short: str, without: list[float]) -> Numbers:
    """The widest head with the chosen decay, and what each seed gains by it."""
    decay, rate = best_decay(task)
    found = result(task, WIDTHS[-1], rate.best, decay=decay.best)
    gain = [a - b for a, b in zip(found.new, without, strict=True)]
    print(task, "decay", decay.losses, rate.losses, gain, flush=True)
    return {
        f"{short}_decay": number(found.new, ".2f"),
        f"{short}_decay_chosen": decay.number("g"),
        f"{short}_decay_rate": rate.number(".2g"),
        f"{short}_decay_gain": number(gain, ".3f"),
    }


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
