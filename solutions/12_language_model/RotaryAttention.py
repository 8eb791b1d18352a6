"""Cases, oracle and variants of `RotaryAttention`."""

import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import EVERY, Case, Exercise, Finite

exercise = Exercise(
    "RotaryAttention",
    points=6,
    difficulty=4,
    minutes=25,
    returns=("the output",),
    read="08_positions.html#rotary-positions",
    properties=(Finite(),),
)

ANGLES = 3e-5  # room for angles of float32


def case(rng, name, shape, d_model, num_heads, **options):
    """shape: batch, length."""
    state = {
        "W_qkv.weight": 1.5 * rng.normal(3 * d_model, d_model) / math.sqrt(d_model),
        "W_o.weight": rng.normal(d_model, d_model) / math.sqrt(d_model),
    }
    inputs = {"x": rng.normal(*shape, d_model)}
    construct = {"d_model": d_model, "num_heads": num_heads}
    return Case(name, inputs, construct=construct, state=state, tolerance=ANGLES, **options)


@exercise.cases
def cases(rng):
    yield case(rng, "one head", (2, 5), 6, 1, gradient=True)
    yield case(rng, "two heads", (3, 6), 8, 2, training=True)
    yield case(rng, "as many of everything", (4, 4), 16, 4)
    yield case(rng, "a longer row", (1, 12), 12, 3)


@exercise.secret_cases
def secret_cases(rng):
    length = rng.integer(7, 11)
    yield case(rng, "pairs alone", (2, length), 6, 3)
    yield case(rng, "one token", (3, 1), 8, 2)
    yield case(rng, "another size", (2, length), 24, 2, training=True, gradient=True)
    double = case(rng, "float64", (2, length), 8, 2)
    inputs = {"x": double.inputs["x"].double()}
    state = {name: part.double() for name, part in double.state.items()}
    yield replace(double, inputs=inputs, state=state)


exercise.promise("width of x and of the output.", EVERY)
exercise.promise("how many heads; d_k", "one head", "two heads", "pairs alone")
exercise.promise("at positions 0, 1, 2", "a longer row", "one token")
exercise.promise("Not changed.", EVERY)
exercise.promise("of the shape and dtype of x", "float64", "two heads")
exercise.promise("Nothing is dropped", "two heads", "another size")
exercise.promise("Gradients reach x", "one head", "another size")


