"""Cases, oracle and variants of `LanguageModel`."""

import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import EVERY, Case, Exercise, Finite

from .CausalBlock import CausalBlock

exercise = Exercise(
    "LanguageModel",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the logits",),
    read="12_language_model.html#the-model",
    properties=(Finite(),),
)


def case(rng, name, shape, sizes, size=0.5, **options):
    """shape: batch, length. sizes: vocabulary, longest, d_model, num_heads, layers.

    size: of the vectors. The first token of the first row is the start.
    """
    vocabulary, longest, d_model, _, layers = sizes
    state = {
        "embed.weight": size * rng.normal(vocabulary, d_model),
        "positions.weight": size * rng.normal(longest, d_model),
        "norm.weight": 1 + rng.normal(d_model) / 4,
    }
    for at in range(layers):
        into = f"blocks.{at}"
        for norm in (1, 2):
            state[f"{into}.norm_{norm}.weight"] = 1 + rng.normal(d_model) / 4
        state[f"{into}.W_qkv.weight"] = rng.normal(3 * d_model, d_model) / math.sqrt(d_model)
        state[f"{into}.W_o.weight"] = rng.normal(d_model, d_model) / math.sqrt(d_model)
        state[f"{into}.W_1.weight"] = rng.normal(4 * d_model, d_model) / math.sqrt(d_model)
        state[f"{into}.W_1.bias"] = rng.normal(4 * d_model) / 2
        state[f"{into}.W_2.weight"] = rng.normal(d_model, 4 * d_model) / math.sqrt(4 * d_model)
        state[f"{into}.W_2.bias"] = rng.normal(d_model) / 2
    names = ("vocabulary", "longest", "d_model", "num_heads", "layers")
    construct = dict(zip(names, sizes, strict=True))
    tokens = rng.integers(0, vocabulary, *shape)
    tokens[0, 0] = 0
    return Case(name, {"tokens": tokens}, construct=construct, state=state, **options)


@exercise.cases
def cases(rng):
    yield case(rng, "one layer", (2, 5), (11, 5, 6, 2, 1), gradient=True)
    yield case(rng, "two layers", (3, 4), (9, 7, 8, 4, 2), training=True)
    yield case(rng, "three layers", (1, 6), (5, 9, 4, 1, 3))
    yield case(rng, "no layer", (2, 3), (7, 4, 5, 1, 0), size=0.01)  # near eps of the norm


@exercise.secret_cases
def secret_cases(rng):
    length = rng.integer(5, 9)
    yield case(rng, "as long as it may be", (2, length), (13, length, 12, 3, 2))
    yield case(rng, "one token", (4, 1), (6, 8, 6, 3, 2))
    yield case(rng, "another size", (2, length), (4, 16, 10, 5, 2), training=True, gradient=True)
    double = case(rng, "float64", (2, 4), (8, 6, 6, 2, 2))
    yield replace(double, state={name: part.double() for name, part in double.state.items()})


exercise.promise("how many tokens there are.", EVERY)
exercise.promise("how many positions", "one layer", "as long as it may be")
exercise.promise("width of the vectors.", EVERY)
exercise.promise("of each block; it divides", "two layers", "three layers")
exercise.promise("how many blocks.", "one layer", "two layers", "three layers")
exercise.promise("There may be none.", "no layer")
exercise.promise("at most `longest` a row", "one layer", "as long as it may be")
exercise.promise("The first is at position 0.", "one token", "one layer")
exercise.promise("logits, in the dtype", "float64")
exercise.promise("Nothing is dropped", "two layers", "another size")
exercise.promise("Gradients reach every parameter", "one layer", "another size")


class Weights(nn.Module):
    """The parameters, under the names that are asked for."""

    def __init__(self, vocabulary, longest, d_model, num_heads, layers):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d_model)
        self.positions = nn.Embedding(longest, d_model)
        self.blocks = nn.ModuleList(CausalBlock(d_model, num_heads) for _ in range(layers))
        self.norm = nn.RMSNorm(d_model, eps=1e-5)


@exercise.oracle
class ByProducts(Weights):
    """One-hot rows and matrix products in the place of lookups; the norm written out."""

    def forward(self, tokens):
        table = self.embed.weight
        x = F.one_hot(tokens, len(table)).to(table.dtype) @ table
        x = x + self.positions.weight[: tokens.size(1)]
        for block in self.blocks:
            x = block(x)
        size = (x.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()
        return torch.einsum("bld,vd->blv", x / size * self.norm.weight, table)


@exercise.variant
class WithTiedHead(nn.Module):
    """The table has a second name, and the positions are kept in a buffer."""

    places: torch.Tensor

    def __init__(self, vocabulary, longest, d_model, num_heads, layers):
        super().__init__()
        self.head = nn.Linear(d_model, vocabulary, bias=False)
        self.embed = nn.Embedding(vocabulary, d_model)
        self.head.weight = self.embed.weight
        self.positions = nn.Embedding(longest, d_model)
        self.blocks = nn.ModuleList(CausalBlock(d_model, num_heads) for _ in range(layers))
        self.norm = nn.RMSNorm(d_model, eps=1e-5)
        self.register_buffer("places", torch.arange(longest))

    def forward(self, tokens):
        x = self.embed(tokens) + self.positions(self.places[: tokens.size(1)])
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


@exercise.variant
class WithLinear(nn.Module):
    def __init__(self, vocabulary, longest, d_model, num_heads, layers):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d_model)
        self.positions = nn.Embedding(longest, d_model)
        self.blocks = nn.Sequential(*[CausalBlock(d_model, num_heads) for _ in range(layers)])
        self.norm = nn.RMSNorm(d_model, eps=1e-5)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.blocks(self.embed(tokens) + self.positions(places))
        return F.linear(self.norm(x), self.embed.weight)


@exercise.variant
class WithParameters(nn.Module):
    class Table(nn.Module):
        def __init__(self, rows, width):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(rows, width) / width**0.5)

    def __init__(self, vocabulary, longest, d_model, num_heads, layers):
        super().__init__()
        self.embed, self.positions = self.Table(vocabulary, d_model), self.Table(longest, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(layers):
            self.blocks.append(CausalBlock(d_model=d_model, num_heads=num_heads))
        self.norm = nn.RMSNorm((d_model,), eps=1e-5)

    def forward(self, tokens):
        found = self.embed.weight[tokens] + self.positions.weight[None, : tokens.size(-1)]
        for block in self.blocks:
            found = block(found)
        return self.norm(found) @ self.embed.weight.T


@exercise.variant
class WithAnotherOrderOfSums(nn.Module):
    embed: nn.Embedding
    positions: nn.Embedding

    def __init__(self, vocabulary, longest, d_model, num_heads, layers):
        nn.Module.__init__(self)
        sizes = {"embed": vocabulary, "positions": longest}
        for name, rows in sizes.items():
            self.add_module(name, nn.Embedding(num_embeddings=rows, embedding_dim=d_model))
        self.norm = nn.RMSNorm(eps=1e-5, normalized_shape=d_model)
        self.blocks = nn.ModuleList(map(CausalBlock, [d_model] * layers, [num_heads] * layers))

    def forward(self, tokens):
        batch, length = tokens.shape
        places = torch.arange(length, device=tokens.device).repeat(batch, 1)
        x = self.positions(places) + F.embedding(tokens, self.embed.weight)
        for at in range(len(self.blocks)):
            x = self.blocks[at](x)
        return torch.matmul(self.norm(x), self.embed.weight.mT)
