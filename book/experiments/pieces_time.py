"""Claims 52 and 54: the processor time of attention in pieces, by their size, and in what order.

One head, 2,048 tokens, width 64, float32, forward and backward. All ways take turns in each round,
and the least of some rounds counts, so that other work on the machine counts as little as possible.
Operations in matrix products are counted beside it.
"""

import time
from collections.abc import Callable

import torch
from measurements import Numbers, Series, number, of_machine, run_and_save
from pieces_attention import at_once, by_chunks, recomputed, rows_by_chunks, spans
from torch import Tensor
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

SEEDS = range(5)
LENGTH, WIDTH, ROUNDS = 2048, 64, 3
CHUNKS = (64, 128, 256, 512, 1024, 2048)
QUERIES, ROOT = 1024, 45  # ROOT is the root of the length, rounded
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]

CLAIMS = [
    claim(
        52,
        "Attention in little memory, with pieces of about √n keys, is within a few percent of the "
        "time of the standard way.",
        "It was said of a TPU. On a CPU, one head of {length} tokens, forward, beside attention at "
        "once: {forward_root} times the processor time with pieces of {root} keys and {queries} "
        "queries, {forward_512} times with pieces of 512 of both, {forward_1024} times with 1,024. "
        "PyTorch's kernel: {forward_torch} times.",
        "not tested",
        "on a TPU",
        scope="one head 64 wide, 2,048 tokens, float32, forward, one thread of a CPU",
        stands=lambda n: n.root < n.queries,
    ),
    claim(
        54,
        "Computing the weights again takes less time, since less is moved.",
        "It was said of a GPU. On a CPU, forward and backward, with {flops_times} times the "
        "operations: PyTorch's kernel takes {both_torch} times the processor time of attention at "
        "once, and pieces of 256 in a loop of Python take {both_256} times.",
        "not tested",
        "on a GPU",
        scope="one head 64 wide, 2,048 tokens, float32, one thread of a CPU",
        stands=lambda n: n.flops_times > 1.1,
    ),
]


def kernel(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """PyTorch's own, in the layout for which it does not write the weights (heads_paths)."""
    query, key, value = (tensor[None, None] for tensor in (query, key, value))
    return F.scaled_dot_product_attention(query, key, value)[0, 0]


def in_chunks(chunk: int, training: bool) -> Attend:
    if training:
        return lambda query, key, value: recomputed(query, key, value, chunk)
    return lambda query, key, value: by_chunks(query, key, value, chunk)[0]


def as_published(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Many queries at a time, and about √n keys, as Rabe and Staats count their memory."""
    found = [
        rows_by_chunks(query, key, value, ROOT, False, rows)[0] for rows in spans(LENGTH, QUERIES)
    ]
    return torch.cat(found)


def ways(kind: str) -> dict[str, Attend]:
    training = kind == "both"
    found: dict[str, Attend] = {"at_once": at_once, "torch": kernel}
    found |= {str(chunk): in_chunks(chunk, training) for chunk in CHUNKS}
    return found if training else found | {"root": as_published}


def inputs(seed: int) -> list[Tensor]:
    """Query, key, value, and the gradient of the output."""
    rng = torch.Generator().manual_seed(seed)
    return [torch.randn(LENGTH, WIDTH, generator=rng) for _ in range(4)]


def forward(attend: Attend, given: list[Tensor]) -> None:
    with torch.no_grad():
        attend(*given[:3])


def both(attend: Attend, given: list[Tensor]) -> None:
    asked = [tensor.detach().requires_grad_() for tensor in given[:3]]
    attend(*asked).backward(given[3])


RUNS = {"forward": forward, "both": both}


def seconds(run: Callable[[Attend, list[Tensor]], None], way: Attend, given: list[Tensor]) -> float:
    began = time.process_time()
    run(way, given)
    return time.process_time() - began


def least(seed: int) -> dict[str, dict[str, float]]:
    """Processor seconds of each way, by kind of run."""
    given = inputs(seed)
    rounds = [
        {
            kind: {name: seconds(run, way, given) for name, way in ways(kind).items()}
            for kind, run in RUNS.items()
        }
        for _ in range(ROUNDS)
    ]
    return {
        kind: {name: min(one[kind][name] for one in rounds) for name in ways(kind)} for kind in RUNS
    }


def flops(kind: str, way: Attend) -> int:
    with FlopCounterMode(display=False) as counter:
        RUNS[kind](way, inputs(0))
    return counter.get_total_flops()


def counted() -> Numbers:
    found = {
        f"{kind}_{name}": flops(kind, ways(kind)[name])
        for kind in RUNS
        for name in ("at_once", "256")
    }
    back = {name: found[f"both_{name}"] - found[f"forward_{name}"] for name in ("at_once", "256")}
    return {
        "flops_times": number(found["both_256"] / found["both_at_once"], ".3f"),
        "flops_times_forward": number(found["forward_256"] / found["forward_at_once"], ".2f"),
        "flops_times_backward": number(back["256"] / back["at_once"], ".2f"),
        "products_at_once": number(found["both_at_once"] / (2 * LENGTH**2 * WIDTH), ".0f"),
        "products_again": number(found["both_256"] / (2 * LENGTH**2 * WIDTH), ".0f"),
    }


def measure() -> tuple[Numbers, Series]:
    for kind, run in RUNS.items():  # what is called first loads its kernels
        for name in ("at_once", "torch", "512"):
            run(ways(kind)[name], inputs(0))
    taken = [least(seed) for seed in SEEDS]
    numbers = {
        "length": number(LENGTH, ",d"),
        "root": number(ROOT, "d"),
        "queries": number(QUERIES, ",d"),
    } | counted()
    series: Series = {"chunks": CHUNKS}
    for kind in RUNS:
        for name in ways(kind):
            ratios = [one[kind][name] / one[kind]["at_once"] for one in taken]
            numbers[f"{kind}_{name}"] = of_machine(ratios, ".2f")
        at_once_ms = [1000 * one[kind]["at_once"] for one in taken]
        numbers[f"ms_{kind}"] = of_machine(at_once_ms, ".0f", "ms")
        series[kind] = [
            [one[kind][str(chunk)] / one[kind]["at_once"] for chunk in CHUNKS] for one in taken
        ]
        series[f"{kind}_torch"] = [one[kind]["torch"] / one[kind]["at_once"] for one in taken]
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
