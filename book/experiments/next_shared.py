"""Which ways of sharing keys keep them shared, and which copy them for every head.

Counted are the tensors that attention makes beyond its inputs, for one new token over a long text.
What a kernel allocates inside itself is not seen; what torch makes on the way to it is.
"""

from collections.abc import Callable

import torch
from cross_cost import LargestAlive
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.nn import functional as F

SEEDS = range(5)
HEADS, SHARED, D_K, LENGTH = 32, 4, 64, 4096
MIB = 2**20


def weighted(scores: Tensor, d_k: int) -> Tensor:
    return (scores / d_k**0.5).softmax(dim=-1)


def repeated(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    group = query.size(1) // key.size(1)
    key, value = (x.repeat_interleave(group, dim=1) for x in (key, value))
    return weighted(query @ key.mT, D_K) @ value


def broadcast(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """A product of [batch, shared, group, 1, d_k] and [batch, shared, 1, d_k, keys]."""
    apart = query.unflatten(1, (key.size(1), -1))
    return (weighted(apart @ key[:, :, None].mT, D_K) @ value[:, :, None]).flatten(1, 2)


def einsum(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    apart = query.unflatten(1, (key.size(1), -1))
    weights = weighted(torch.einsum("bsgqd,bskd->bsgqk", apart, key), D_K)
    return torch.einsum("bsgqk,bskv->bsgqv", weights, value).flatten(1, 2)


def folded(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    groups = (key.size(1), query.size(1) // key.size(1))
    rows = query.unflatten(1, groups).flatten(2, 3)  # [batch, shared, group * queries, d_k]
    output = weighted(rows @ key.mT, D_K) @ value
    return output.unflatten(2, (groups[1], -1)).flatten(1, 2)


def torch_grouped(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, enable_gqa=True)


WAYS: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "repeated": repeated,
    "broadcast": broadcast,
    "einsum": einsum,
    "folded": folded,
    "torch": torch_grouped,
}


def given(seed: int, length: int) -> list[Tensor]:
    rng = torch.Generator().manual_seed(seed)
    shapes = (1, HEADS, 1, D_K), (1, SHARED, length, D_K), (1, SHARED, length, D_K)
    return [torch.randn(*shape, generator=rng) for shape in shapes]


def made(way: str) -> int:
    """The most bytes alive beyond the inputs."""
    inputs = given(0, LENGTH)
    with LargestAlive(inputs) as memory, torch.no_grad():
        WAYS[way](*inputs)
    return memory.peak


def disagreement(seed: int) -> float:
    inputs = [x.double() for x in given(seed, 50)]
    right = repeated(*inputs)
    return max((attend(*inputs) - right).abs().max().item() for attend in WAYS.values())


def measure() -> tuple[Numbers, Series]:
    numbers = {
        "heads": number(HEADS, ".0f"),
        "shared": number(SHARED, ".0f"),
        "length": number(LENGTH, ",.0f"),
        "d_k": number(D_K, "d"),
        "held": number(2 * SHARED * LENGTH * D_K * 4 / MIB, ".0f", "MiB"),
        "disagreement": number(max(disagreement(seed) for seed in SEEDS), ".0e"),
    }
    found = {way: made(way) / MIB for way in WAYS}
    numbers |= {way: number(size, ".1f", "MiB") for way, size in found.items()}
    numbers["torch"] = number(1024 * found["torch"], ".0f", "KiB")
    return numbers, {"made": found}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
