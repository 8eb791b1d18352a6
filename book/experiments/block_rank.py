"""Claims 39 and 40: how fast the tokens of an untrained stack become equal, and what slows it.

The distance from rank one is the share of the tokens' size that is not common to all of them. A
stack of attention alone is followed far below the rounding of float64: the mean token and what is
left of each token are kept apart, and differences of weights are computed from differences.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

import torch
from measurements import Number, Numbers, Series, number, run_and_save
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

TOKENS, D_MODEL, D_HIDDEN, DEPTH, PURE = 32, 64, 256, 24, 6
GAINS = (1.0, 4.0, 16.0)  # of the scores
SHOWN = (1, 2, 4, 6, 12, DEPTH)  # layers whose distances are numbers of the page
LEAST = 0.01  # of a distance that is printed with two decimals
ROUNDING = 1e-12  # a distance below this is made of rounding errors
KEEPS = (4 * D_MODEL * D_HIDDEN / (D_MODEL + D_HIDDEN) ** 2 / 2) ** -0.25
SEEDS = range(5)
Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Kind:
    """Which parts a stack has beside attention."""

    skip: bool = False
    mlp: bool = False
    norm: bool = False
    tanh: bool = False  # instead of ReLU
    gain: float = 1.0  # of the MLP's weights; with KEEPS a ReLU MLP keeps the size of a token


KINDS = {
    "alone": Kind(),
    "norm": Kind(norm=True),
    "mlp": Kind(mlp=True),
    "kept": Kind(mlp=True, gain=KEEPS),
    "tanh": Kind(mlp=True, tanh=True, gain=4.0),
    "skip": Kind(skip=True),
    "skip_norm": Kind(skip=True, norm=True),
    "skip_mlp": Kind(skip=True, mlp=True),
    "block": Kind(skip=True, mlp=True, norm=True),
}
CLAIMS = [
    claim(
        39,
        "Without skip connections or MLPs, the output of self-attention converges doubly "
        "exponentially with depth to a matrix of rank one.",
        "Untrained, {tokens} tokens: {alone_1}, {alone_2}, {alone_3} and {alone_4} of the tokens' "
        "size differs between them after 1 to 4 layers; from layer 3 to {pure} each layer "
        "multiplies the exponent by {power}. With scores 16 times as large {gain_16_6} is left "
        "after 6 layers, and after {depth} no more than rounding.",
        "holds if",
        "the differences between the scores of a row are already small",
        scope="32 random tokens with 64 features, one head, no mask, untrained",
        control="Rounding could hide the fall or end it. The mean token and the deviations from it "
        "are therefore carried apart. The same layers in plain float64 leave {gain_1_2} after 2 "
        "layers as well, and stop at {gain_1_4} after 4.",
        stands=lambda n: 2.7 < n.power < 3.3 and n.gain_16_6 > 0.05 and n.gain_16_24 < 1e-9,
    ),
    claim(
        40,
        "Skip connections stop the output from degenerating.",
        "With skips alone, each layer after the twelfth multiplies the distance by {skip_factor}, "
        "and {skip_24} is left after {depth}. With skips and pre-norm the factor is "
        "{skip_norm_factor} and {skip_norm_24} is left, with MLPs as well {block_factor} and "
        "{block_24}: the distance still falls. Without MLPs {without_mlp} less is left.",
        "holds if",
        "the stack has pre-norm as well, and 'stop' means to slow down",
        scope="32 random tokens with 64 features, up to 24 layers, one head, no mask, untrained",
        control="Skips and MLPs without a norm leave {skip_mlp_24}, and a norm without skips "
        "leaves {norm_24}.",
        stands=lambda n: (
            0.65 < n.skip_factor < 0.8
            and max(n.skip_24, n.skip_mlp_24, n.norm_24) < 0.1
            and 0.15 < n.skip_norm_24 < n.block_24
            and max(n.skip_norm_factor, n.block_factor) < 1
        ),
    ),
    claim(
        40,
        "MLPs stop the output from degenerating.",
        "Without skips: with a ReLU MLP in each layer {mlp_2} is left after 2 layers, with one "
        "that keeps the size of a token {kept_2}, with attention alone {alone_2}. With a steep "
        "tanh MLP it is {tanh_4} after 4, and {tanh_12} after 12, which is rounding.",
        "false",
        "for these three MLPs, of which the steep one delays it by some layers",
        scope="32 random tokens with 64 features, one head, no mask, untrained",
        control="Smaller tokens have smaller scores, which makes weights more equal. The first MLP "
        "multiplies the size of random tokens by {resized_mlp}, the second by {resized_kept}, the "
        "steep one by {resized_tanh}, and all three end at rounding.",
        stands=lambda n: (
            max(n.mlp_2, n.kept_2) < n.alone_2
            and abs(n.resized_kept - 1) < 0.1
            and n.tanh_4 > 0.1
            and max(n.mlp_12, n.kept_12, n.tanh_12) < 1e-12
        ),
    ),
]


def distance(x: Tensor) -> float:
    """From rank one: the share of the tokens' size that is not their mean. x: [tokens, d_model]"""
    return ((x - x.mean(dim=0)).norm() / x.norm()).item()


def matrix(rng: torch.Generator, rows: int, columns: int, gain: float = 1.0) -> Tensor:
    made = torch.randn(rows, columns, generator=rng, dtype=torch.float64)
    return made * gain * math.sqrt(2 / (rows + columns))


def inputs(rng: torch.Generator) -> Tensor:
    return torch.randn(TOKENS, D_MODEL, generator=rng, dtype=torch.float64)


