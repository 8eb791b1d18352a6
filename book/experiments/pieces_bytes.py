"""Claim 54, its first half: how much attention moves between a large memory and a small one.

The loops of `pieces_moved.py` count the numbers that they read and write, and are compared with
formulas. Also measured: how many operations a processor does in the time in which it moves a byte.
"""

import time
from collections.abc import Callable

import torch
from measurements import Number, Numbers, Series, number, of_machine, run_and_save
from pieces_attention import at_once
from pieces_moved import formulas, inputs, run
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

SEEDS = range(5)
LENGTH, WIDTHS, TILES, TILE = 2048, (64, 128), (16, 32, 64, 128, 256, 512, 1024), 128
SIZE, MIB, KIB = 2, 2**20, 2**10  # bytes of a number in bfloat16
SQUARE, COPIED, ROUNDS = 1024, 2**26, 3
# operations and bytes a second: of the GPUs, matrix products in bfloat16, dense, from NVIDIA's data
# sheets; of two Opterons 2214, in float64, from Williams et al. (2009)
DEVICES = {"a100": (312e12, 2.039e12), "h100": (989e12, 3.35e12), "opteron": (17.6e9, 15e9)}
SHARED = {"a100": 164 * KIB, "h100": 228 * KIB}  # of one multiprocessor: NVIDIA's tuning guides
REGISTERS = 256 * KIB
Shape = tuple[int, int, int | None]  # length, width, tile

CLAIMS = [
    claim(
        54,
        "Computing the weights again in the backward pass takes more operations, and less is moved "
        "to and from memory.",
        "One head of {length} tokens, forward and backward: {flops_times} times the operations of "
        "attention at once. Moved, with two bytes a number and queries 64 wide: {both_out} at once "
        "and {both_128} in tiles of 128. In tiles of 32 it is {both_32}.",
        "holds if",
        "a tile has at least as many queries and keys as a query has numbers",
        scope="one head 64 or 128 wide, 2,048 tokens, tiles of 16 to 1,024, counted and not timed",
        control="That the weights are not written is not enough: in tiles of 32 the same loop "
        "moves {share_32} of what attention at once moves. The counts of the loops and the "
        "formulas differ by {off}.",
        stands=lambda n: (
            n.off == 0
            and n.disagreement < 1e-12
            and n.flops_times > 1.1
            and n.share_64 < 1
            and n.share_wide_128 < 1
            and n.share_32 > 1
            and n.share_wide_64 > 1
        ),
    )
]


def off(counted: dict[Shape, list[int]]) -> int:
    """The largest difference between a loop's count and its formula, in numbers moved."""
    more: list[Shape] = [(4, 2, 2), (4, 2, None), (300, 5, 77), (300, 5, None)]
    pairs = [(run(*shape)[0], shape) for shape in more]
    pairs += [(moved, shape) for shape, moved in counted.items()]
    return max(
        abs(one - other)
        for moved, shape in pairs
        for one, other in zip(moved, formulas(*shape), strict=True)
    )


def disagreement(seed: int) -> float:
    """Largest difference of outputs and gradients from autograd's through attention at once."""
    *given, above = inputs(300, 5, seed)
    asked = [tensor.requires_grad_() for tensor in given]
    output = at_once(*asked)
    right = [output, *torch.autograd.grad(output, asked, above)]
    with torch.no_grad():
        found = [run(300, 5, tile, seed)[1] for tile in (None, 77)]
    pairs = [zip(right, one, strict=True) for one in found]
    return max((one - other).abs().max().item() for pair in pairs for one, other in pair)


def operations(tile: int | None) -> int:
    """In matrix products, forward and backward."""
    with FlopCounterMode(display=False) as counter:
        run(LENGTH, WIDTHS[0], tile)
    return counter.get_total_flops()


def mib(moved: float) -> Number:
    return number(moved * SIZE / MIB, ",.1f", "MiB")


