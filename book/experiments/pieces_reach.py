"""Claim 56, its second half: how far back can an output see through a stack of windows?

Layers of attention within a window, each query seeing itself and the keys before it, with random
weights in float64. What an output sees is the gradient of the last output by each input: beyond
the reach it has to be exactly zero, and at the reach it must not be. How much of it comes from how
far is another question, and is asked as well, with and without a residual connection.
"""

import math

import torch
from measurements import Numbers, Series, number, run_and_save
from pieces_attention import window_attention
from torch import Tensor
from verdicts import claim

SEEDS = range(5)
WINDOWS, DEPTHS = (2, 4, 8, 16), (1, 2, 3, 4, 6, 8)
WINDOW, DEPTH, WIDTH = 8, 8, 16  # of the pictures

CLAIMS = [
    claim(
        56,
        "After k layers with a window of W, information has come from up to k times W tokens back.",
        "Windows of 2 to 16 keys, the query's own included, 1 to 8 layers, 5 seeds: the farthest "
        "input with a gradient is k(W − 1) back in {right} of {pairs} stacks, and k times W back "
        "in {as_stated}. With W keys before the query's own, as the same paper also defines it, "
        "k times W in {right_other}. Of a stack of {depth} layers with {window} keys and residual "
        "connections, not trained, {near_share} of the gradient's size comes from the {window} "
        "nearest of {inputs} inputs.",
        "holds if",
        "W does not count the query's own key",
        scope="stacks of 1 to 8 layers of attention 16 wide with residual connections, windows of "
        "2 to 16 keys, untrained",
        control="A longer reach would have been seen: each sequence is longer than k times W, and "
        "every gradient beyond the reach is exactly zero.",
        stands=lambda n: n.right == n.pairs == n.right_other and n.as_stated == 0,
    )
]


class Stack:
    """Layers of attention within a window, with random projections."""

    def __init__(self, layers: int, window: int, residual: bool, seed: int) -> None:
        rng = torch.Generator().manual_seed(seed)
        shape = (layers, 4, WIDTH, WIDTH)
        self.weights = torch.randn(shape, generator=rng, dtype=torch.float64) / math.sqrt(WIDTH)
        self.window, self.residual = window, residual

    def __call__(self, x: Tensor) -> Tensor:
        for W_q, W_k, W_v, W_o in self.weights:
            normed = torch.nn.functional.layer_norm(x, (WIDTH,)) if self.residual else x
            found = window_attention(normed @ W_q, normed @ W_k, normed @ W_v, self.window) @ W_o
            x = x + found if self.residual else found
        return x


def sizes(layers: int, window: int, residual: bool, seed: int) -> list[float]:
    """Of the gradient of the last output by each input, from the last input back."""
    length = layers * window + 5  # some farther than any formula says
    rng = torch.Generator().manual_seed(1000 + seed)
    x = torch.randn(length, WIDTH, generator=rng, dtype=torch.float64).requires_grad_()
    output = Stack(layers, window, residual, seed)(x)[-1]
    found = [torch.autograd.grad(one, x, retain_graph=True)[0] for one in output]
    return torch.stack(found).square().sum(dim=(0, 2)).sqrt().flip(0).tolist()  # [distance]


def farthest(of_distance: list[float]) -> int:
    return max(at for at, size in enumerate(of_distance) if size > 0)


def reaches() -> tuple[Numbers, Series]:
    """Of all stacks and seeds: how often each formula is right."""
    right = as_stated = other = 0
    found: dict[str, list[list[int]]] = {str(window): [] for window in WINDOWS}
    for window in WINDOWS:
        for seed in SEEDS:
            reach = [farthest(sizes(layers, window, True, seed)) for layers in DEPTHS]
            wider = [farthest(sizes(layers, window + 1, True, seed)) for layers in DEPTHS]
            right += sum(far == k * (window - 1) for far, k in zip(reach, DEPTHS, strict=True))
            as_stated += sum(far == k * window for far, k in zip(reach, DEPTHS, strict=True))
            other += sum(far == k * window for far, k in zip(wider, DEPTHS, strict=True))
            found[str(window)].append(reach)
    counts = {"right": right, "as_stated": as_stated, "right_other": other}
    counts["pairs"] = len(WINDOWS) * len(DEPTHS) * len(SEEDS)
    numbers = {name: number(count, "d") for name, count in counts.items()}
    numbers["longest"] = number(DEPTHS[-1] * (WINDOWS[-1] - 1), "d")
    return numbers, {"depths": DEPTHS, "reach": found}


def within(of_distance: list[float], share: float) -> int:
    """The distance within which this share of the gradient's size lies."""
    sums = torch.tensor(of_distance).cumsum(dim=0)
    return int((sums < share * sums[-1]).sum())


def shares() -> tuple[Numbers, Series]:
    reach = DEPTH * (WINDOW - 1)
    profiles = {
        kind: [sizes(DEPTH, WINDOW, residual, seed)[: reach + 3] for seed in SEEDS]
        for kind, residual in (("with residuals", True), ("without", False))
    }
    drawn = {
        kind: [[size / sum(run) for size in run] for run in runs] for kind, runs in profiles.items()
    }
    numbers = {
        "window": number(WINDOW, "d"),
        "depth": number(DEPTH, "d"),
        "reach": number(reach, "d"),
        "inputs": number(reach + 1, "d"),
    }
    for key, runs in zip(("near", "bare"), drawn.values(), strict=True):
        share = [sum(run[:WINDOW]) for run in runs]
        numbers[f"{key}_share"] = number(share, ".0%" if key == "near" else ".2%")
        numbers[f"{key}_half"] = number([within(run, 0.5) for run in runs], ".0f")
        numbers[f"{key}_most"] = number([within(run, 0.99) for run in runs], ".0f")
        numbers[f"{key}_last"] = number([run[reach] for run in runs], ".0e")
    return numbers, {"profiles": drawn}


def measure() -> tuple[Numbers, Series]:
    numbers, series = reaches()
    of_shares, profiles = shares()
    return numbers | of_shares, series | profiles


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
