"""Claim 20: what does it cost if keys and values, or queries and keys, share one projection?

One attention head over eight tokens, on three tasks; embeddings are random and frozen, so that the
projections have to do the work. A budget is a number of parameters: with two matrices tied, the
same budget buys heads that are a third wider. All seeds are trained at once, as one more axis.
"""

import math
from typing import Any, NamedTuple

import torch
from measurements import Numbers, Series, claim, number, run_and_save
from torch import Tensor
from torch.nn import functional as F

SEEDS = range(5)
TOKENS, SYMBOLS, D_MODEL, NOISE = 8, 16, 32, 0.35
STEPS, BATCH, LEARNING_RATE = 600, 32, 0.02
SEPARATE, TIED = (1, 2, 3, 6, 12), (2, 4, 8, 16)  # widths; 3, 6, 12 and 4, 8, 16 cost the same
TASKS = ("recall", "successor", "clean-up")
SIZES = {"small": 384, "medium": 768, "large": 1536}  # parameters: widths 3 or 4, 6 or 8, 12 or 16
SHORT = {"separate": "separate", "K = V": "shared", "Q = K": "asking"}
KINDS = {"separate": "qkv", "K = V": "qkk", "Q = K": "kkv"}


CLAIMS = [
    claim(
        20,
        "If keys and values were one matrix, the model would have to compromise.",
        "Accuracy of recalling goods by name, {small} parameters: {recall_shared_small} with "
        "K = V, {recall_separate_small} with separate matrices. With {medium} parameters: "
        "{recall_shared_medium} and {recall_separate_medium}. Of cleaning up noisy copies, where "
        "the key is the answer, {small} parameters: {cleanup_shared_small} with K = V and "
        "{cleanup_separate_small} with separate matrices.",
        "holds if",
        "what a key must say and what a value must say do not fit into one width together",
        stands=lambda n: (
            n.recall_separate_small > n.recall_shared_small + 0.3
            and n.recall_shared_medium > 0.95
            and n.cleanup_shared_small > n.cleanup_separate_small
        ),
    )
]


class Batch(NamedTuple):
    """Queries and memory [seeds, batch, tokens, d_model], what is right, and the answers' table."""

    queries: Tensor
    memory: Tensor
    target: Tensor  # [seeds, batch, tokens]
    answers: Tensor  # [seeds, symbols, d_model]


class Task:
    """Samples of one task. Symbols have frozen random embeddings: one table of names, one of goods.

    recall: the memory holds pairs of name and goods, a query holds a name; answer: the goods.
    successor: each token holds a pair; answer: the goods of the next name, the last being before
    the first. clean-up: the memory holds names, a query one of them with noise; answer: which one.
    """

    def __init__(self, name: str):
        self.name = name
        self.rng = torch.Generator().manual_seed(20)
        shape = (len(SEEDS), SYMBOLS, D_MODEL)
        tables = [torch.randn(shape, generator=self.rng) / math.sqrt(D_MODEL) for _ in range(2)]
        self.names, self.goods = tables

    def batch(self, size: int) -> Batch:
        circle = TOKENS if self.name == "successor" else SYMBOLS
        order = torch.rand(len(SEEDS), size, circle, generator=self.rng).argsort(dim=-1)
        name = order[..., :TOKENS]  # all different: [seeds, batch, tokens]
        goods = torch.randint(SYMBOLS, name.shape, generator=self.rng)
        if self.name == "clean-up":
            memory = look_up(self.names, name)
            noise = NOISE * torch.randn(memory.shape, generator=self.rng)
            return Batch(memory + noise, memory, name, self.names)
        memory = look_up(self.names, name) + look_up(self.goods, goods)
        if self.name == "recall":
            return Batch(look_up(self.names, name), memory, goods, self.goods)
        place = name.argsort(dim=-1)  # where each name stands
        next_place = place.gather(-1, (name + 1) % TOKENS)
        return Batch(memory, memory, goods.gather(-1, next_place), self.goods)


