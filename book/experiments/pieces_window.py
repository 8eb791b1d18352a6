"""Claim 56, its first half: is attention within a window linear in the length?

A window of 128 keys, one head in float32, computed in two ways with one output: all scores and a
mask, and blocks of queries that look at two blocks of keys each. Counted are operations in matrix
products and the most bytes alive, forward and backward; no time is taken.
"""

from collections.abc import Callable
from functools import partial

import torch
from cross_cost import LargestAlive
from measurements import Numbers, Series, number, run_and_save
from pieces_attention import at_once, window_attention, window_mask
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

SEEDS = range(5)
LENGTHS, WINDOW, WIDTH = (256, 512, 1024, 2048, 4096), 128, 64
MIB = 2**20
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]

CLAIMS = [
    claim(
        56,
        "Attention within a fixed window scales linearly with the length.",
        "A window of {window} keys, from 2,048 to 4,096 tokens, forward and backward: computed in "
        "blocks, the operations grow {work_growth_blocks} times and the most bytes alive "
        "{peak_growth_blocks} times. As a mask on all scores, {work_growth_mask} and "
        "{peak_growth_mask} times, with the same output.",
        "holds if",
        "each query computes a fixed number of scores",
        scope="one head 64 wide in float32, a window of 128 keys, 256 to 4,096 tokens, counted",
        control="The window alone does not do it: with a mask on all scores the operations grow "
        "{work_growth_mask} times. The two ways agree within {disagreement} in float64.",
        stands=lambda n: (
            n.work_growth_blocks < 2.1
            and n.peak_growth_blocks < 2.1
            and n.work_growth_mask > 3.9
            and n.peak_growth_mask > 3.5
            and n.disagreement < 1e-12
        ),
    )
]


def with_a_mask(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return at_once(query, key, value, window_mask(query.size(0), WINDOW))


WAYS: dict[str, Attend] = {"mask": with_a_mask, "blocks": partial(window_attention, window=WINDOW)}


def run(attend: Attend, given: list[Tensor]) -> None:
    attend(*given).sum().backward()


def given(length: int) -> list[Tensor]:
    return [torch.zeros(length, WIDTH, requires_grad=True) for _ in range(3)]


def peak(attend: Attend, length: int) -> float:
    """Mebibytes alive beyond the inputs."""
    inputs = given(length)
    with LargestAlive(inputs) as memory:
        run(attend, inputs)
    return memory.peak / MIB


def work(attend: Attend, length: int) -> int:
    with FlopCounterMode(display=False) as counter:
        run(attend, given(length))
    return counter.get_total_flops()


def disagreement(seed: int) -> float:
    """Largest difference of outputs and gradients, in float64; no block divides the length."""
    rng = torch.Generator().manual_seed(seed)
    made = [torch.randn(701, WIDTH, generator=rng, dtype=torch.float64) for _ in range(4)]
    inputs = [tensor.requires_grad_() for tensor in made[:3]]
    found = []
    for attend in WAYS.values():
        output = attend(*inputs)
        found.append([output, *torch.autograd.grad(output, inputs, made[3])])
    return max((one - other).abs().max().item() for one, other in zip(*found, strict=True))


def measure() -> tuple[Numbers, Series]:
    numbers = {
        "window": number(WINDOW, "d"),
        "disagreement": number(max(disagreement(seed) for seed in SEEDS), ".0e"),
    }
    series: Series = {"lengths": LENGTHS, "work": {}, "peak": {}}
    for kind, count, fmt, unit in (("work", work, ",.0f", ""), ("peak", peak, ",.1f", "MiB")):
        for name, attend in WAYS.items():
            found = [count(attend, length) for length in LENGTHS]
            series[kind][name] = found
            numbers[f"{kind}_growth_{name}"] = number(found[-1] / found[-2], ".2f")
            if unit:
                numbers[f"{kind}_{name}"] = number(found[-1], fmt, unit)
    ratio = series["work"]["mask"][-1] / series["work"]["blocks"][-1]
    needed = window_mask(LENGTHS[-1], WINDOW).sum().item()
    computed = LENGTHS[-1] * 2 * WINDOW
    numbers["work_times"] = number(ratio, ".0f")
    numbers["needed"] = number(needed / computed, ".0%")
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
