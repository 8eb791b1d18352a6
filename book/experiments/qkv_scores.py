"""Claim 25: is additive attention more flexible than the dot product, and slower?

Two lookups in which queries and keys have different widths, each learned by four score functions
with about the same number of parameters, and again with eight times as many. The learning rate is
the better of two, for each of them. All seeds are trained at once, as one more axis.
"""

import math
from typing import NamedTuple

import torch
from measurements import claim, number, save
from torch import Tensor
from torch.nn import functional as F

SEEDS = range(5)
KEYS, QUERIES, BATCH, STEPS = 16, 4, 16, 1000
RATES = (0.01, 0.03)
LARGER = 8
SCORES = ("general", "dot", "additive", "dot of layers")


class Task(NamedTuple):
    """Widths of query and key, and the noise of a query; `width` of the scores' hidden axes."""

    name: str
    d_query: int
    d_key: int
    noise: float
    widths: dict[str, int]


TASKS = (
    # a query is a linear image of its key: 24 x 12 = 288 parameters do it
    Task("linear", 24, 12, 1.0, {"dot": 8, "additive": 8, "dot of layers": 8}),
    # a query is a point of the plane; its key is the nearest of 16 points, and a useless number
    Task("nearest", 2, 3, 0.0, {"dot": 20, "additive": 14, "dot of layers": 14}),
)


class Sampler:
    """Queries [seeds, batch, queries, d_query], keys [seeds, batch, keys, d_key], right keys."""

    def __init__(self, task: Task):
        self.task, self.rng = task, torch.Generator().manual_seed(25)
        self.map = self.normal(len(SEEDS), 1, task.d_key, task.d_query) / math.sqrt(task.d_key)

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.rng)

    def batch(self, size: int) -> tuple[Tensor, Tensor, Tensor]:
        shape = (len(SEEDS), size, QUERIES)
        if self.task.name == "linear":
            key = self.normal(len(SEEDS), size, KEYS, self.task.d_key)
            target = torch.randint(KEYS, shape, generator=self.rng)
            chosen = key.gather(2, target[..., None].expand(*shape, self.task.d_key))
            query = chosen @ self.map
            return query + self.task.noise * self.normal(*query.shape), key, target
        key = 2 * torch.rand(len(SEEDS), size, KEYS, 3, generator=self.rng) - 1
        query = 2 * torch.rand(*shape, 2, generator=self.rng) - 1
        distance = torch.cdist(query, key[..., :2].contiguous())
        return query, key, distance.argmin(dim=-1)


class Score:
    """One score function per seed, by name. `width` is that of its hidden axis."""

    def __init__(self, name: str, task: Task, width: int):
        self.name, self.rng = name, torch.Generator().manual_seed(5)
        q, k = task.d_query, task.d_key
        if name == "general":
            self.parameters = [self.matrix(q, k)]
        else:
            self.parameters = [self.matrix(q, width), self.matrix(k, width)]
        if name == "additive":  # the bias, and v
            self.parameters += [self.matrix(1, width), self.matrix(width, 1)]
        if name == "dot of layers":  # two biases
            self.parameters += [self.matrix(1, width), self.matrix(1, width)]

    def matrix(self, rows: int, columns: int) -> Tensor:
        made = torch.randn(len(SEEDS), 1, rows, columns, generator=self.rng) / math.sqrt(rows)
        return made.requires_grad_()

    def __call__(self, query: Tensor, key: Tensor) -> Tensor:
        """[seeds, batch, queries, keys]"""
        if self.name == "general":
            return query @ self.parameters[0] @ key.mT
        W_q, W_k, *rest = self.parameters
        query, key = query @ W_q, key @ W_k  # both [seeds, batch, ..., width]
        if self.name == "additive":
            bias, v = rest
            hidden = torch.tanh((query + bias)[..., :, None, :] + key[..., None, :, :])
            return (hidden @ v[:, :, None]).squeeze(-1)
        if self.name == "dot of layers":
            query, key = torch.tanh(query + rest[0]), torch.tanh(key + rest[1])
        return query @ key.mT

    def size(self) -> int:
        """Parameters of one seed's score function."""
        return sum(parameter[0].numel() for parameter in self.parameters)


def train(name: str, task: Task, factor: int, rate: float) -> tuple[list[float], int]:
    """Share of queries whose largest weight is on the right key, by seed; parameters."""
    sampler, score = Sampler(task), Score(name, task, factor * task.widths.get(name, 0))
    optimizer = torch.optim.Adam(score.parameters)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=STEPS)
    for _ in range(STEPS):
        query, key, target = sampler.batch(BATCH)
        loss = F.cross_entropy(score(query, key).flatten(0, 2), target.flatten())
        optimizer.zero_grad()
        (len(SEEDS) * loss).backward()  # the sum over seeds: each learns as if it were alone
        optimizer.step()
        schedule.step()
    with torch.no_grad():
        query, key, target = sampler.batch(1000)
        right = score(query, key).argmax(dim=-1) == target
    return right.float().mean(dim=(1, 2)).tolist(), score.size()


def best(name: str, task: Task, factor: int) -> tuple[list[float], int]:
    """The better learning rate's accuracies."""
    runs = [train(name, task, factor, rate) for rate in RATES]
    return max(runs, key=lambda run: sum(run[0]))


if __name__ == "__main__":
    import json, time
    torch.set_num_threads(1)
    out = {}
    for task in TASKS:
        for name in SCORES:
            for factor in (1, LARGER):
                if name == "general" and factor > 1: continue
                for rate in RATES:
                    t = time.time(); acc, size = train(name, task, factor, rate)
                    print(task.name, name, size, rate, [f"{a:.3f}" for a in acc], f"{time.time()-t:.0f}s", flush=True)