def look_up(table: Tensor, index: Tensor) -> Tensor:
    """Rows of each seed's table: [seeds, batch, tokens, d_model]."""
    return table[torch.arange(len(SEEDS))[:, None, None], index]


class Head:
    """One attention head per seed: query, key and value by the letters of `kind`, and W_o."""

    def __init__(self, kind: str, width: int):
        self.kind, self.width = kind, width
        self.W = {letter: self._matrix(D_MODEL, width, at) for at, letter in enumerate("qkv")}
        self.W_o = self._matrix(width, D_MODEL, at=3)
        self.parameters = [self.W[letter] for letter in sorted(set(kind))] + [self.W_o]

    def _matrix(self, rows: int, columns: int, at: int) -> Tensor:
        made = []
        for seed in SEEDS:
            rng = torch.Generator().manual_seed(100 * seed + at)
            made.append(torch.randn(rows, columns, generator=rng) / math.sqrt(rows))
        return torch.stack(made)[:, None].requires_grad_()  # [seeds, 1, rows, columns]

    def logits(self, batch: Batch) -> Tensor:
        """[seeds, batch, tokens, symbols]"""
        query, key, value = (self.W[letter] for letter in self.kind)
        query, key, value = batch.queries @ query, batch.memory @ key, batch.memory @ value
        weights = (query @ key.mT / math.sqrt(self.width)).softmax(dim=-1)
        return weights @ value @ self.W_o @ batch.answers.mT[:, None]

    def size(self) -> int:
        """Parameters of one seed's head."""
        return sum(matrix[0].numel() for matrix in self.parameters)


def train(task: str, kind: str, width: int) -> tuple[list[float], int]:
    """Accuracy of each seed on unseen sequences, and the number of parameters."""
    source, head = Task(task), Head(kind, width)
    optimizer = torch.optim.Adam(head.parameters)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=STEPS)
    for _ in range(STEPS):
        batch = source.batch(BATCH)
        loss = F.cross_entropy(head.logits(batch).flatten(0, 2), batch.target.flatten())
        optimizer.zero_grad()
        (len(SEEDS) * loss).backward()  # the sum over seeds: each learns as if it were alone
        optimizer.step()
        schedule.step()
    with torch.no_grad():
        batch = source.batch(1000)
        right = head.logits(batch).argmax(dim=-1) == batch.target
    return right.float().mean(dim=(1, 2)).tolist(), head.size()


def run_all() -> dict[str, dict[str, dict[int, list[float]]]]:
    """Accuracy by task, kind and number of parameters: one value a seed."""
    found: dict[str, Any] = {}
    for task in TASKS:
        found[task] = {}
        for kind, letters in KINDS.items():
            found[task][kind] = {}
            for width in SEPARATE if kind == "separate" else TIED:
                accuracy, size = train(task, letters, width)
                found[task][kind][size] = accuracy
                print(task, kind, width, size, [f"{a:.2f}" for a in accuracy], flush=True)
    return found


def numbers_of(found: dict[str, Any]) -> Numbers:
    """Accuracy of every task and kind at the three budgets that all kinds can spend exactly."""
    numbers: Numbers = {"seeds": number(float(len(SEEDS)), ".0f")}
    for size_name, size in SIZES.items():
        numbers[size_name] = number(size, ",d")
        for task, by_kind in found.items():
            for kind, by_size in by_kind.items():
                key = f"{task.replace('-', '')}_{SHORT[kind]}_{size_name}"
                numbers[key] = number(by_size[size], ".2f")
    return numbers


def series_of(found: dict[str, Any]) -> Series:
    """Per task and kind: the numbers of parameters, and accuracies [seeds, sizes]."""
    series: Series = {}
    for task, by_kind in found.items():
        series[task] = {}
        for kind, by_size in by_kind.items():
            runs = [list(run) for run in zip(*by_size.values(), strict=True)]
            series[task][kind] = {"sizes": list(by_size), "runs": runs}
    return series


def measure() -> tuple[Numbers, Series]:
    found = run_all()
    return numbers_of(found), series_of(found)


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
