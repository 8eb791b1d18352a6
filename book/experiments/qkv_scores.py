"""Claim 25: is additive attention more flexible than the dot product, and slower?

Two lookups in which queries and keys have different widths, each learned by four score functions
with about the same number of parameters, and again with a hidden axis four times as wide. The
learning rate of each of them is chosen on seeds that are not reported, by a search that goes on
until no neighbour of the best rate is better. All seeds are trained at once, as one more axis.
"""

import math
from typing import Any, NamedTuple

import torch
from choosing import Choice, search
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

SEEDS = range(5)
TUNING = 1000  # added to what seeds data and parameters: other seeds, to choose the rate with
KEYS, QUERIES, BATCH, STEPS = 16, 4, 8, 800
RATE = 0.03  # the one that is tried first
LARGER = 4
SCORES = ("general", "dot", "additive", "dot of layers")
WITH_SQUARES = "general with squares"  # keys carry the squares of their entries, queries a one


CLAIMS = [
    claim(
        25,
        "Additive attention is more flexible than the dot product.",
        "Finding the nearest point, with about 98 parameters: additive {nearest_additive}, dot "
        "product of projections {nearest_dot}, dot product of two small tanh layers "
        "{nearest_dot_of_layers}. With squared entries in the keys, a dot product finds "
        "{nearest_general_with_squares} by {nearest_general_with_squares_size} parameters. "
        "Undoing a rotation, with about 300: additive {rotation_additive}, dot product "
        "{rotation_dot}, general {rotation_general}.",
        "holds if",
        "the query seeks the nearest of keys that carry no squared entries",
        scope="two lookups among 16 keys, the nearest of them in two dimensions, 800 steps of "
        "Adam, each score with its own learning rate",
        control="A dot product with too few parameters: with {nearest_dot_larger_size} it finds "
        "{nearest_dot_larger} of the nearest points.",
        stands=lambda n: (
            n.nearest_additive > max(n.nearest_dot, n.nearest_dot_larger) + 0.3
            and n.nearest_general_with_squares > 0.8
            and n.rotation_general > n.rotation_additive + 0.2
        ),
    )
]


class Task(NamedTuple):
    """Widths of query and key, and the noise of a query; `width` of the scores' hidden axes."""

    name: str
    d_query: int
    d_key: int
    noise: float
    widths: dict[str, int]


TASKS = (
    # keys of one length, and a query is its key, rotated and noisy: 24 x 12 = 288 parameters do it
    Task("rotation", 24, 12, 1.0, {"dot": 8, "additive": 8, "dot of layers": 8}),
    # a query is a point of the plane; its key is the nearest of 16 points, and a useless number
    Task("nearest", 2, 3, 0.0, {"dot": 20, "additive": 14, "dot of layers": 14}),
)


class Sampler:
    """Queries [seeds, batch, queries, d_query], keys [seeds, batch, keys, d_key], right keys."""

    def __init__(self, task: Task, shift: int):
        self.task, self.rng = task, torch.Generator().manual_seed(25 + shift)
        rotations = torch.linalg.qr(self.normal(len(SEEDS), task.d_query, task.d_query)).Q
        self.map = rotations[:, None, : task.d_key]  # [seeds, 1, d_key, d_query], rows orthonormal

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.rng)

    def batch(self, size: int) -> tuple[Tensor, Tensor, Tensor]:
        shape = (len(SEEDS), size, QUERIES)
        if self.task.name == "rotation":
            key = self.normal(len(SEEDS), size, KEYS, self.task.d_key)
            key = F.normalize(key, dim=-1) * math.sqrt(self.task.d_key)
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

    def __init__(self, name: str, task: Task, width: int, shift: int):
        self.name, self.rng = name, torch.Generator().manual_seed(5 + shift)
        q, k = task.d_query, task.d_key
        if name == "general":
            self.parameters = [self.matrix(q, k)]
        elif name == WITH_SQUARES:
            self.parameters = [self.matrix(q + 1, 2 * k)]
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
        if self.name == WITH_SQUARES:
            query, key = F.pad(query, (0, 1), value=1.0), torch.cat([key, key**2], dim=-1)
        if self.name in ("general", WITH_SQUARES):
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


def train(
    name: str, task: Task, factor: int, rate: float, shift: int = 0
) -> tuple[list[float], int]:
    """Share of queries whose largest weight is on the right key, by seed; parameters."""
    width = factor * task.widths.get(name, 0)
    sampler, score = Sampler(task, shift), Score(name, task, width, shift)
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


def best_rate(name: str, task: Task, factor: int) -> Choice:
    """The rate with which the worst of the tuning seeds, trained at once, makes fewest mistakes."""

    def mistakes(rate: float, shift: int) -> float:
        return 1 - min(train(name, task, factor, rate, shift)[0])

    return search(mistakes, (TUNING,), RATE, 10**0.5)


def run_all() -> dict[str, dict[str, tuple[Choice, list[float], int]]]:
    """The choice of the rate, accuracies and size; by task, then by score function and by how wide
    its hidden axis is.
    """
    found: dict[str, Any] = {}
    for task in TASKS:
        found[task.name] = {}
        for name in (*SCORES, WITH_SQUARES) if task.name == "nearest" else SCORES:
            # only what has a hidden axis can be made larger
            for factor in (1, LARGER) if name in task.widths else (1,):
                key = name.replace(" ", "_") + ("_larger" if factor > 1 else "")
                choice = best_rate(name, task, factor)
                found[task.name][key] = choice, *train(name, task, factor, choice.best)
                print(task.name, key, found[task.name][key], flush=True)
    return found


def numbers_of(found: dict[str, Any]) -> Numbers:
    numbers: Numbers = {"seeds": number(float(len(SEEDS)), ".0f")}
    for task, by_score in found.items():
        for name, (choice, accuracy, size) in by_score.items():
            numbers[f"{task}_{name}_rate"] = choice.number(".2g")
            numbers[f"{task}_{name}"] = number(accuracy, ".2f")
            numbers[f"{task}_{name}_size"] = number(size, ",d")
    return numbers


def measure() -> tuple[Numbers, Series]:
    return numbers_of(run_all()), {}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
