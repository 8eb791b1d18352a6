"""Claim 41: the gradient at the first and at the last block before training, by depth."""

from dataclasses import replace

import numpy as np
import torch
from block_model import LENGTH, Kind, losses, new_models, the_chain
from measurements import Number, Numbers, Series, number, run_and_save
from verdicts import claim

DEPTHS = (1, 2, 4, 8, 16, 32)
BATCH, LARGE = 16, 1000
SEEDS = range(5)
FULL = Kind(depth=0, d_model=64)
KINDS = {
    "pre": FULL,
    "post": replace(FULL, norm="post"),
    "none": replace(FULL, norm="none"),
    "no_skip": replace(FULL, skip=False),
}
NARROW = Kind(depth=6)  # the deepest stacks of block_without
MATRICES = ("W_q", "W_k", "W_v", "W_o", "W_1", "W_2")
CLAIMS = [
    claim(
        41,
        "At initialisation, the gradients of the parameters near the output are large in post-norm "
        "stacks.",
        "With {deepest} blocks the gradient of the last one is {last_post_32} with post-norm and "
        "{last_pre_32} with pre-norm. From 1 block to {deepest} it changes by the factor "
        "{grows_last_post} with post-norm and {grows_last_pre} with pre-norm.",
        "holds if",
        "the stack is deep and 'large' is meant in comparison with pre-norm",
        scope="stacks of 1 to 32 blocks 64 wide, 16 sequences of 8 symbols from a Markov chain, "
        "float64, untrained",
        control="Both stacks have the same matrices and read the same sequences, so only the norms "
        "differ. With a single block the gradients are {last_post_1} and {last_pre_1}.",
        stands=lambda n: n.last_post_32 > 3 * n.last_pre_32 and 0.3 < n.grows_last_post < 3,
    ),
    claim(
        41,
        "At initialisation, gradients are well-behaved in pre-norm stacks.",
        "With pre-norm the gradient of the first block is {first_pre_1} with 1 block and "
        "{first_pre_32} with {deepest}; that of the last block falls to {last_pre_32}. With "
        "post-norm the two are {first_post_32} and {last_post_32} with {deepest} blocks.",
        "holds if",
        "'well-behaved' means that neither end changes tenfold with depth, which is true of "
        "post-norm as well",
        scope="the first and the last of 1 to 32 blocks 64 wide, 16 sequences of 8 symbols from a "
        "Markov chain, float64, untrained",
        control="The measure can fail: without a norm, with the same matrices, the gradient of the "
        "first block grows from {first_none_1} to {first_none_32}.",
        stands=lambda n: (
            all(
                0.1 < grown < 10
                for grown in (n.grows_pre, n.grows_last_pre, n.grows_post, n.grows_last_post)
            )
            and n.grows_none > 1000
        ),
    ),
]


def gradients(kind: Kind) -> torch.Tensor:
    """Size of the gradient of each block's matrices: [seeds, blocks]."""
    rng = np.random.default_rng(60_000)
    tokens = torch.from_numpy(the_chain().sample(BATCH, LENGTH + 1, rng))
    models = {
        name: each.double().requires_grad_() for name, each in new_models(kind, SEEDS).items()
    }
    total = losses(models, kind, tokens).sum()
    found = dict(zip(models, torch.autograd.grad(total, list(models.values())), strict=True))
    return torch.stack([_size([found[f"{name}_{at}"] for name in MATRICES])
                        for at in range(kind.depth)], dim=-1)  # fmt: skip


def _size(of_block: list[torch.Tensor]) -> torch.Tensor:
    """[models]"""
    return torch.stack([each.square().sum(dim=(-2, -1)) for each in of_block]).sum(dim=0).sqrt()


def sized(values: list[float]) -> Number:
    """With a power of ten where it is large."""
    return number(values, ".1e" if max(values) > LARGE else ".1f")


def measure() -> tuple[Numbers, Series]:
    numbers: Numbers = {"deepest": number(DEPTHS[-1], "d")}
    series: Series = {"depths": [*DEPTHS], "first": {}, "last": {}, "by_block": {}}
    for name, kind in KINDS.items():
        each = [gradients(replace(kind, depth=depth)) for depth in DEPTHS]
        first, last = (torch.stack([one[:, at] for one in each], dim=-1) for at in (0, -1))
        series["first"][name], series["last"][name] = first.tolist(), last.tolist()
        series["by_block"][name] = each[-1].tolist()  # [seeds, blocks]
        for at, depth in enumerate(DEPTHS):
            numbers[f"first_{name}_{depth}"] = sized(first[:, at].tolist())
            numbers[f"last_{name}_{depth}"] = sized(last[:, at].tolist())
        numbers[f"grows_{name}"] = number((first[:, -1] / first[:, 0]).tolist(), ".1e")
        numbers[f"grows_last_{name}"] = number((last[:, -1] / last[:, 0]).tolist(), ".2f")
        numbers[f"ratio_{name}"] = number((first[:, -1] / last[:, -1]).tolist(), ".2g")
    for name, kind in {"pre": NARROW, "no_skip": replace(NARROW, skip=False)}.items():
        found = gradients(kind)
        for which, at in {"first": 0, "last": -1}.items():
            numbers[f"narrow_{which}_{name}"] = sized(found[:, at].tolist())
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
