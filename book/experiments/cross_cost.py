"""Claim 18: what attention costs against the length, and when that is not what a layer costs.

Operations are counted in matrix products, memory as the most bytes alive at one time.
Three ways give the same output: all weights at once; a chunk of queries and keys at a time with the
running softmax of Milakov and Gimelshein; PyTorch's own. What a kernel allocates inside it no count
of tensors sees, so the memory of the process is measured as well.
"""

import re
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from measurements import Numbers, Series, number, of_machine, run_and_save
from torch import Tensor
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

SEEDS = range(5)
LENGTHS = (256, 512, 1024, 2048, 4096, 8192)
D_K, D_MODEL, HEADS, CHUNK = 64, 768, 12, 128
SHORT, LONG = 512, 4096  # where doubling is judged; the process is weighed at LONG
MEBI = 2**20
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


def at_once(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.mT / query.size(-1) ** 0.5  # [queries, keys]
    return scores.softmax(dim=-1) @ value


def by_chunks(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The same, with at most CHUNK x CHUNK scores alive."""
    return torch.cat([one_chunk(part, key, value) for part in query.split(CHUNK)])


def one_chunk(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Keep the largest score so far, and rescale what was summed when it grows."""
    largest = query.new_full((query.size(0), 1), float("-inf"))
    total = query.new_zeros(query.size(0), 1)
    output = query.new_zeros(query.size(0), value.size(-1))
    for keys, values in zip(key.split(CHUNK), value.split(CHUNK), strict=True):
        scores = query @ keys.mT / query.size(-1) ** 0.5  # [chunk of queries, chunk of keys]
        higher = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        exp_scores, shrink = (scores - higher).exp(), (largest - higher).exp()
        total = total * shrink + exp_scores.sum(dim=-1, keepdim=True)
        output = output * shrink + exp_scores @ values
        largest = higher
    return output / total


WAYS: dict[str, Attend] = {
    "at_once": at_once,
    "by_chunks": by_chunks,
    "torch": F.scaled_dot_product_attention,
}


class LargestAlive(TorchDispatchMode):
    """The most bytes that the tensors made inside it, and not given to it, occupied at one time."""

    def __init__(self, given: Sequence[Tensor]) -> None:
        super().__init__()
        self.now, self.peak = 0, 0
        self.known = {tensor.untyped_storage()._cdata for tensor in given}

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(tensor, Tensor):
                self.count(tensor.untyped_storage())
        return result

    def count(self, storage: torch.UntypedStorage) -> None:
        if storage._cdata in self.known:
            return
        self.known.add(storage._cdata)
        self.now += storage.nbytes()
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self.forget, storage._cdata, storage.nbytes())

    def forget(self, name: int, size: int) -> None:
        self.known.discard(name)
        self.now -= size


def flops(function: Callable[..., Any], *inputs: Tensor) -> int:
    """Additions and multiplications in matrix products; the softmax is not counted."""
    with FlopCounterMode(display=False) as counter:
        function(*inputs)
    return counter.get_total_flops()


def peak(attend: Attend, length: int) -> float:
    """Mebibytes alive beyond the inputs, for one head in float32."""
    given = [torch.zeros(length, D_K) for _ in range(3)]
    with LargestAlive(given) as memory:
        attend(*given)
    return memory.peak / MEBI


def weighed(way: str) -> float:
    """Mebibytes by which a fresh process grows at its highest, one head of LONG tokens.

    PyTorch's function gets [1, 1, LONG, D_K], without mask or dropout. For other inputs it may
    write all weights down: heads_paths.
    """
    torch.set_num_threads(1)
    given = [torch.randn(1, 1, LONG, D_K) for _ in range(3)]
    if way != "torch":
        given = [tensor[0, 0] for tensor in given]
    WAYS[way](*(tensor[..., :CHUNK, :] for tensor in given))  # load the kernels first
    Path("/proc/self/clear_refs").write_text("5")  # forget the highest so far
    before = status("VmRSS")
    WAYS[way](*given)
    return status("VmHWM") - before


def status(name: str) -> float:
    """A size of this process in mebibytes."""
    text = Path("/proc/self/status").read_text()
    sizes = dict(re.findall(r"(\w+):\s+(\d+) kB", text))
    return int(sizes[name]) / 1024


def layer_flops(length: int) -> dict[str, int]:
    """An encoder layer of width D_MODEL: linear layers, products of attention. No data needed."""
    x = torch.empty(length, D_MODEL, device="meta")
    heads = [torch.empty(HEADS, length, D_K, device="meta") for _ in range(3)]
    wide = torch.empty(length, 4 * D_MODEL, device="meta")
    square, up, down = (
        torch.empty(*shape, device="meta")
        for shape in ((D_MODEL, D_MODEL), (D_MODEL, 4 * D_MODEL), (4 * D_MODEL, D_MODEL))
    )
    linear = 4 * flops(torch.matmul, x, square) + flops(torch.matmul, x, up)
    return {"linear": linear + flops(torch.matmul, wide, down), "attention": flops(at_once, *heads)}


def layer_growth(length: int) -> float:
    """By what the cost of a whole layer grows when the length doubles."""
    return sum(layer_flops(2 * length).values()) / sum(layer_flops(length).values())


def disagreement(seed: int) -> float:
    """Largest difference between all at once and by chunks, in float64 and with large scores."""
    rng = torch.Generator().manual_seed(seed)
    given = [3 * torch.randn(300, D_K, generator=rng, dtype=torch.float64) for _ in range(3)]
    return (at_once(*given) - by_chunks(*given)).abs().max().item()


CLAIMS = [
    claim(
        18,
        "Time O(n²d), memory O(n²); doubling the length quadruples the cost of attention.",
        "The products of attention: {attention_growth} times per doubling. A whole layer of width "
        "768: {layer_growth_short} times from 512 to 1,024 tokens, where {linear_share_short} of "
        "its work is in linear layers, and {layer_growth_long} times from 4,096 to 8,192. Memory: "
        "{memory_growth_at_once} times with all weights at once ({memory_at_once} a head at 8,192 "
        "tokens), {memory_growth_by_chunks} times by chunks ({memory_by_chunks}), with the same "
        "output.",
        "holds if",
        "only the products of attention are counted and all weights are in memory at once",
        scope="counted for an encoder layer 768 wide and for one head 64 wide in float32, 256 to "
        "8,192 tokens",
        control="The count puts the length at which both parts of the layer are equal at {even}, "
        "as the formula 6 d_model does. Both ways give the same output at 300 tokens, within "
        "{disagreement}, and at 4,096 tokens a whole process grows by {process_at_once} or by "
        "{process_by_chunks}.",
        stands=lambda n: (
            n.attention_growth == 4
            and n.layer_growth_short < 3
            and n.memory_growth_at_once > 3.5
            and n.memory_growth_by_chunks < 2.5
        ),
    )
]


def memory() -> tuple[Numbers, Series]:
    """Peaks by length: counted for two ways, and of the process for all three."""
    peaks = {way: [peak(WAYS[way], n) for n in LENGTHS] for way in ("at_once", "by_chunks")}
    numbers = {}
    for way, of_length in peaks.items():
        numbers[f"memory_{way}"] = number(of_length[-1], ".0f", "MiB")
        numbers[f"memory_growth_{way}"] = number(of_length[-1] / of_length[-2], ".1f")
    for way in WAYS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            weight = pool.submit(weighed, way).result()
        numbers[f"process_{way}"] = of_machine(weight, ".0f", "MiB")
    return numbers, peaks


def counted() -> tuple[Numbers, Series]:
    """What follows from counting alone: the same on every machine."""
    layers = [layer_flops(n) for n in LENGTHS]
    series = {kind: [layer[kind] for layer in layers] for kind in ("linear", "attention")}
    numbers = {
        "attention_growth": number(series["attention"][-1] / series["attention"][-2], ".1f"),
        "even": number(even(), ",.0f", "tokens"),
        "disagreement": number(max(disagreement(seed) for seed in SEEDS), ".0e"),
    }
    for name, length in (("short", SHORT), ("long", LONG)):
        layer = layer_flops(length)
        numbers[f"layer_growth_{name}"] = number(layer_growth(length), ".1f")
        share = layer["linear"] / sum(layer.values())
        numbers[f"linear_share_{name}"] = number(share, ".0%")
    return numbers, series


def even() -> float:
    """The length at which a layer spends as much on attention's products as on linear layers."""
    layer = layer_flops(SHORT)
    return SHORT * layer["linear"] / layer["attention"]  # one grows with n, the other with n²


def measure() -> tuple[Numbers, Series]:
    of_counting, flops = counted()
    of_memory, peaks = memory()
    return of_counting | of_memory, {"lengths": LENGTHS, "flops": flops, "peak": peaks}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
