"""Claim 84: the delta rule a chunk at a time, beside the delta rule a token at a time.

Outputs of both forms are compared, with a control that leaves out the triangular system. Then the
multiply-adds of a token are counted by chunk, and its time is measured. All ways take turns in each
round, and the least of some rounds counts, so that other work on the machine counts little.
"""

import time
from collections.abc import Callable
from functools import partial

import torch
from measurements import Numbers, Series, number, of_machine, run_and_save
from torch import Tensor
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

SEEDS = range(5)
LENGTH, D_K, D_V, ROUNDS = 2048, 64, 64, 3
CHUNKS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
HEADS = (1, 8)
DTYPES = {"float32": torch.float32, "float64": torch.float64}
Inputs = tuple[Tensor, Tensor, Tensor, Tensor]  # query, key, value [heads, length, d]; beta
Run = Callable[..., Tensor]

SCOPE = "d_k = d_v = 64, 2,048 tokens, random keys of length 1 and random write strengths"
CLAIMS = [
    claim(
        84,
        "The delta rule can be computed a chunk at a time, and gives the same.",
        "Outputs of {length} tokens, in chunks of 1 to 256, differ from those of a loop over "
        "tokens by at most {same_float64} of their size in float64 and {same_float32} in float32. "
        "Beside the loop in float64, the loop in float32 is off by {loop_wrong} and the chunks by "
        "{chunks_wrong}. With keys that are nearly alike: {alike_float32} in float32.",
        "holds",
        scope=SCOPE,
        control="Without the triangular system, by which a token of a chunk knows what the ones "
        "before it in the chunk wrote, the difference is {without_2} of the size with chunks of 2 "
        "and {without_64} with chunks of 64.",
        stands=lambda n: (
            n.same_float64 < 1e-12
            and max(n.same_float32, n.alike_float32) < 1e-4
            and min(n.without_2, n.without_64) > 0.1
        ),
    ),
    claim(
        84,
        "In chunks the delta rule takes less work.",
        "A token in chunks of 64 takes {ops_64} times the multiply-adds of a step of the loop. "
        "One head alone: the loop takes {loop_over_64_1} times as long as chunks of 64. Least time "
        "is taken by chunks of {fastest_1} tokens; by count chunks of {fewest} need least.",
        "false",
        "since only the time falls, with chunks of tens of tokens",
        scope=f"{SCOPE}, float32, forward, loops in Python on one thread of a CPU",
        control="The form alone saves no time: chunks of 1 take {slower_1_1} times as long as the "
        "loop. With eight heads at once, where a call does eight times the work and its fixed cost "
        "counts less, the loop still takes {loop_over_64_8} times as long as chunks of 64. Least "
        "time is then taken by chunks of {fastest_8}.",
        stands=lambda n: n.ops_256 > n.ops_64 > 1.5 and n.ops_1 > 1 and n.fewest == 1,
    ),
]


def example(seed: int, heads: int, alike: bool = False) -> Inputs:
    """In float64. Keys that are alike are a common vector and a tenth of their own."""
    rng = torch.Generator().manual_seed(seed)
    query, key = torch.randn(2, heads, LENGTH, D_K, generator=rng, dtype=torch.float64)
    value = torch.randn(heads, LENGTH, D_V, generator=rng, dtype=torch.float64)
    beta = torch.rand(heads, LENGTH, 1, generator=rng, dtype=torch.float64)
    key = key[:, :1] + key / 10 if alike else key
    return query / D_K**0.5, F.normalize(key, dim=-1), value, beta


def by_token(query: Tensor, key: Tensor, value: Tensor, beta: Tensor) -> Tensor:
    """S_t = S_{t-1} + b_t k_t^T (v_t - k_t S_{t-1}), output q_t S_t."""
    state = query.new_zeros(query.size(0), D_K, D_V)
    outputs = []
    for t in range(query.size(1)):
        k = key[:, t : t + 1]
        written = beta[:, t : t + 1] * (value[:, t : t + 1] - k @ state)
        state = state + k.mT @ written
        outputs.append(query[:, t : t + 1] @ state)
    return torch.cat(outputs, dim=1)


def by_chunk(
    query: Tensor, key: Tensor, value: Tensor, beta: Tensor, chunk: int, system: bool = True
) -> Tensor:
    """After Yang et al. (2024): within a chunk, what is written solves a triangular system."""
    state = query.new_zeros(query.size(0), D_K, D_V)
    outputs = []
    for q, k, v, b in zip(*(x.split(chunk, dim=1) for x in (query, key, value, beta)), strict=True):
        written = b * (v - k @ state)  # [heads, chunk, d_v]
        if system:
            before = b * (k @ k.mT)  # the solver reads its strict lower triangle, and 1 above it
            written = torch.linalg.solve_triangular(
                before, written, upper=False, unitriangular=True
            )
        outputs.append(q @ state + (q @ k.mT).tril() @ written)
        state = state + k.mT @ written
    return torch.cat(outputs, dim=1)


def ways() -> dict[str, Run]:
    return {"loop": by_token} | {str(one): partial(by_chunk, chunk=one) for one in CHUNKS}


def apart(one: Tensor, other: Tensor) -> float:
    """The largest difference, beside the root mean square of the other."""
    return ((one - other).abs().max() / other.square().mean().sqrt()).item()


