"""Claim 20: what does it cost if keys and values, or queries and keys, share one projection?

One attention head over eight tokens, on three tasks; embeddings are random and frozen, so that the
projections have to do the work. A budget is a number of parameters: with two matrices tied, the
same budget buys heads that are a third wider. All kinds also have the widths 2, 4 and 8 in common.
The learning rate of each task, kind and width is chosen on seeds that are not reported, by a search
that goes on until no neighbour of the best rate is better. All seeds are trained at once, as one
more axis.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

SEEDS, TUNING = range(5), range(100, 102)
TOKENS, SYMBOLS, D_MODEL, NOISE = 8, 16, 32, 0.35
STEPS, BATCH = 600, 32
RATE, STEP = 0.1, 2.0  # the rate that is tried first, and by how much others differ from it
SEPARATE, TIED = (2, 3, 4, 6, 8, 12), (2, 4, 8, 16)  # 3, 6, 12 cost as much as 4, 8, 16 tied
TASKS = ("recall", "successor", "clean-up")
SIZES = {"small": 384, "medium": 768, "large": 1536}  # parameters: widths 3 or 4, 6 or 8, 12 or 16
SHORT = {"separate": "separate", "K = V": "shared", "Q = K": "asking"}
KINDS = {"separate": "qkv", "K = V": "qkk", "Q = K": "kkv"}


CLAIMS = [
    claim(
        20,
        "If keys and values were one matrix, the model would have to compromise.",
        "Accuracy of recalling goods by name, separate matrices: {recall_separate_width_2}, "
        "{recall_separate_width_4} and {recall_separate_width_8} at widths 2, 4 and 8; K = V: "
        "{recall_shared_width_2}, {recall_shared_width_4} and {recall_shared_width_8}. Of cleaning "
        "up noisy copies, where the key is the answer, at width 4: {cleanup_separate_width_4} and "
        "{cleanup_shared_width_4}.",
        "holds if",
        "one vector is too narrow for what the key and the value must say",
        scope="recall and clean-up with eight tokens, one head from 2 to 8 wide with frozen "
        "embeddings, 600 steps of Adam, each head with its own learning rate",
        control="Fewer parameters: with {small} each, separate matrices recall "
        "{recall_separate_small} and K = V {recall_shared_small}. Any pair that is tied: Q = K "
        "recalls {recall_asking_width_4} at width 4 and {recall_asking_width_2} at width 2.",
        stands=lambda n: (
            n.recall_separate_width_2 > n.recall_shared_width_2 + 0.3
            and n.recall_shared_width_8 > 0.95
            and n.cleanup_shared_width_4 > n.cleanup_separate_width_4 - 0.05
            and min(n.recall_separate_small, n.recall_asking_width_4) > n.recall_shared_small + 0.1
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

    def __init__(self, name: str, seeds: Sequence[int] = SEEDS):
        self.name, self.models = name, len(seeds)
        self.rng = torch.Generator().manual_seed(20 + seeds[0])
        shape = (self.models, SYMBOLS, D_MODEL)
        tables = [torch.randn(shape, generator=self.rng) / math.sqrt(D_MODEL) for _ in range(2)]
        self.names, self.goods = tables

    def batch(self, size: int) -> Batch:
        circle = TOKENS if self.name == "successor" else SYMBOLS
        order = torch.rand(self.models, size, circle, generator=self.rng).argsort(dim=-1)
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
    return table[torch.arange(len(table))[:, None, None], index]


class Head:
    """One attention head per seed: query, key and value by the letters of `kind`, and W_o.

    All of them are `width` wide; `d_v` is another width for the values, if they are not tied.
    """

    def __init__(self, kind: str, width: int, seeds: Sequence[int] = SEEDS, d_v: int | None = None):
        self.kind, self.width, self.seeds = kind, width, seeds
        widths = {"q": width, "k": width, "v": d_v or width}
        self.W = {
            letter: self._matrix(D_MODEL, widths[letter], "qkv".index(letter)) for letter in widths
        }
        self.W_o = self._matrix(widths[kind[2]], D_MODEL, at=3)
        self.parameters = [self.W[letter] for letter in sorted(set(kind))] + [self.W_o]

    def _matrix(self, rows: int, columns: int, at: int) -> Tensor:
        made = []
        for seed in self.seeds:
            rng = torch.Generator().manual_seed(100 * seed + at)
            made.append(torch.randn(rows, columns, generator=rng) / math.sqrt(rows))
        return torch.stack(made)[:, None].requires_grad_()  # [seeds, 1, rows, columns]

    def scores(self, batch: Batch) -> Tensor:
        """[seeds, batch, tokens, tokens]"""
        query, key = batch.queries @ self.W[self.kind[0]], batch.memory @ self.W[self.kind[1]]
        return query @ key.mT / math.sqrt(self.width)

    def logits(self, batch: Batch) -> Tensor:
        """[seeds, batch, tokens, symbols]"""
        value = batch.memory @ self.W[self.kind[2]]
        return self.scores(batch).softmax(dim=-1) @ value @ self.W_o @ batch.answers.mT[:, None]

    def loss(self, batch: Batch) -> Tensor:
        """Cross-entropy, summed over seeds: each learns as if it were alone."""
        logits = self.logits(batch).flatten(0, 2)
        return len(self.seeds) * F.cross_entropy(logits, batch.target.flatten())

    def accuracy(self, batch: Batch) -> list[float]:
        """Share of right answers of each seed."""
        with torch.no_grad():
            right = self.logits(batch).argmax(dim=-1) == batch.target
        return right.float().mean(dim=(1, 2)).tolist()

    def size(self) -> int:
        """Parameters of one seed's head."""
        return sum(matrix[0].numel() for matrix in self.parameters)


