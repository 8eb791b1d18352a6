"""Claim 55: how many tiles of scores can be skipped under a mask, by the size of a tile?

A tile is visited if the mask is True anywhere in it. The floor is the share of True entries: no
tiling can visit less. A mask with as many True entries as the window's, in random places, shows
what the structure is worth. And does PyTorch's own function skip? Its processor time tells.
"""

import time
from collections.abc import Callable
from functools import partial

import torch
from measurements import Numbers, Series, number, of_machine, run_and_save
from pieces_attention import window_mask
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

SEEDS = range(5)
LENGTH, WINDOW, DOCUMENTS, WIDTH, ROUNDS = 2048, 256, 8, 64, 4
TILES = (1, 16, 32, 64, 128, 256, 512)
TILE = 128

CLAIMS = [
    claim(
        55,
        "Under a causal mask about half of the blocks can be skipped.",
        "{length} tokens: {skipped_causal} of the tiles of {tile} by {tile} are skipped, and "
        "{skipped_causal_512} of those of 512 by 512. As many True entries as a window of "
        "{window} keys has, in random places: {skipped_scattered}, where the window itself allows "
        "{skipped_window}.",
        "holds if",
        "a tile is small beside the length",
        scope="2,048 tokens, tiles of 1 to 512, counted",
        control="By hand, of 16 times 16 tiles 136 are on the diagonal or below it, which is "
        "53.1%; {visited_causal} were visited. With tiles of one entry {visited_causal_1} are "
        "left, the share of the mask that is True.",
        stands=lambda n: 0.45 < n.skipped_causal < 0.5 and n.skipped_causal_512 < 0.4,
    ),
    claim(
        55,
        "Skipping them makes attention about 1.7 to 1.8 times as fast.",
        "It was said of a GPU. On this CPU, PyTorch's function is {speed_is_causal} times as fast "
        "with `is_causal=True` as without a mask, and {speed_causal} times with the same mask as a "
        "tensor.",
        "not tested",
        "on a GPU",
        scope="2 heads 64 wide, 2,048 tokens, float32, one thread of a CPU",
        stands=lambda n: n.skipped_causal > 0.45,
    ),
]


def documents(seed: int) -> Tensor:
    """Causal within each of some documents of random length, one after the other."""
    rng = torch.Generator().manual_seed(seed)
    ends = torch.randperm(LENGTH - 1, generator=rng)[: DOCUMENTS - 1] + 1
    of = torch.zeros(LENGTH, dtype=torch.long)
    of[ends] = 1
    of = of.cumsum(dim=0)  # the document of each token
    return (of[:, None] == of) & window_mask(LENGTH, LENGTH)


def scattered(seed: int) -> Tensor:
    """As many keys as the window has, in random places before the query."""
    rng = torch.Generator().manual_seed(seed)
    window, before = window_mask(LENGTH, WINDOW), window_mask(LENGTH, LENGTH)
    chances = torch.rand(LENGTH, LENGTH, generator=rng).masked_fill(~before, -1)
    ranks = chances.argsort(dim=-1, descending=True).argsort(dim=-1)
    return ranks < window.sum(dim=-1, keepdim=True)


def masks(seed: int) -> dict[str, Tensor]:
    return {
        "causal": window_mask(LENGTH, LENGTH),
        "window": window_mask(LENGTH, WINDOW),
        "documents": documents(seed),
        "scattered": scattered(seed),
    }


def visited(mask: Tensor, tile: int) -> float:
    """The share of tiles in which some query may attend to some key."""
    count = mask.size(0) // tile
    return mask.view(count, tile, count, tile).any(dim=3).any(dim=1).float().mean().item()


def cut(mask: Tensor, tile: int) -> float:
    """Of the visited tiles, the share in which the mask still has to be applied."""
    count = mask.size(0) // tile
    tiles = mask.view(count, tile, count, tile)
    some = tiles.any(dim=3).any(dim=1)
    every = tiles.all(dim=3).all(dim=1)
    return ((some & ~every).sum() / some.sum()).item()


def counted() -> tuple[Numbers, Series]:
    runs = [masks(seed) for seed in SEEDS]
    names = tuple(runs[0])
    series = {
        name: [[visited(run[name], tile) for tile in TILES] for run in runs] for name in names
    }
    numbers: Numbers = {}
    for name in names:
        for at, tile in enumerate(TILES):
            ending = {1: "_1", TILE: ""}.get(tile, f"_{tile}")
            sample = [run[at] for run in series[name]]
            numbers[f"visited_{name}{ending}"] = number(sample, ".1%")
            numbers[f"skipped_{name}{ending}"] = number([1 - one for one in sample], ".1%")
        numbers[f"cut_{name}"] = number([cut(run[name], TILE) for run in runs], ".0%")
    return numbers, {"tiles": TILES, "visited": series}


def seconds(call: Callable[[], Tensor]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def speeds(seed: int) -> dict[str, float]:
    """By how much PyTorch's function is faster than without a mask: the least of some rounds."""
    rng = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(1, 2, LENGTH, WIDTH, generator=rng) for _ in range(3))
    attend = partial(F.scaled_dot_product_attention, query, key, value)
    calls = {"nothing": attend, "is_causal": partial(attend, is_causal=True)}
    calls |= {name: partial(attend, attn_mask=mask) for name, mask in masks(seed).items()}
    rounds = [{name: seconds(call) for name, call in calls.items()} for _ in range(ROUNDS + 1)][1:]
    least = {name: min(one[name] for one in rounds) for name in calls}
    return {name: least["nothing"] / least[name] for name in calls if name != "nothing"}


def measure() -> tuple[Numbers, Series]:
    numbers, series = counted()
    found = [speeds(seed) for seed in SEEDS]
    numbers |= {
        f"speed_{name}": of_machine([one[name] for one in found], ".2f") for name in found[0]
    }
    numbers |= {
        "length": number(LENGTH, ",d"),
        "window": number(WINDOW, "d"),
        "documents": number(DOCUMENTS, "d"),
        "tile": number(TILE, "d"),
    }
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
