"""Cases, oracle and variants of `LanguageModel`."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import EVERY, Case, Exercise, Finite

from .PreNormBlock import PreNormBlock
from .RotaryAttention import ByRelativeTurns

exercise = Exercise(
    "LanguageModel",
    points=4,
    difficulty=3,
    minutes=25,
    returns=("the logits",),
    read="12_language_model.html#the-model",
    builds_on=("RotaryAttention",),
    properties=(Finite(),),
)

# The earlier exercise: the notebook has it.
RotaryAttention: Callable[..., Any]


def case(rng, name, shape, sizes, size=0.5, **options):
    """shape: batch, length. sizes: vocabulary, d_model, num_heads, layers.

    size: of the vectors. The first token of the first row is the start.
    """
    vocabulary, d_model, _, layers = sizes
    state = {
        "embed.weight": size * rng.normal(vocabulary, d_model),
        "norm.weight": 1 + rng.normal(d_model) / 4,
    }
    root = math.sqrt(d_model)
    for at in range(layers):
        into = f"blocks.{at}"
        for norm in (1, 2):
            state[f"{into}.norm_{norm}.weight"] = 1 + rng.normal(d_model) / 4
        state[f"{into}.attention.W_qkv.weight"] = rng.normal(3 * d_model, d_model) / root
        state[f"{into}.attention.W_o.weight"] = rng.normal(d_model, d_model) / root
        state[f"{into}.W_1.weight"] = rng.normal(4 * d_model, d_model) / root
        state[f"{into}.W_1.bias"] = rng.normal(4 * d_model) / 2
        state[f"{into}.W_2.weight"] = rng.normal(d_model, 4 * d_model) / root / 2
        state[f"{into}.W_2.bias"] = rng.normal(d_model) / 2
    names = ("vocabulary", "d_model", "num_heads", "layers")
    construct = dict(zip(names, sizes, strict=True))
    tokens = rng.integers(0, vocabulary, *shape)
    tokens[0, 0] = 0
    return Case(name, {"tokens": tokens}, construct=construct, state=state, **options)


@exercise.cases
def cases(rng):
    yield case(rng, "one layer", (2, 5), (11, 8, 2, 1), gradient=True)
    yield case(rng, "two layers", (3, 4), (9, 8, 4, 2), training=True)
    yield case(rng, "three layers", (1, 6), (5, 4, 1, 3))
    yield case(rng, "no layer", (2, 3), (7, 6, 1, 0), size=0.01)  # near eps of the norm


@exercise.secret_cases
def secret_cases(rng):
    length = rng.integer(5, 9)
    yield case(rng, "a longer row", (2, length + 6), (13, 12, 3, 2))
    yield case(rng, "one token", (4, 1), (6, 6, 3, 2))
    yield case(rng, "another size", (2, length), (4, 16, 4, 2), training=True, gradient=True)
    double = case(rng, "float64", (2, 4), (8, 8, 2, 2))
    yield replace(double, state={name: part.double() for name, part in double.state.items()})


exercise.promise("how many tokens there are.", EVERY)
exercise.promise("width of the vectors.", EVERY)
exercise.promise("of each block; d_model", "two layers", "three layers")
exercise.promise("how many blocks.", "one layer", "two layers", "three layers")
exercise.promise("There may be none.", "no layer")
exercise.promise("from 0 to vocabulary - 1.", EVERY)
exercise.promise("The first of a row is at", "one token", "one layer")
exercise.promise("logits, in the dtype", "float64")
exercise.promise("Nothing is dropped", "two layers", "another size")
exercise.promise("Gradients reach every parameter", "one layer", "another size")


@exercise.oracle
class ByProducts(nn.Module):
    """One-hot rows and matrix products instead of lookups; the norm written out."""

    def __init__(self, vocabulary, d_model, num_heads, layers):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d_model)
        attentions = [ByRelativeTurns(d_model, num_heads) for _ in range(layers)]
        self.blocks = nn.ModuleList(PreNormBlock(each, d_model) for each in attentions)
        self.norm = nn.RMSNorm(d_model, eps=1e-5)

    def forward(self, tokens):
        table = self.embed.weight
        x = F.one_hot(tokens, len(table)).to(table.dtype) @ table
        for block in self.blocks:
            x = block(x)
        size = (x.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()
        return torch.einsum("bld,vd->blv", x / size * self.norm.weight, table)


@exercise.variant
class WithTiedHead(nn.Module):
    """The table has a second name."""

    def __init__(self, vocabulary, d_model, num_heads, layers):
        super().__init__()
        self.norm = nn.RMSNorm(d_model, eps=1e-5)
        self.blocks = nn.Sequential()
        for _ in range(layers):
            self.blocks.append(PreNormBlock(RotaryAttention(d_model, num_heads), d_model))
        self.embed = nn.Embedding(vocabulary, d_model)
        self.head = nn.Linear(d_model, vocabulary, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.embed(tokens))))


@exercise.variant
class WithLinear(nn.Module):
    def __init__(self, vocabulary, d_model, num_heads, layers):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d_model)
        blocks = [
            PreNormBlock(RotaryAttention(d_model, num_heads=num_heads), d_model)
            for _ in range(layers)
        ]
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.RMSNorm(d_model, eps=1e-5)

    def forward(self, tokens):
        vectors = self.embed(tokens)
        for block in self.blocks:
            vectors = block(vectors)
        return F.linear(self.norm(vectors), self.embed.weight)


@exercise.variant
class WithParameters(nn.Module):
    class Table(nn.Module):
        def __init__(self, rows, width):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(rows, width))

    def __init__(self, vocabulary, d_model, num_heads, layers):
        super().__init__()
        self.embed = self.Table(vocabulary, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(layers):
            attention = RotaryAttention(d_model=d_model, num_heads=num_heads)
            self.blocks.append(PreNormBlock(attention=attention, d_model=d_model))
        self.norm = nn.RMSNorm((d_model,), eps=1e-5)

    def forward(self, tokens):
        found = self.embed.weight[tokens]
        for block in self.blocks:
            found = block(found)
        return self.norm(found) @ self.embed.weight.T


@exercise.variant
class WithBlocksByNumber(nn.Module):
    def __init__(self, vocabulary, d_model, num_heads, layers):
        nn.Module.__init__(self)
        self.norm = nn.RMSNorm(eps=1e-5, normalized_shape=d_model)
        attentions = map(RotaryAttention, [d_model] * layers, [num_heads] * layers)
        self.blocks = nn.ModuleList(map(PreNormBlock, attentions, [d_model] * layers))
        self.embed = nn.Embedding(num_embeddings=vocabulary, embedding_dim=d_model)

    def forward(self, tokens):
        x = F.embedding(tokens, self.embed.weight)
        for at in range(len(self.blocks)):
            x = self.blocks[at](x)
        return torch.matmul(self.norm(x), self.embed.weight.mT)
