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

    heads: of the queries. kv_heads: of keys and values; 0: one latent vector of `width` numbers,
    from which the keys and values of all heads are made. width: of a key, and of a value.
    """

    heads: int
    kv_heads: int
    width: int

    @property
    def numbers(self) -> int:
        """That a token adds, in one layer."""
        return 2 * self.kv_heads * self.width if self.kv_heads else self.width

    @property
    def weights(self) -> int:
        """Entries of W_q, W_k, W_v and W_o."""
        d_k = self.width if self.kv_heads else D_K
        both = 2 * D_MODEL * self.heads * d_k
        if self.kv_heads:
            return both + 2 * D_MODEL * self.kv_heads * d_k
        return both + D_MODEL * self.width + 2 * self.width * self.heads * d_k

    @property
    def hidden(self) -> int:
        """Width of the MLP at which all models have as many parameters."""
        return HIDDEN + round((Cache(HEADS, HEADS, D_K).weights - self.weights) / (2 * D_MODEL))


class Model:
    """Tokens are given as vectors [seeds, batch, length, d_model]; one model per seed."""

    def __init__(self, cache: Cache, embeddings: int, classes: int, seeds: range) -> None:
        self.cache, self.seeds = cache, len(seeds)
        self.d_k = cache.width if cache.kv_heads else D_K
        self.rng = torch.Generator().manual_seed(seeds.start)
        inner, made = cache.heads * self.d_k, cache.kv_heads * self.d_k
        self.embed = self.normal(1.0, embeddings, D_MODEL)
        self.readout = self.normal(D_MODEL**-0.5, D_MODEL, classes)
        self.W_q, self.W_o = self.matrix(D_MODEL, inner), self.matrix(inner, D_MODEL)
        self.up, self.down = self.matrix(D_MODEL, cache.hidden), self.matrix(cache.hidden, D_MODEL)
        self.parameters = [self.embed, self.readout, self.W_q, self.W_o, self.up, self.down]
        if cache.kv_heads:
            self.shared = [self.matrix(D_MODEL, made) for _ in "kv"]
        else:
            self.shared = [self.matrix(D_MODEL, cache.width)]
            self.shared += [self.matrix(cache.width, inner) for _ in "kv"]
        self.parameters += self.shared

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
        query = self.split(_apply(asked, self.W_q))  # [seeds, batch, heads, queries, d_k]
        key, value = self.keys_and_values(memory)
        group = self.cache.heads // key.size(2)
        folded = query.unflatten(2, (key.size(2), group)).flatten(3, 4)
        weights = (folded @ key.mT / math.sqrt(self.d_k)).softmax(dim=-1)
        output = (weights @ value).unflatten(3, (group, -1)).flatten(2, 3)
        return _apply(output.transpose(2, 3).flatten(-2), self.W_o)

    def keys_and_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Each [seeds, batch, heads that have some, keys, d_k]."""
        if not self.cache.kv_heads:
            latent, *of_heads = self.shared
            memory = _apply(memory, latent)  # all that is kept
        else:
            of_heads = self.shared
        key, value = (self.split(_apply(memory, W)) for W in of_heads)
        return key, value

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (-1, self.d_k)).transpose(2, 3)


def norm(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:])


def _apply(x: Tensor, matrix: Tensor) -> Tensor:
    """Each seed's matrix, applied to its batch: [seeds, batch, length, ...]."""
    return (x.flatten(1, 2) @ matrix).unflatten(1, x.shape[1:3])