def counts() -> dict[Shape, list[int]]:
    """What the loops move, by length, width and tile; in the largest, and of half the length."""
    shapes: list[Shape] = [(LENGTH, width, tile) for width in WIDTHS for tile in (None, *TILES)]
    shapes += [(LENGTH // 2, WIDTHS[0], tile) for tile in (None, TILE)]
    return {shape: run(*shape)[0] for shape in shapes}


def by_tile(counted: dict[Shape, list[int]]) -> tuple[Numbers, Series]:
    """What is moved, and how many operations are done for each byte of it, forward."""
    moved = {tile: counted[LENGTH, WIDTHS[0], tile] for tile in (None, *TILES)}
    flops = 4 * LENGTH**2 * WIDTHS[0]
    intensity = {tile: flops / one[0] / SIZE for tile, one in moved.items()}
    numbers: Numbers = {}
    for tile, one in moved.items():
        name = tile or "out"
        numbers[f"forward_{name}"], numbers[f"both_{name}"] = map(mib, one)
        numbers[f"intensity_{name}"] = number(intensity[tile], ".0f")
        for device in SHARED:
            per_second, bytes_per_second = DEVICES[device]
            share = min(1, intensity[tile] * bytes_per_second / per_second)
            numbers[f"roof_{device}_{name}"] = number(share, ".0%")
    numbers["intensity_float32"] = number(intensity[None] * SIZE / 4, ".0f")
    series: Series = {
        kind: [moved[tile][at] * SIZE / MIB for tile in (*TILES, None)]
        for at, kind in enumerate(("forward", "both"))
    }
    return numbers, series | {"intensity": [intensity[tile] for tile in (*TILES, None)]}


def shares(counted: dict[Shape, list[int]]) -> Numbers:
    """What tiles move beside attention at once, forward and backward; growth with the length."""
    numbers: Numbers = {}
    for width, name in zip(WIDTHS, ("", "wide_"), strict=True):
        out = counted[LENGTH, width, None][1]
        for tile in TILES:
            both = counted[LENGTH, width, tile][1]
            numbers[f"share_{name}{tile}"] = number(both / out, ".0%")
    for which in (None, TILE):
        longer, shorter = (counted[n, WIDTHS[0], which][1] for n in (LENGTH, LENGTH // 2))
        numbers[f"growth_{which or 'out'}"] = number(longer / shorter, ".1f")
    return numbers


def examples() -> Numbers:
    """Four tokens two wide, forward; and GPT-2's heads as Dao et al. (2022) measured them."""
    numbers: Numbers = {
        "hand_out": number(run(4, 2, None)[0][0], "d"),
        "hand_tiles": number(run(4, 2, 2)[0][0], "d"),
    }
    for tile in (None, 128, 256):
        moved = formulas(1024, 64, tile)[1] * 64 * 16 * SIZE
        numbers[f"gpt2_{tile or 'out'}"] = number(moved / 1e9, ".1f", "GB")
    return numbers


def shared(tile: int, width: int) -> int:
    """Bytes of the queries, keys and values of a tile."""
    return 3 * tile * width * SIZE


def registers(tile: int, width: int) -> int:
    """Bytes of the scores of a tile and of the sums of its values, in float32."""
    return 4 * (tile * tile + tile * width)


def room() -> Numbers:
    numbers: Numbers = {}
    for tile in (64, 128, 256):
        numbers[f"shared_{tile}"] = number(shared(tile, WIDTHS[1]) / KIB, ".0f", "KiB")
        numbers[f"registers_{tile}"] = number(registers(tile, WIDTHS[1]) / KIB, ".0f", "KiB")
    for name, limit in SHARED.items():
        for width in WIDTHS:
            fits = [
                tile
                for tile in TILES
                if shared(tile, width) <= limit and registers(tile, width) <= REGISTERS
            ]
            numbers[f"fits_{name}_{width}"] = number(max(fits), "d")
    return numbers


def seconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def balance(seed: int) -> float:
    """Operations of a matrix product in the time in which one byte is read or written, float32."""
    rng = torch.Generator().manual_seed(seed)
    square, row = torch.randn(SQUARE, SQUARE, generator=rng), torch.randn(COPIED, generator=rng)
    copy = torch.empty_like(row)
    calls: dict[str, Callable[[], object]] = {
        "product": lambda: square @ square,
        "copy": lambda: copy.copy_(row),
    }
    rounds = [{name: seconds(call) for name, call in calls.items()} for _ in range(ROUNDS + 1)][1:]
    least = {name: min(one[name] for one in rounds) for name in calls}
    return (2 * SQUARE**3 / least["product"]) / (2 * 4 * COPIED / least["copy"])


def measure() -> tuple[Numbers, Series]:
    counted = counts()
    of_tile, series = by_tile(counted)
    numbers = {
        "length": number(LENGTH, ",d"),
        "width": number(WIDTHS[0], "d"),
        "tile": number(TILE, "d"),
        "off": number(off(counted), "d"),
        "disagreement": number(max(disagreement(seed) for seed in SEEDS), ".0e"),
        "flops_times": number(operations(TILE) / operations(None), ".2f"),
        "balance_here": of_machine([balance(seed) for seed in SEEDS], ".1f"),
    }
    for name, (per_second, bytes_per_second) in DEVICES.items():
        numbers[f"balance_{name}"] = number(per_second / bytes_per_second, ".3g")
    numbers |= of_tile | shares(counted) | examples() | room()
    return numbers, {"tiles": TILES, **series}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