def fit(
    head: Head,
    next_batch: Callable[[], Batch],
    rate: float,
    steps: int = STEPS,
    decay: float = 0.0,
) -> None:
    """Train a head with Adam; the learning rate rises to `rate` and falls to zero."""
    optimizer = torch.optim.AdamW(head.parameters, weight_decay=decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    for _ in range(steps):
        loss = head.loss(next_batch())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


def train(
    task: str, kind: str, width: int, rate: float, seeds: Sequence[int], steps: int = STEPS
) -> list[float]:
    """Accuracy of each seed on unseen sequences."""
    source, head = Task(task, seeds), Head(kind, width, seeds)
    fit(head, lambda: source.batch(BATCH), rate, steps)
    return head.accuracy(source.batch(1000))


def best_rate(task: str, kind: str, width: int) -> Choice:
    """The learning rate with which the worst of the tuning seeds makes fewest mistakes."""

    def mistakes(rate: float, seed: int) -> float:
        return 1 - train(task, kind, width, rate, [seed])[0]

    return search(mistakes, TUNING, RATE, STEP)


def run_all() -> dict[str, dict[str, dict[int, Any]]]:
    """By task, kind and number of parameters: the choice of the rate, accuracies of the seeds."""
    found: dict[str, Any] = {}
    for task in TASKS:
        found[task] = {}
        for kind, letters in KINDS.items():
            found[task][kind] = {}
            for width in SEPARATE if kind == "separate" else TIED:
                choice, size = best_rate(task, letters, width), Head(letters, width).size()
                accuracy = train(task, letters, width, choice.best, SEEDS)
                found[task][kind][size] = choice, accuracy
                shown = [f"{a:.2f}" for a in accuracy]
                print(task, kind, width, size, choice.best, shown, flush=True)
    return found


def numbers_of(found: dict[str, Any]) -> Numbers:
    """Accuracy of every task and kind at the budgets and at the widths that all kinds share."""
    numbers: Numbers = {"seeds": number(float(len(SEEDS)), ".0f")}
    for size_name, size in SIZES.items():
        numbers[size_name] = number(size, ",d")
        for task, by_kind in found.items():
            for kind, by_size in by_kind.items():
                key = f"{task.replace('-', '')}_{SHORT[kind]}_{size_name}"
                choice, accuracy = by_size[size]
                numbers[key] = number(accuracy, ".2f")
                numbers[f"{key}_rate"] = choice.number(".2g")
    for width in sorted({*SEPARATE} & {*TIED}):
        for task, by_kind in found.items():
            for kind, by_size in by_kind.items():
                key = f"{task.replace('-', '')}_{SHORT[kind]}_width_{width}"
                choice, accuracy = by_size[Head(KINDS[kind], width).size()]
                numbers[key] = number(accuracy, ".2f")
                numbers[f"{key}_rate"] = choice.number(".2g")
    return numbers


def series_of(found: dict[str, Any]) -> Series:
    """Per task and kind: the numbers of parameters, and accuracies [seeds, sizes]."""
    series: Series = {}
    for task, by_kind in found.items():
        series[task] = {}
        for kind, by_size in by_kind.items():
            runs = [list(run) for run in zip(*(a for _, a in by_size.values()), strict=True)]
            series[task][kind] = {"sizes": list(by_size), "runs": runs}
    return series


def measure() -> tuple[Numbers, Series]:
    found = run_all()
    return numbers_of(found), series_of(found)


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