def scoring(rng: torch.Generator, gain: float = 1.0) -> Tensor:
    """W_q W_k^T over the root, so that unit tokens have scores of about `gain`."""
    W_q, W_k = (matrix(rng, D_MODEL, D_MODEL) for _ in range(2))
    return gain * W_q @ W_k.T / math.sqrt(D_MODEL)


def attention(rng: torch.Generator, gain: float = 1.0) -> Function:
    """One head of full width; the layer's random matrices are drawn now."""
    compare, W_v = scoring(rng, gain), matrix(rng, D_MODEL, D_MODEL)
    return lambda x: (x @ compare @ x.T).softmax(dim=-1) @ x @ W_v


def mlp(rng: torch.Generator, kind: Kind) -> Function:
    W_1 = matrix(rng, D_MODEL, D_HIDDEN, kind.gain)
    W_2 = matrix(rng, D_HIDDEN, D_MODEL, kind.gain)
    nonlinear = torch.tanh if kind.tanh else F.relu
    return lambda x: nonlinear(x @ W_1) @ W_2


def resized(kind: Kind, seed: int) -> float:
    """The factor by which one MLP changes the size of random tokens."""
    rng = torch.Generator().manual_seed(seed)
    x = inputs(rng)
    return (mlp(rng, kind)(x).norm() / x.norm()).item()


def distances(kind: Kind, seed: int, gain: float = 1.0, depth: int = DEPTH) -> list[float]:
    """Of the tokens, before the first layer and after each."""
    rng = torch.Generator().manual_seed(seed)
    x = inputs(rng)
    found = [distance(x)]
    for _ in range(depth):
        parts = [attention(rng, gain)] + ([mlp(rng, kind)] if kind.mlp else [])
        for part in parts:
            made = part(F.layer_norm(x, (D_MODEL,)) if kind.norm else x)
            x = x + made if kind.skip else made
        found.append(distance(x))
    return found


def pure(seed: int) -> list[float]:
    """Attention alone, with the mean token and the others' deviations from it kept apart."""
    rng = torch.Generator().manual_seed(seed)
    x = inputs(rng)
    mean, rest = x.mean(dim=0), x - x.mean(dim=0)
    found = [distance(x)]
    for _ in range(PURE):
        compare, W_v = scoring(rng), matrix(rng, D_MODEL, D_MODEL)
        shared = (mean @ compare @ rest.T).softmax(dim=-1)  # [keys], the same for all queries
        more = torch.expm1(rest @ compare @ rest.T)  # [queries, keys]
        excess = (more @ shared)[:, None]
        apart = shared * (more - excess) / (1 + excess)  # weights minus the shared ones
        mean, rest = mean + shared @ rest, apart @ rest  # still to be projected
        mean, rest = (mean + rest.mean(dim=0)) @ W_v, (rest - rest.mean(dim=0)) @ W_v
        most = rest.abs().max()  # its square may be no number
        size = (most * (rest / most).norm()).item()
        found.append(size / math.hypot(size, mean.norm().item() * TOKENS**0.5))
    return found


def beyond_cubing(run: list[float]) -> float:
    """Powers of ten that a layer takes away besides cubing: mean of those after the third."""
    zeros = [-math.log10(one) for one in run]
    return fmean(zeros[at + 1] - 3 * zeros[at] for at in range(3, PURE))


def measure() -> tuple[Numbers, Series]:
    exact = [pure(seed) for seed in SEEDS]  # [seeds, layers + 1]
    numbers: Numbers = {"pure": number(PURE, "d"), "depth": number(DEPTH, "d")}
    numbers |= {"tokens": number(TOKENS, "d"), "d_model": number(D_MODEL, "d")}
    powers = [math.log(run[PURE]) / math.log(run[3]) for run in exact]
    numbers["power"] = number([power ** (1 / (PURE - 3)) for power in powers], ".2f")
    numbers["beyond_cubing"] = number([beyond_cubing(run) for run in exact], ".1f")
    for layer in range(1, PURE + 1):
        numbers[f"alone_{layer}"] = decimal([run[layer] for run in exact])
    series: Series = {
        "pure": [[max(one, 1e-300) for one in run] for run in exact],
        "by_depth": {},
        "by_gain": {},
    }
    for name, kind in KINDS.items():
        runs = [distances(kind, seed) for seed in SEEDS]
        series["by_depth"][name] = [[max(one, 1e-16) for one in run] for run in runs]
        if name != "alone":
            numbers |= {f"{name}_{at}": left([run[at] for run in runs]) for at in SHOWN}
        factors = [
            (run[DEPTH] / run[DEPTH // 2]) ** (2 / DEPTH) for run in runs if run[DEPTH] > 1e-12
        ]
        if factors:
            numbers[f"{name}_factor"] = number(factors, ".3f")
    for name in ("mlp", "kept", "tanh"):
        numbers[f"resized_{name}"] = number([resized(KINDS[name], seed) for seed in SEEDS], ".2f")
    kept_without = numbers[f"skip_norm_{DEPTH}"]["value"] / numbers[f"block_{DEPTH}"]["value"]
    numbers["without_mlp"] = number(1 - kept_without, ".0%")
    for gain in GAINS:
        runs = [distances(Kind(), seed, gain) for seed in SEEDS]
        series["by_gain"][f"{gain:.0f}"] = [[max(one, 1e-16) for one in run] for run in runs]
        numbers |= {f"gain_{gain:.0f}_{at}": left([run[at] for run in runs]) for at in SHOWN}
    return numbers, series


def left(values: list[float]) -> Number:
    """Distances of all seeds, or the largest of them where all are rounding errors."""
    return decimal(values) if max(values) > ROUNDING else number(max(values), ".0e")


def decimal(values: list[float]) -> Number:
    """Small ones with one digit, and so with the order in which each seed has them."""
    return number(values, ".2f" if min(values) > LEAST else ".1g")


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
