"""What the two caches of a decoder save, in operations and in time, and what they hold.

One decoder layer writes n tokens over a memory of m tokens. Without a cache of its own keys and
values it reads all earlier tokens again at each step; without one of the memory's it projects the
memory again at each step. The count does not depend on the data. The same tokens all at once, as in
training, are counted and timed as well: processor time, the least of some rounds.
"""

import time

import torch
from cross_model import DecoderLayer
from measurements import Numbers, Series, number, of_machine, run_and_save
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

SEEDS = range(5)
D_MODEL, HEADS, MEMORY = 64, 4, 128
LENGTHS = (16, 32, 64, 128, 256)
ROUNDS = 5
WAYS = {  # (cache of the decoder's own keys and values, cache of the memory's)
    "neither": (False, False),
    "memory only": (False, True),
    "own only": (True, False),
    "both": (True, True),
}


Given = tuple[DecoderLayer, Tensor, Tensor]


def write(layer: DecoderLayer, x: Tensor, memory: Tensor, own: bool, kept: bool) -> Tensor:
    """The layer's output at each of the positions of x, reached one step at a time."""
    past, outputs = None, []
    ready = layer.attend_memory.keep(memory) if kept else None
    for step in range(x.size(1)):
        now = ready or layer.attend_memory.keep(memory)
        if own:
            output, _, past = layer(x[:, step : step + 1], now, past=past)
        else:
            output, _, _ = layer(x[:, : step + 1], now)
        outputs.append(output[:, -1:])
    return torch.cat(outputs, dim=1)  # [batch, length, d_model]


def read(layer: DecoderLayer, x: Tensor, memory: Tensor) -> Tensor:
    """The same output, all positions at once."""
    return layer(x, layer.attend_memory.keep(memory))[0]


def given(length: int) -> Given:
    """A layer, what it writes, and a memory."""
    x, memory = torch.zeros(1, length, D_MODEL), torch.zeros(1, MEMORY, D_MODEL)
    return DecoderLayer(D_MODEL, HEADS), x, memory


@torch.no_grad()
def run(layer: DecoderLayer, x: Tensor, memory: Tensor, way: str) -> None:
    """What is counted and timed; `way` is one of WAYS, or all positions at once."""
    write(layer, x, memory, *WAYS[way]) if way in WAYS else read(layer, x, memory)


def flops(length: int, way: str) -> int:
    """Additions and multiplications in matrix products."""
    with FlopCounterMode(display=False) as counter:
        run(*given(length), way)
    return counter.get_total_flops()


def times(length: int) -> dict[str, float]:
    """Least processor milliseconds of each way."""
    found: dict[str, list[float]] = {way: [] for way in ("neither", "both", "at once")}
    layer, x, memory = given(length)
    for _ in range(ROUNDS):
        for way, sample in found.items():
            began = time.process_time()
            run(layer, x, memory, way)
            sample.append(1000 * (time.process_time() - began))
    return {way: min(sample) for way, sample in found.items()}


@torch.no_grad()
def disagreement(seed: int) -> float:
    """Largest difference of any way from all positions at once, in float64."""
    torch.manual_seed(seed)
    layer = DecoderLayer(D_MODEL, HEADS).double()
    x, memory = (torch.randn(2, n, D_MODEL, dtype=torch.float64) for n in (12, 20))
    together = read(layer, x, memory)
    ways = [write(layer, x, memory, *way) for way in WAYS.values()]
    return max((output - together).abs().max().item() for output in ways)


def timed() -> Numbers:
    """Milliseconds at the greatest length, and how often that of both caches fits into another."""
    found = times(LENGTHS[-1])
    numbers = {f"ms_{way}".replace(" ", "_"): of_machine(ms, ".1f", "ms")
               for way, ms in found.items()}  # fmt: skip
    numbers["slower_neither"] = of_machine(found["neither"] / found["both"], ".0f")
    numbers["slower_both"] = of_machine(found["both"] / found["at once"], ".0f")
    return numbers


def measure() -> tuple[Numbers, Series]:
    series = {name: [flops(n, name) for n in LENGTHS] for name in WAYS}
    longest = {name: counts[-1] for name, counts in series.items()}
    numbers = {
        "disagreement": number(max(disagreement(seed) for seed in SEEDS), ".0e"),
        "length": number(LENGTHS[-1], ".0f"),
        "memory": number(MEMORY, ".0f"),
        "rounds": number(ROUNDS, "d"),
        "kept_floats": number(2 * (LENGTHS[-1] + MEMORY) * D_MODEL, ",.0f"),
    }
    for name, count in longest.items():
        key = name.replace(" ", "_")
        numbers[f"times_{key}"] = number(count / longest["both"], ".0f")
        numbers[f"growth_{key}"] = number(count / series[name][-2], ".1f")
    numbers["times_at_once"] = number(flops(LENGTHS[-1], "at once") / longest["both"], ".1f")
    return numbers | timed(), {"lengths": LENGTHS, "flops": series}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
