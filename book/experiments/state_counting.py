"""What a state of d_k times d_v numbers gives back, when nobody trained the keys and values.

Keys and the vectors of the values are random and of length 1. The answer is the value whose vector
is nearest to what is read.
"""

import math
from collections.abc import Sequence

import torch
from state_model import state
from state_tasks import VALUES
from torch import Tensor
from torch.nn import functional as F

RULES = ("linear", "delta", "best")  # best: the state with the least error of all


def written(rule: str, keys: Tensor, values: Tensor) -> Tensor:
    """The state after all pairs: [..., d_k, d_v]."""
    if rule == "best":
        return torch.linalg.pinv(keys) @ values
    return state(keys, values, None, torch.ones(keys.shape[:-1]) if rule == "delta" else None)


def kept(rule: str, keys: Tensor, table: Tensor, answer: Tensor) -> tuple[float, float]:
    """The share of nearest values that are right, and the mean squared error of what is read.

    keys: [sequences, pairs, d_k]; table: the vectors of the values; answer: [sequences, pairs].
    """
    values = table[answer]
    read = keys @ written(rule, keys, values)
    right = torch.cdist(read, table.expand(len(read), -1, -1)).argmin(dim=-1) == answer
    return right.double().mean().item(), (read - values).square().sum(dim=-1).mean().item()


def random_pairs(seed: int, count: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """About 4,096 pairs of random keys, and the vectors of the values."""
    rng = torch.Generator().manual_seed(seed)
    sequences = math.ceil(4096 / count)
    keys = torch.randn(sequences, count, d_k, generator=rng)
    table = torch.randn(VALUES, d_v, generator=rng)
    answer = torch.randint(VALUES, (sequences, count), generator=rng)
    return F.normalize(keys, dim=-1), F.normalize(table, dim=-1), answer


def orthogonal_pairs(seed: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """As many as there can be: d_k."""
    keys, table, answer = random_pairs(seed, d_k, d_k, d_v)
    return torch.linalg.qr(keys).Q, table, answer


def bend(counts: Sequence[int], shares: Sequence[float], enough: float) -> float:
    """The number of pairs up to which the share is enough, between counts on a log scale.

    The largest count where it is enough everywhere, and the least where it is so nowhere.
    """
    for at, share in enumerate(shares):
        if share < enough:
            if at == 0:
                return float(counts[0])
            part = (shares[at - 1] - enough) / (shares[at - 1] - share)
            return float(counts[at - 1] * (counts[at] / counts[at - 1]) ** part)
    return float(counts[-1])
