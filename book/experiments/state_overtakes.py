"""Claim 85: the length from which linear attention needs less time and memory than softmax.

Causal attention to a whole text, and one step of generation. Multiply-adds and bytes are counted,
and times measured: all ways take turns in each round, and the least of some rounds counts. Linear
attention has a state and chunks of 64 tokens, without a feature map and without a normaliser.
"""

import math
import time
from collections.abc import Callable
from functools import partial

import torch
from cross_cost import LargestAlive
from measurements import Numbers, Series, number, of_machine, run_and_save
from torch import Tensor
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

SEEDS = range(5)
D_K, D_V, CHUNK, ITEM = 64, 64, 64, 4  # ITEM: bytes of a number
LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
HEADS = (1, 8)
PLAIN_MOST = {1: 4096, 8: 1024}  # tokens for which plain attention is timed, whose tile is n * n
ROUNDS = 5
AT_LEAST = 4096  # tokens and heads that one timing covers, in repeats if need be
MEMORY_AT = 2048  # tokens of which the bytes are counted
Run = Callable[..., Tensor]

SCOPE = "d_k = d_v = 64, float32, forward, one thread of a CPU, random inputs"
CLAIMS = [
    claim(
        85,
        "Linear attention to a text takes less work than softmax attention.",
        "At {longest} tokens PyTorch's kernel takes {torch_8192_1} times as long as linear "
        "attention in chunks of {chunk} with one head, and {torch_8192_8} times with eight. At 64 "
        "tokens it takes {torch_64_1} and {torch_64_8} times as long. They are level at "
        "{cross_torch_1} and {cross_torch_8} tokens. By count of multiply-adds it is {cross_count} "
        "tokens, which is 2 d_k and two chunks.",
        "holds if",
        "the text has several times as many tokens as a key has numbers",
        scope=SCOPE,
        control="The count needs no clock. The plain formula, written with the same calls as "
        "linear attention, is level with it at {cross_plain_1} tokens with one head and "
        "{cross_plain_8} with eight. By count of whole tiles: {cross_count_plain}.",
        stands=lambda n: 64 < n.cross_count < 1024 and n.cross_count_plain < n.cross_count,
    ),
    claim(
        85,
        "Linear attention takes less memory than softmax attention.",
        "In generation the state has {state_bytes} a head, a cache as much at {cross_cache} "
        "tokens, and at {longest} tokens {cache_over_state} times as much. Over a whole text of "
        "{memory_at} tokens, tensors made on the way have {alive_plain} with the plain formula, "
        "{alive_torch} with PyTorch's kernel and {alive_linear} with linear attention.",
        "holds if",
        "the rival keeps a cache or writes all scores",
        scope="counted, d_k = d_v = 64, float32, one head, without what a kernel holds inside",
        control="The scores take the memory: a kernel that goes through the keys in "
        "pieces has a softmax and needs no more than linear attention.",
        stands=lambda n: (
            n.cache_over_state > 100
            and n.alive_plain > 5 * n.alive_linear
            and n.alive_linear >= n.alive_torch
        ),
    ),
    claim(
        85,
        "With linear attention a step of generation takes the same work at all lengths.",
        "A step after {longest} tokens takes {grown_linear_1} times as long as after 64 with one "
        "head and {grown_linear_8} times with eight; with softmax and a cache {grown_softmax_1} "
        "and {grown_softmax_8} times. After {longest} tokens softmax takes {step_8192_1} and "
        "{step_8192_8} times as long as linear attention.",
        "holds",
        scope=SCOPE,
        control="By count a step of linear attention reads and writes as much as one of softmax "
        "attention at {cross_reads} tokens, whatever the clock says.",
        stands=lambda n: n.cross_reads < 128 and n.cache_over_state > 100,
    ),
]


def plain(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The formula: all scores at once, [heads, length, length]."""
    scores = query @ key.mT / D_K**0.5
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill_(future, float("-inf")).softmax(dim=-1) @ value


def kernel(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """PyTorch's own, in the layout for which it does not write the weights (heads_paths)."""
    query, key, value = (tensor[None] for tensor in (query, key, value))
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)[0]


