"""Claim 25, its second half: what does a score function cost, in time, operations and memory?

Scores of n queries and n keys, 64 wide, hidden axis 64 wide, forward and backward. Time is the
processor time of this process, the least of some rounds taken in turns, so that other work on the
machine counts as little as possible.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import torch
from measurements import Numbers, Series, number, of_machine, run_and_save
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from verdicts import claim

SEEDS = range(5)
LENGTHS, WIDTH, ROUNDS = (64, 128, 256, 512), 64, 5

CLAIMS = [
    claim(
        25,
        "Additive attention is computationally expensive beside the dot product.",
        "512 queries and keys, 64 wide: a largest intermediate tensor of {memory_512} times the "
        "size of dot-product scores, one hidden vector for each pair, and {time_512} times the "
        "processor time, forward and backward.",
        "holds",
        scope="512 queries and keys 64 wide, written in PyTorch without a fused kernel, one thread "
        "of a CPU",
        control="More multiplications: it has {flops_512} times those of the dot product. Other "
        "work on the machine: the time is that of this process, the least of five rounds taken in "
        "turns.",
        stands=lambda n: n.memory_512 >= 10 and n.flops_512 < 1.1,
    )
]


class Largest(TorchDispatchMode):
    """Bytes of the largest tensor that any operation returns, views included."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(result, Tensor):
            self.bytes = max(self.bytes, result.nbytes)
        return result


class Scores:
    """The score functions with random parameters. Each [queries, keys]"""

    def __init__(self, length: int, seed: int):
        rng = torch.Generator().manual_seed(seed)
        shapes = [(length, WIDTH)] * 2 + [(WIDTH, WIDTH)] * 2 + [(WIDTH,)]
        made = [torch.randn(shape, generator=rng) / math.sqrt(WIDTH) for shape in shapes]
        self.query, self.key, self.W_q, self.W_k, self.v = (t.requires_grad_() for t in made)

    def dot(self) -> Tensor:
        return (self.query @ self.W_q) @ (self.key @ self.W_k).T

    def general(self) -> Tensor:
        return self.query @ self.W_q @ self.key.T

    def additive(self) -> Tensor:
        query, key = self.query @ self.W_q, self.key @ self.W_k
        return torch.tanh(query[:, None] + key) @ self.v  # [queries, keys, hidden] inside


NAMES = ("dot", "general", "additive")


def seconds(score: Callable[[], Tensor]) -> float:
    began = time.process_time()
    score().sum().backward()
    return time.process_time() - began


def times(length: int, seed: int) -> dict[str, float]:
    """Least processor seconds of each score function, forward and backward."""
    scores = Scores(length, seed)
    rounds = [{n: seconds(getattr(scores, n)) for n in NAMES} for _ in range(ROUNDS + 1)][1:]
    return {name: min(one[name] for one in rounds) for name in NAMES}


def largest(name: str, length: int) -> int:
    with Largest() as seen, torch.no_grad():
        getattr(Scores(length, 0), name)()
    return seen.bytes


def multiplications(name: str, length: int) -> int:
    """Two projections (general: one), then one product a pair and hidden unit."""
    projections = 1 if name == "general" else 2
    return projections * length * WIDTH**2 + length**2 * WIDTH


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"width": number(WIDTH, "d")}
    series: Series = {"lengths": list(LENGTHS), "milliseconds": {name: [] for name in NAMES}}
    taken = [[times(length, seed) for length in LENGTHS] for seed in SEEDS]
    for at, length in enumerate(LENGTHS):
        of_length = [row[at] for row in taken]
        ratios = {name: [t[name] / t["dot"] for t in of_length] for name in ("additive", "general")}
        numbers[f"time_{length}"] = of_machine(ratios["additive"], ".0f")
        numbers[f"general_{length}"] = of_machine(ratios["general"], ".2f")
        numbers[f"memory_{length}"] = number(
            largest("additive", length) / largest("dot", length), ".0f"
        )
        numbers[f"flops_{length}"] = number(
            multiplications("additive", length) / multiplications("dot", length), ".2f"
        )
    numbers["megabytes_512"] = number(largest("additive", 512) / 2**20, ".0f", "MiB")
    numbers["dot_megabytes_512"] = number(largest("dot", 512) / 2**20, ".0f", "MiB")
    for name in NAMES:
        series["milliseconds"][name] = [[1000 * t[name] for t in row] for row in taken]
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
