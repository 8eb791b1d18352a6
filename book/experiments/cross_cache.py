"""What the two caches of a decoder save, and what they hold: multiplications against the length.

One decoder layer writes n tokens over a memory of m tokens. Without a cache of its own keys and
values it reads all earlier tokens again at each step; without one of the memory's it projects the
memory again at each step. The count does not depend on the data.
"""

import torch
from cross_model import DecoderLayer
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

SEEDS = range(5)
D_MODEL, HEADS, MEMORY = 64, 4, 128
LENGTHS = (16, 32, 64, 128, 256)
WAYS = {  # (cache of the decoder's own keys and values, cache of the memory's)
    "neither": (False, False),
    "memory only": (False, True),
    "own only": (True, False),
    "both": (True, True),
}


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


def flops(length: int, own: bool, kept: bool) -> int:
    """Additions and multiplications in matrix products."""
    layer = DecoderLayer(D_MODEL, HEADS)
    x, memory = torch.zeros(1, length, D_MODEL), torch.zeros(1, MEMORY, D_MODEL)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        write(layer, x, memory, own, kept)
    return counter.get_total_flops()


@torch.no_grad()
def disagreement(seed: int) -> float:
    """Largest difference of any way from all positions at once, in float64."""
    torch.manual_seed(seed)
    layer = DecoderLayer(D_MODEL, HEADS).double()
    x, memory = (torch.randn(2, n, D_MODEL, dtype=torch.float64) for n in (12, 20))
    together, _, _ = layer(x, layer.attend_memory.keep(memory))
    ways = [write(layer, x, memory, *way) for way in WAYS.values()]
    return max((output - together).abs().max().item() for output in ways)


def measure() -> tuple[Numbers, Series]:
    series = {name: [flops(n, *way) for n in LENGTHS] for name, way in WAYS.items()}
    longest = {name: counts[-1] for name, counts in series.items()}
    numbers = {
        "disagreement": number(max(disagreement(seed) for seed in SEEDS), ".0e"),
        "length": number(LENGTHS[-1], ".0f"),
        "memory": number(MEMORY, ".0f"),
        "kept_floats": number(2 * (LENGTHS[-1] + MEMORY) * D_MODEL, ",.0f"),
    }
    for name, count in longest.items():
        key = name.replace(" ", "_")
        numbers[f"times_{key}"] = number(count / longest["both"], ".0f")
        numbers[f"growth_{key}"] = number(count / series[name][-2], ".1f")
    return numbers, {"lengths": LENGTHS, "flops": series}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
