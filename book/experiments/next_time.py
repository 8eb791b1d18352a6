"""What a step takes beside what it reads: keys that are shared, and several new tokens at once.

Attention of 32 heads to a cache of 16,384 tokens, and the product with one matrix of weights, in
float32 on one thread. All ways take turns in each round, and the least of some rounds counts, so
that other work on the machine counts as little as possible.
"""

import time
from collections.abc import Callable
from functools import partial

import torch
from measurements import Numbers, Series, number, of_machine, run_and_save
from torch import Tensor
from torch.nn import functional as F

SEEDS = range(5)
HEADS, D_K, LENGTH, D_MODEL, HIDDEN, ROUNDS = 32, 128, 16384, 4096, 11008, 3
SHARED, NEW = (32, 8, 1), (1, 2, 4, 8, 16, 32, 64)
SIDE, ITEM, MANY = 2048, 4, 2**27  # of a square product; bytes a number; numbers of a long vector
Run = Callable[[], Tensor]


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """query: [heads of keys, group * new tokens, d_k], folded as on the page."""
    return (query @ key.mT / D_K**0.5).softmax(dim=-1) @ value


def ways(seed: int) -> dict[str, Run]:
    """One new token by heads of keys; several at once with all heads, and with weights."""
    rng = torch.Generator().manual_seed(seed)
    key, value = torch.randn(2, HEADS, LENGTH, D_K, generator=rng)
    matrix, x = (torch.randn(n, D_MODEL, generator=rng) for n in (HIDDEN, NEW[-1]))
    query = torch.randn(HEADS * NEW[-1], D_K, generator=rng)

    def cached(kv_heads: int, new: int) -> Tensor:
        rows = query[: HEADS * new].view(kv_heads, -1, D_K)
        return attend(rows, key[:kv_heads], value[:kv_heads])

    found: dict[str, Run] = {f"shared_{n}": partial(cached, n, 1) for n in SHARED}
    for new in NEW:
        found[f"cache_{new}"] = partial(cached, HEADS, new)
        found[f"weights_{new}"] = partial(F.linear, x[:new], matrix)
    return found | speeds(rng)


def speeds(rng: torch.Generator) -> dict[str, Run]:
    """A product that hardly waits for memory, and a sum that does little else."""
    square, long = (torch.randn(*shape, generator=rng) for shape in ((SIDE, SIDE), (MANY,)))
    return {"product": lambda: square @ square, "sum": long.sum}


def seconds(run: Run) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def least(seed: int) -> dict[str, float]:
    """Processor seconds of each way."""
    runs = ways(seed)
    rounds = [{name: seconds(run) for name, run in runs.items()} for _ in range(ROUNDS)]
    return {name: min(one[name] for one in rounds) for name in runs}


def faster(taken: dict[str, float], what: str) -> list[float]:
    """How many times less a token takes with so many new tokens in a step as with one."""
    return [new * taken[f"{what}_1"] / taken[f"{what}_{new}"] for new in NEW]


def balance(taken: dict[str, float]) -> float:
    """Operations that the processor does in the time in which it reads a byte."""
    return (2 * SIDE**3 / taken["product"]) / (MANY * ITEM / taken["sum"])


def measure() -> tuple[Numbers, Series]:
    least(0)  # what is called first loads its kernels
    taken = [least(seed) for seed in SEEDS]
    series: Series = {"new": NEW}
    numbers = {"length": number(LENGTH, ",d")}
    numbers["ms"] = of_machine([1000 * one["shared_32"] for one in taken], ".0f", "ms")
    numbers["balance"] = of_machine([balance(one) for one in taken], ".1f")
    for shared in SHARED[1:]:
        ratios = [one["shared_32"] / one[f"shared_{shared}"] for one in taken]
        numbers[f"shared_{shared}"] = of_machine(ratios, ".1f")
    for what in ("cache", "weights"):
        series[what] = [faster(one, what) for one in taken]
        for at, new in enumerate(NEW):
            numbers[f"{what}_{new}"] = of_machine([run[at] for run in series[what]], ".1f")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
