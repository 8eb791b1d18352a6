"""One layer of attention and an MLP whose heads share keys and values in four ways.

Five models are trained at once, as the first axis. A kind of cache says how many numbers a token
leaves in it; the MLP is as wide as it takes for all models to have the same number of parameters.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

D_MODEL, HEADS, D_K, HIDDEN = 64, 8, 4, 256  # HIDDEN: of the MLP beside full heads


@dataclass(frozen=True)
class Cache:
    """What is kept of a token.

    heads: of the queries. kv_heads: of keys and values; 0: one latent vector of `latent` numbers,
    from which the keys and values of all heads are made. d_k: of queries and keys. d_v: of values.
    """

    heads: int
    kv_heads: int
    d_k: int = D_K
    d_v: int = D_K
    latent: int = 0

    @property
    def numbers(self) -> int:
        """That a token adds, in one layer."""
        return self.latent or self.kv_heads * (self.d_k + self.d_v)

    @property
    def weights(self) -> int:
        """Entries of W_q, W_k, W_v and W_o."""
        both = self.d_k + self.d_v
        of_queries = D_MODEL * self.heads * both  # W_q and W_o
        if self.latent:
            return of_queries + self.latent * (D_MODEL + self.heads * both)
        return of_queries + D_MODEL * self.kv_heads * both

    @property
    def hidden(self) -> int:
        """Width of the MLP at which all models have as many parameters."""
        return HIDDEN + round((Cache(HEADS, HEADS).weights - self.weights) / (2 * D_MODEL))


class Model:
    """Tokens are given as vectors [seeds, batch, length, d_model]; one model per seed."""

    def __init__(self, cache: Cache, embeddings: int, classes: int, seeds: range) -> None:
        self.cache, self.seeds = cache, len(seeds)
        self.rng = torch.Generator().manual_seed(seeds.start)
        self.embed = self.normal(1.0, embeddings, D_MODEL)
        self.readout = self.normal(D_MODEL**-0.5, D_MODEL, classes)
        self.W_q = self.matrix(D_MODEL, cache.heads * cache.d_k)
        self.W_o = self.matrix(cache.heads * cache.d_v, D_MODEL)
        self.up, self.down = self.matrix(D_MODEL, cache.hidden), self.matrix(cache.hidden, D_MODEL)
        self.parameters = [self.embed, self.readout, self.W_q, self.W_o, self.up, self.down]
        self.latent = [self.matrix(D_MODEL, cache.latent)] if cache.latent else []
        read, heads = cache.latent or D_MODEL, cache.kv_heads or cache.heads
        self.shared = [self.matrix(read, heads * width) for width in (cache.d_k, cache.d_v)]
        self.parameters += self.latent + self.shared

    def normal(self, std: float, *shape: int) -> Tensor:
        made = std * torch.randn(self.seeds, *shape, generator=self.rng)
        return made.requires_grad_()

    def matrix(self, rows: int, columns: int) -> Tensor:
        return self.normal(rows**-0.5, rows, columns)

    @property
    def size(self) -> int:
        """Parameters of one model, embeddings and readout included."""
        return sum(x[0].numel() for x in self.parameters)

    def __call__(self, memory: Tensor, asked: Tensor) -> Tensor:
        """Queries `asked` attend to all of `memory`: logits [seeds, batch, queries, classes]."""
        x = asked + self.attend(norm(asked), norm(memory))
        x = x + _apply(_apply(norm(x), self.up).relu(), self.down)
        return _apply(norm(x), self.readout)

    def attend(self, asked: Tensor, memory: Tensor) -> Tensor:
        """Attention of all heads; those of a group are folded into one row of queries."""
        query = split(_apply(asked, self.W_q), self.cache.d_k)
        key, value = self.keys_and_values(memory)
        group = self.cache.heads // key.size(2)
        folded = query.unflatten(2, (key.size(2), group)).flatten(3, 4)
        weights = (folded @ key.mT / math.sqrt(self.cache.d_k)).softmax(dim=-1)
        output = (weights @ value).unflatten(3, (group, -1)).flatten(2, 3)
        return _apply(output.transpose(2, 3).flatten(-2), self.W_o)

    def keys_and_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Each [seeds, batch, heads that have some, keys, d_k or d_v]."""
        for matrix in self.latent:
            memory = _apply(memory, matrix)  # all that is kept
        W_k, W_v = self.shared
        key, value = _apply(memory, W_k), _apply(memory, W_v)
        return split(key, self.cache.d_k), split(value, self.cache.d_v)


def split(x: Tensor, width: int) -> Tensor:
    return x.unflatten(-1, (-1, width)).transpose(2, 3)


def norm(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:])


def _apply(x: Tensor, matrix: Tensor) -> Tensor:
    """Each seed's matrix, applied to its batch: [seeds, batch, length, ...]."""
    return (x.flatten(1, 2) @ matrix).unflatten(1, x.shape[1:3])