def differences(seed: int, alike: bool) -> dict[str, dict[str, float]]:
    """From the loop, by type; from the loop in float64 ("wrong"); and of the control."""
    given = example(seed, 1, alike)
    right = by_token(*given)
    found: dict[str, dict[str, float]] = {"wrong": {}, "without": {}}
    for label, dtype in DTYPES.items():
        cast = [x.to(dtype) for x in given]
        outputs = {name: run(*cast).double() for name, run in ways().items()}
        found[label] = {name: apart(out, outputs["loop"]) for name, out in outputs.items()}
        if label == "float32":
            found["wrong"] = {name: apart(out, right) for name, out in outputs.items()}
    for chunk in CHUNKS:
        found["without"][str(chunk)] = apart(by_chunk(*given, chunk, system=False), right)
    return found


def multiply_adds(chunk: int) -> dict[str, float]:
    """Of a token, with whole tiles, as a product of matrices computes them.

    products: k S, q S, k^T U, k k^T, q k^T and the tile of weights times U. solve: the system.
    """
    products = 3 * D_K * D_V + 2 * chunk * D_K + chunk * D_V
    return {"products": products, "solve": (chunk - 1) / 2 * D_V}


def counted(chunk: int) -> float:
    """Multiply-adds a token that torch's counter sees: those of products."""
    given = example(0, 1)
    with FlopCounterMode(display=False) as counter:
        by_chunk(*given, chunk)
    return counter.get_total_flops() / 2 / LENGTH


def seconds(run: Run, given: list[Tensor]) -> float:
    began = time.process_time()
    run(*given)
    return time.process_time() - began


@torch.no_grad()
def least(seed: int, heads: int) -> dict[str, float]:
    """Processor microseconds of a token and head, by way."""
    given = [x.float() for x in example(seed, heads)]
    rounds = [{name: seconds(run, given) for name, run in ways().items()} for _ in range(ROUNDS)]
    return {name: 1e6 * min(one[name] for one in rounds) / LENGTH / heads for name in ways()}


def of_differences(series: Series) -> Numbers:
    """The largest over seeds and chunks; of the control, by seed."""
    numbers: Numbers = {}
    for alike, prefix in ((False, "same"), (True, "alike")):
        found = [differences(seed, alike) for seed in SEEDS]
        for label in DTYPES:
            largest = max(max(one[label].values()) for one in found)
            numbers[f"{prefix}_{label}"] = number(largest, ".0e")
        if not alike:
            loop = max(one["wrong"].pop("loop") for one in found)
            chunks = max(max(one["wrong"].values()) for one in found)
            numbers |= {"loop_wrong": number(loop, ".0e"), "chunks_wrong": number(chunks, ".0e")}
            for kind in (*DTYPES, "without"):
                series[kind] = [[one[kind][str(chunk)] for chunk in CHUNKS] for one in found]
            for chunk in (2, 64):
                sample = [one["without"][str(chunk)] for one in found]
                numbers[f"without_{chunk}"] = number(sample, ".2g")
    return numbers


def of_counts(series: Series) -> Numbers:
    """Multiply-adds of a token; those of a step of the loop are three products with the state."""
    step = 3 * D_K * D_V
    found = {chunk: multiply_adds(chunk) for chunk in CHUNKS}
    wrong = [chunk for chunk in CHUNKS if counted(chunk) != found[chunk]["products"]]
    if wrong:
        raise ValueError(f"torch counts other products in chunks of {wrong}")
    series["multiply_adds"] = [sum(found[chunk].values()) for chunk in CHUNKS]
    series["step"] = step
    numbers = {f"ops_{chunk}": number(sum(found[chunk].values()) / step, ".2f") for chunk in CHUNKS}
    numbers["solve_64"] = number(found[64]["solve"] / sum(found[64].values()), ".0%")
    numbers["fewest"] = number(min(CHUNKS, key=lambda chunk: sum(found[chunk].values())), "d")
    return numbers


def of_times(heads: int, series: Series) -> Numbers:
    taken = [least(seed, heads) for seed in SEEDS]
    by_chunks = [[one[str(chunk)] for chunk in CHUNKS] for one in taken]
    series[f"us_{heads}"] = by_chunks
    series[f"us_loop_{heads}"] = [one["loop"] for one in taken]
    numbers = {
        f"us_loop_{heads}": of_machine([one["loop"] for one in taken], ".3g", "µs"),
        f"us_64_{heads}": of_machine([one["64"] for one in taken], ".2g", "µs"),
        f"loop_over_64_{heads}": of_machine([one["loop"] / one["64"] for one in taken], ".2g"),
        f"slower_1_{heads}": of_machine([one["1"] / one["loop"] for one in taken], ".2f"),
        f"slower_256_{heads}": of_machine([one["256"] / one["64"] for one in taken], ".2f"),
    }
    fastest = [min(CHUNKS, key=lambda chunk: one[str(chunk)]) for one in taken]
    return numbers | {f"fastest_{heads}": of_machine(fastest, ".0f")}


def measure() -> tuple[Numbers, Series]:
    series: Series = {"chunks": CHUNKS}
    numbers = {"length": number(LENGTH, ",d")}
    numbers |= of_differences(series) | of_counts(series)
    for heads in HEADS:
        numbers |= of_times(heads, series)
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