def linear(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """S_t = S_{t-1} + k_t^T v_t, output q_t S_t, a chunk at a time."""
    state = query.new_zeros(query.size(0), D_K, D_V)
    outputs = []
    for q, k, v in zip(*(x.split(CHUNK, dim=1) for x in (query, key, value)), strict=True):
        outputs.append((q @ k.mT).tril_() @ v + q @ state)
        state = state + k.mT @ v
    return torch.cat(outputs, dim=1)


def step_softmax(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """One new token, whose key and value the cache has already. query: [heads, 1, d_k]"""
    return (query @ key.mT / D_K**0.5).softmax(dim=-1) @ value


def step_linear(query: Tensor, key: Tensor, value: Tensor, state: Tensor) -> Tensor:
    """One new token, written into the state."""
    state += key.mT @ value
    return query @ state


WAYS: dict[str, Run] = {"plain": plain, "torch": kernel, "linear": linear}


def inputs(seed: int, heads: int, length: int) -> list[Tensor]:
    rng = torch.Generator().manual_seed(seed)
    return [torch.randn(heads, length, D_K, generator=rng) for _ in range(3)]


def runs(seed: int, heads: int, length: int) -> dict[str, Run]:
    """Each with its inputs: whole texts, and a step after `length` tokens."""
    query, key, value = inputs(seed, heads, length)
    found: dict[str, Run] = {name: partial(way, query, key, value) for name, way in WAYS.items()}
    if length > PLAIN_MOST[heads]:
        del found["plain"]
    q, k, v = (x[:, -1:] for x in (query, key, value))
    found["step_softmax"] = partial(step_softmax, q, key, value)
    found["step_linear"] = partial(step_linear, q, k, v, torch.zeros(heads, D_K, D_V))
    return found


def seconds(run: Run, repeats: int) -> float:
    began = time.process_time()
    for _ in range(repeats):
        run()
    return (time.process_time() - began) / repeats


@torch.no_grad()
def least(seed: int, heads: int, length: int) -> dict[str, float]:
    """Processor seconds of each way."""
    rounds = ROUNDS if length < 4096 else 2
    of_ways = runs(seed, heads, length)
    repeats = {name: max(1, AT_LEAST // length // heads) for name in of_ways}
    repeats |= {name: 20 for name in of_ways if name.startswith("step")}
    taken = [{name: seconds(run, repeats[name]) for name, run in of_ways.items()}
             for _ in range(rounds)]  # fmt: skip
    return {name: min(one[name] for one in taken) for name in of_ways}


def crossing(theirs: list[float], ours: list[float]) -> float:
    """The length from which ours is less, between two lengths on logarithmic scales.

    The first length if ours is less there already. Raises ValueError if it never is.
    """
    ahead = [math.log(a / b) for a, b in zip(theirs, ours, strict=False)]
    if ahead[0] >= 0:
        return float(LENGTHS[0])
    for at in range(1, len(ahead)):
        if ahead[at] >= 0:
            part = -ahead[at - 1] / (ahead[at] - ahead[at - 1])
            return LENGTHS[at - 1] * (LENGTHS[at] / LENGTHS[at - 1]) ** part
    raise ValueError("linear attention is nowhere faster")


def counts() -> Numbers:
    """Where both ways are level, by count."""
    both = D_K + D_V
    chunked = 2 * D_K * D_V + CHUNK * both  # multiply-adds of a token, with whole tiles
    with FlopCounterMode(display=False) as counter:
        linear(*inputs(0, 1, CHUNK))
    if counter.get_total_flops() != 2 * CHUNK * chunked:
        raise ValueError("torch counts other products in linear attention")
    state = D_K * D_V
    return {
        "cross_count": number(2 * chunked / both, ".0f"),  # scores below the diagonal
        "cross_count_token": number(4 * state / both, ".0f"),  # the same, and no chunks
        "cross_count_plain": number(chunked / both, ".0f"),  # all scores
        "cross_cache": number(state / both, ".0f"),
        "cross_reads": number(2 * state / both, ".0f"),  # the state is read and written
        "state_bytes": number(state * ITEM / 2**10, ".0f", "KiB"),
        "cache_bytes": number(LENGTHS[-1] * both * ITEM / 2**20, ".0f", "MiB"),
        "cache_over_state": number(LENGTHS[-1] * both / state, ".0f"),
    }


def alive(way: Run, length: int) -> float:
    """Mebibytes of the tensors alive at one time beyond the inputs, with one head."""
    given = inputs(0, 1, length)
    with LargestAlive(given) as memory:
        way(*given)
    return memory.peak / 2**20


def of_memory(series: Series) -> Numbers:
    lengths = [length for length in LENGTHS if length <= MEMORY_AT]
    found = {name: [alive(way, length) for length in lengths] for name, way in WAYS.items()}
    series |= {"memory_lengths": lengths, "alive": found}
    series["cache"] = [length * (D_K + D_V) * ITEM / 2**20 for length in LENGTHS]
    series["state"] = D_K * D_V * ITEM / 2**20
    return {f"alive_{name}": number(row[-1], ".3g", "MiB") for name, row in found.items()}


def of_times(heads: int, series: Series) -> Numbers:
    taken = [[least(seed, heads, length) for length in LENGTHS] for seed in SEEDS]
    rows = {name: [[1e6 * one[name] for one in run if name in one] for run in taken]
            for name in taken[0][0]}  # fmt: skip
    series[f"us_{heads}"] = rows
    numbers: Numbers = {}
    for name in ("torch", "plain"):
        sample = []
        for theirs, ours in zip(rows[name], rows["linear"], strict=True):
            sample.append(crossing(theirs, ours))
        numbers[f"cross_{name}_{heads}"] = of_machine(sample, ".0f")
    for at, length in ((0, LENGTHS[0]), (-1, LENGTHS[-1])):
        for key, one, other in (("torch", "torch", "linear"),
                                ("step", "step_softmax", "step_linear")):  # fmt: skip
            sample = [a[at] / b[at] for a, b in zip(rows[one], rows[other], strict=True)]
            numbers[f"{key}_{length}_{heads}"] = of_machine(sample, ".2g")
    for name in ("linear", "softmax"):
        sample = [row[-1] / row[0] for row in rows[f"step_{name}"]]
        numbers[f"grown_{name}_{heads}"] = of_machine(sample, ".2g")
    return numbers


def measure() -> tuple[Numbers, Series]:
    series: Series = {"lengths": LENGTHS}
    numbers = {
        "longest": number(LENGTHS[-1], ",d"),
        "memory_at": number(MEMORY_AT, ",d"),
        "chunk": number(CHUNK, "d"),
    }
    least(0, 1, LENGTHS[0])  # what is called first loads its kernels
    numbers |= counts() | of_memory(series)
    for heads in HEADS:
        numbers |= of_times(heads, series)
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
