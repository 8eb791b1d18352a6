"""Cases, oracle and variants of `rms_norm`."""

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite

exercise = Exercise(
    "rms_norm",
    points=2,
    difficulty=1,
    minutes=10,
    returns=("the normalised rows",),
    read="07_block.html#layer-norm",
    forbids=("rms_norm", "fused_rms_norm"),
    properties=(Finite(),),
)


def case(rng, name, x, eps=1e-6, gradient=True):
    weight = (1 + rng.normal(x.size(-1)) / 2).to(x.dtype)
    return Case(name, {"x": x, "weight": weight, "eps": eps}, gradient=gradient)


@exercise.cases
def cases(rng):
    inputs = {"x": torch.tensor([[1.0, 7]]), "weight": torch.tensor([1.0, 2]), "eps": 1e-9}
    yield Case("the token of the text", inputs)
    yield case(rng, "two sequences", rng.normal(2, 3, 5) * 2 + 1)
    yield case(rng, "as many positions as features", rng.normal(2, 4, 4) + 2)
    yield case(rng, "a large eps", rng.normal(3, 4), 0.5)
    zero = rng.normal(3, 5)
    zero[1] = 0
    yield case(rng, "a row of zeros", zero, 1e-3)
    yield case(rng, "small rows", rng.normal(2, 3, 6) / 1000, 1e-6)
    large = (rng.normal(3, 6) * 900).to(torch.float16)
    yield case(rng, "large rows in half precision", large, 1e-5, gradient=False)
    yield case(rng, "half precision", rng.normal(2, 3, 5, dtype=torch.float16), 1e-2)
    yield case(rng, "float64", rng.normal(2, 5, dtype=torch.float64) + 1)


@exercise.secret_cases
def secret_cases(rng):
    length, width = rng.integer(3, 6), rng.integer(7, 12)
    yield case(rng, "one row", rng.normal(width) - 2, 1e-2)
    yield case(rng, "two leading axes", rng.normal(2, 3, length, width) + 1, 1e-5)
    yield case(rng, "a batch of one row", rng.normal(1, 1, width) - 2, 1e-2)
    yield case(rng, "one feature", rng.normal(length, 1), 0.1)
    yield case(rng, "bfloat16", rng.normal(2, length, 5, dtype=torch.bfloat16))
    eps = rng.integer(2, 5) / 1.0
    yield case(rng, "another large eps", rng.normal(2, length, width) * 3, eps)
    yield case(rng, "wide", 1 + rng.normal(2, 80))
    small = (rng.normal(2, 3, 6) / 8000).to(torch.float16)  # 1e-8 is 0 in float16
    yield case(rng, "small rows in half precision", small, 1e-8, gradient=False)
    signs = (rng.integers(0, 2, 2, 1024) * 2 - 1).to(torch.bfloat16)  # a sum of ones ends at 256
    yield case(rng, "a thousand features in bfloat16", signs, gradient=False)


exercise.promise(
    "rows of float16, bfloat16", "float64", "one row", "two leading axes", "a batch of one row"
)
exercise.promise("A row may be zero.", "a row of zeros")
exercise.promise(
    "Squares of entries", "large rows in half precision", "small rows in half precision"
)
exercise.promise(
    "one number per feature", "two sequences", "as many positions as features", "one feature"
)
exercise.promise("No input is changed.", EVERY)
exercise.promise("a positive number, added", "a large eps", "another large eps", "small rows")
exercise.promise(
    "the normalised rows", "the token of the text", "two sequences", "half precision", "bfloat16"
)
exercise.promise(
    "Gradients reach x and weight", "two sequences", "a row of zeros", "half precision"
)


@exercise.oracle
def torchs_own(x, weight, eps):
    return F.rms_norm(x, weight.shape, weight, eps)


@exercise.variant
def with_rsqrt(x, weight, eps):
    y = x if x.dtype == torch.float64 else x.float()
    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps)
    return weight * y.type_as(x)


@exercise.variant
def by_the_size_of_the_row(x, weight, eps):
    kind = torch.promote_types(torch.float32, x.dtype)
    d = x.size(-1)
    norms = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=kind)
    scaled = x.to(kind) * d**0.5 / torch.sqrt(norms**2 + d * eps)
    return scaled.mul(weight.to(kind)).to(x.dtype)


@exercise.variant
def row_by_row(x, weight, eps):
    made = [
        row / (torch.dot(row, row) / len(row) + eps) ** 0.5
        for row in x.to(torch.float64).reshape(-1, x.shape[-1])
    ]
    return (torch.stack(made).view(x.shape) * weight).to(dtype=x.dtype)


@exercise.variant
def with_einsum(x, weight, eps):
    wide = x.double()
    total = torch.einsum("...d,...d->...", wide, wide)[..., None]
    factor = (total / weight.numel()).add(eps).pow(-0.5)
    return torch.einsum("...d,d->...d", wide * factor, weight.double()).to(x.dtype)