@exercise.oracle
class ByRelativeTurns(nn.Module):
    """The turn from each query to each key as a matrix, between vectors that are not turned."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def turn(self, far, d_k):
        angles = [far / 10000.0 ** (2 * r / d_k) for r in range(d_k // 2)]
        blocks = [[[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]] for a in angles]
        return torch.block_diag(*torch.tensor(blocks, dtype=torch.float64))

    def forward(self, x):
        at, d_k = range(x.size(1)), x.size(2) // self.num_heads
        turns = torch.stack([torch.stack([self.turn(j - i, d_k) for j in at]) for i in at]).to(x)
        matrices = self.W_qkv.weight.view(3, self.num_heads, d_k, -1)
        q, k, v = (torch.einsum("blm,hdm->bhld", x, part) for part in matrices)
        scores = torch.einsum("bhid,ijde,bhje->bhij", q, turns, k) / math.sqrt(d_k)
        shares = (scores - scores.amax(dim=-1, keepdim=True)).exp().tril()
        found = torch.einsum("bhij,bhjd->bihd", shares / shares.sum(-1, keepdim=True), v)
        return torch.einsum("bihd,mhd->bim", found, self.W_o.weight.view(-1, *found.shape[2:]))


def rotate(x, positions, base):
    """As in the chapter on positions."""
    d_k = x.size(-1)
    doubled = torch.arange(0, d_k, 2, dtype=torch.float64, device=x.device)
    angles = positions[..., None] / base ** (doubled / d_k)
    cos, sin = angles.cos(), angles.sin()
    u, v = x[..., 0::2], x[..., 1::2]
    return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(-2).to(x.dtype)


@exercise.variant
class WithRotate(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.W_qkv(x).chunk(3, dim=-1)
        )
        at = torch.arange(x.size(1), device=x.device)
        q, k = rotate(q, at, 10000.0), rotate(k, at, 10000.0)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.W_o(out.transpose(1, 2).flatten(2))


@exercise.variant
class AsComplexNumbers(nn.Module):
    """Both in one product, with positions that count from 1."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads, self.d_k = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        batch, length, d_model = x.shape
        packed = self.W_qkv(x).view(batch, length, 3, self.heads, self.d_k)
        numbers = torch.view_as_complex(packed[:, :, :2].unflatten(-1, (-1, 2)).contiguous())
        rates = 1e4 ** -(torch.arange(self.d_k // 2, device=x.device) * 2 / self.d_k)
        phases = torch.outer(torch.arange(1, length + 1, device=x.device), rates)
        wheel = torch.polar(torch.ones_like(phases), phases)[:, None, None]
        q, k = torch.view_as_real(numbers * wheel).flatten(-2).to(x.dtype).unbind(2)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.d_k**-0.5
        seen = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        weights = F.softmax(scores.where(seen, torch.finfo(x.dtype).min), dim=-1)
        out = torch.einsum("bhqk,bkhd->bqhd", weights, packed[:, :, 2])
        return F.linear(out.reshape(batch, length, d_model), self.W_o.weight)


@exercise.variant
class WithTablesMadeAtFirst(nn.Module):
    """Angles of float32 in buffers. The turned halves stay apart, alike in queries and keys."""

    cos: torch.Tensor
    sin: torch.Tensor

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads, d_k = num_heads, d_model // num_heads
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        rates = 1.0 / (10000 ** (torch.arange(0, d_k, 2).float() / d_k))
        angles = torch.arange(256).float()[:, None] * rates
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def turn(self, x):  # [batch, length, heads, d_k]
        cos, sin = self.cos[: x.size(1), None].to(x.dtype), self.sin[: x.size(1), None].to(x.dtype)
        first, second = x[..., ::2], x[..., 1::2]
        return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)

    def forward(self, x):
        q, k, v = self.W_qkv(x).unflatten(-1, (3, self.num_heads, -1)).unbind(2)
        q, k, v = (part.transpose(1, 2) for part in (self.turn(q), self.turn(k), v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        later = torch.ones(x.size(1), x.size(1), device=x.device).triu(diagonal=1).bool()
        weights = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
        return self.W_o((weights @ v).transpose(1, 2).reshape(x.shape))


@exercise.variant
class HeadByHead(nn.Module):
    """With a vector turned by 90 degrees."""

    class Matrix(nn.Module):
        def __init__(self, rows, columns):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(rows, columns))

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_k = d_model // num_heads
        self.W_qkv, self.W_o = self.Matrix(3 * d_model, d_model), self.Matrix(d_model, d_model)

    def turn(self, x):
        column = torch.arange(self.d_k, device=x.device)
        rates = torch.exp(-math.log(10000.0) * (column - column % 2).double() / self.d_k)
        theta = torch.arange(x.size(-2), device=x.device).unsqueeze(-1) * rates
        quarter = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
        return x * theta.cos().to(x.dtype) + quarter * theta.sin().to(x.dtype)

    def forward(self, x):
        q, k, v = (x @ part.mT for part in self.W_qkv.weight.chunk(3))
        heads = []
        for at in range(0, x.size(-1), self.d_k):
            part = slice(at, at + self.d_k)
            scores = self.turn(q[..., part]) @ self.turn(k[..., part]).mT / self.d_k**0.5
            earlier = torch.ones_like(scores).tril() > 0
            heads.append(scores.masked_fill(~earlier, -1e30).softmax(dim=-1) @ v[..., part])
        return torch.cat(heads, dim=-1) @ self.W_o.weight.mT
