"""How long is a training step, recurrent or with attention, against the length?

    python book/experiments/bottleneck_step_time.py

`bottleneck_gpu_time.py` measures the same on a GPU.

Forward and backward through one layer of the same width. A block is attention and the two linear
layers that a Transformer puts behind it. `stepwise` is the LSTM with PyTorch's fused kernels
switched off (oneDNN on a CPU, cuDNN on a GPU); on a CPU the GRU has none to begin with.

In each round every layer is timed once, so that a slow moment of the machine slows them all, and
ratios are taken within the round. On a CPU one thread is timed by the processor seconds it took,
which other programs cannot take away; on a GPU by the wall clock, after synchronising.
"""

import gc
import time
from contextlib import AbstractContextManager, nullcontext

import torch
from measurements import Numbers, Series, number, of_machine, run_and_save
from torch import Tensor, nn
from torch.nn import functional as F

WIDTH = 128
LENGTHS = (16, 64, 256, 1024, 2048)
BATCHES = (1, 16)
ROUNDS = range(5)
PAIRS = [(slow, fast) for slow in ("GRU", "LSTM") for fast in ("attention", "block")]
PAIRS += [("stepwise", "LSTM"), ("stepwise", "block")]
STEPWISE = "stepwise"
DEVICES = {"cpu": "one CPU thread", "cuda": "one GPU"}
Times = dict[int, dict[str, list[list[float]]]]  # times[batch][layer]: [rounds, lengths], seconds
TOKENS = 2048  # short sequences are repeated until one timing holds about so many tokens


class Attention(nn.Module):
    """Causal self-attention with one head, and its four projections."""

    def __init__(self) -> None:
        super().__init__()
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (W(x)[:, None] for W in (self.W_q, self.W_k, self.W_v))
        output = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.W_o(output[:, 0])


def block() -> nn.Module:
    return nn.Sequential(
        Attention(), nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH)
    )


def layers() -> dict[str, nn.Module]:
    recurrent = {kind.__name__: kind(WIDTH, WIDTH, batch_first=True) for kind in (nn.GRU, nn.LSTM)}
    stepwise = {STEPWISE: nn.LSTM(WIDTH, WIDTH, batch_first=True)}
    return recurrent | stepwise | {"attention": Attention(), "block": block()}


def kernels(name: str, device: torch.device) -> AbstractContextManager[None]:
    """A context: without fused kernels where the name asks for it."""
    if name != STEPWISE:
        return nullcontext()
    backends = torch.backends.mkldnn if device.type == "cpu" else torch.backends.cudnn
    return backends.flags(enabled=False)


def seconds(layer: nn.Module, x: Tensor, repeats: int) -> float:
    """Seconds of one forward and backward pass, averaged over `repeats`."""
    began = clock(x.device)
    for _ in range(repeats):
        made = layer(x)
        (made[0] if isinstance(made, tuple) else made).sum().backward()
    return (clock(x.device) - began) / repeats


def clock(device: torch.device) -> float:
    if device.type == "cpu":
        return time.process_time()
    torch.cuda.synchronize(device)
    return time.perf_counter()


def step_times() -> Times:
    torch.manual_seed(0)
    timed = layers()
    times: Times = {batch: {name: [] for name in timed} for batch in BATCHES}
    for round_ in [-1, *ROUNDS]:  # the first one warms up
        for batch in BATCHES:
            rows: dict[str, list[float]] = {name: [] for name in timed}
            for length in LENGTHS:
                x = torch.randn(batch, length, WIDTH, requires_grad=True)
                repeats = 1 + TOKENS // (batch * length)
                for name, layer in timed.items():
                    with kernels(name, x.device):
                        rows[name].append(seconds(layer, x, repeats))
                gc.collect()
            if round_ >= 0:
                for name, row in rows.items():
                    times[batch][name].append(row)
        print(round_, flush=True)
    return times


def numbers_of(times: Times) -> Numbers:
    """How many times longer GRU and LSTM take than attention and a block, and milliseconds.

    All but the sizes depend on the machine. `gru_by_block` is over all batches and lengths.
    """
    numbers = {"width": number(WIDTH, "d"), "batch": number(BATCHES[-1], "d")}
    numbers["rounds"] = number(len(ROUNDS), "d")
    numbers["device"] = number(DEVICES[torch.get_default_device().type])
    ratios: dict[str, list[float]] = {f"{slow}_by_{fast}".lower(): [] for slow, fast in PAIRS}
    for batch, of_layer in times.items():
        for at, length in enumerate(LENGTHS):
            place = f"{batch}_{length}"
            for name, rows in of_layer.items():
                sample = [1000 * row[at] for row in rows]
                numbers[f"{name.lower()}_{place}"] = of_machine(sample, ".3g", "ms")
            for slow, fast in PAIRS:
                pairs = zip(of_layer[slow], of_layer[fast], strict=True)
                sample, key = [one[at] / other[at] for one, other in pairs], f"{slow}_by_{fast}"
                numbers[f"{key}_{place}".lower()] = of_machine(sample, ".2g")
                ratios[key.lower()] += sample
    return numbers | {key: of_machine(sample, ".2g") for key, sample in ratios.items()}


def measure() -> tuple[Numbers, Series]:
    times = step_times()
    series = {"lengths": LENGTHS, "times": {str(batch): rows for batch, rows in times.items()}}
    return numbers_of(times), series


if __name__ == "__main__":
    run_and_save(__file__, measure, [], [0])
