"""Cases, oracle and variants of `layer_norm`."""

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise, Finite

exercise = Exercise(
    "layer_norm",
    points=3,
    difficulty=2,
    minutes=20,
    returns=("the normalised rows",),
    read="07_block.html#layer-norm",
    forbids=("layer_norm", "native_layer_norm", "batch_norm", "native_batch_norm", "group_norm",
             "native_group_norm", "instance_norm", "fused_layer_norm"),
    properties=(Finite(),),
)  # fmt: skip

HALF, SHORT = torch.float16, torch.bfloat16


def case(rng, name, x, eps=1e-5, gradient=True):
    """Weights and biases are drawn around 1 and 0."""
    width, dtype = x.size(-1), x.dtype
    weight, bias = 1 + rng.normal(width) / 2, rng.normal(width)
    inputs = {"x": x, "weight": weight.to(dtype), "bias": bias.to(dtype), "eps": eps}
    return Case(name, inputs, gradient=gradient)


def far(rng, *shape):
    """Rows around a thousand, half a unit apart: the sums of 8 of them are exact in float32."""
    return 1024 + rng.integers(-4, 5, *shape).float() / 4


@exercise.cases
def cases(rng):
    x, weight, bias = torch.tensor([[1.0, 3]]), torch.tensor([1.0, 2]), torch.tensor([0.0, 1])
    yield Case("the token of the text", {"x": x, "weight": weight, "bias": bias, "eps": 1e-9})
    yield case(rng, "two sequences", rng.normal(2, 3, 5) * 2 + 1)
    yield case(rng, "as many positions as features", rng.normal(2, 4, 4) + 3)
    yield case(rng, "a large eps", rng.normal(3, 4), 0.5)
    yield case(rng, "rows that hardly vary", rng.normal(2, 3, 6) / 300)
    equal = rng.normal(3, 4)
    equal[1] = 2
    yield case(rng, "a row of equal numbers", equal, 1e-3)
    yield case(rng, "rows far from zero", far(rng, 2, 3, 8), 1e-5, gradient=False)
    yield case(rng, "large rows in half precision", (rng.normal(3, 6) * 900).to(HALF), 1e-5, False)
    yield case(rng, "half precision", rng.normal(2, 3, 5, dtype=HALF) + 1, 1e-3)
    yield case(rng, "float64", rng.normal(2, 5, dtype=torch.float64))


@exercise.secret_cases
def secret_cases(rng):
    length, width = rng.integer(3, 6), rng.integer(7, 12)
    yield case(rng, "one row", rng.normal(width) - 2, 1e-2)
    yield case(rng, "two leading axes", rng.normal(2, 3, length, width) + 1, 1e-6)
    yield case(rng, "a batch of one row", rng.normal(1, 1, width) - 2, 1e-2)
    yield case(rng, "one feature", rng.normal(length, 1))
    yield case(rng, "bfloat16", (64 + rng.normal(2, length, 5)).to(SHORT))
    yield case(rng, "another large eps", rng.normal(2, length, width) * 3, rng.integer(2, 5) / 1.0)
    wide = 1 + rng.normal(2, 80)
    yield case(rng, "wide", wide)
    small = (rng.normal(2, 3, 6) / 8000).to(HALF)  # 1e-8 is 0 in float16
    yield case(rng, "small rows in half precision", small, 1e-8, gradient=False)
    far = (2 + rng.integers(0, 2, 2, 1024) * 2 - 1).to(SHORT)  # a sum of ones ends at 256
    yield case(rng, "a thousand features in bfloat16", far, gradient=False)


exercise.promise(
    "rows of float16, bfloat16", "float64", "one row", "two leading axes", "a batch of one row"
)
exercise.promise(
    "A row may lie a thousand", "rows far from zero", "a row of equal numbers", "one feature"
)
exercise.promise(
    "Squares of entries", "large rows in half precision", "small rows in half precision"
)
exercise.promise("one number per feature", "two sequences", "as many positions as features")
exercise.promise("No input is changed.", EVERY)
exercise.promise(
    "a positive number, added", "a large eps", "another large eps", "rows that hardly vary"
)
exercise.promise(
    "the normalised rows", "the token of the text", "two sequences", "half precision", "bfloat16"
)
exercise.promise("The variance divides", "the token of the text", "two sequences", "one feature")
exercise.promise(
    "Gradients reach x, weight", "two sequences", "a row of equal numbers", "half precision"
)


@exercise.oracle
def torchs_own(x, weight, bias, eps):
    return F.layer_norm(x, weight.shape, weight, bias, eps)


@exercise.variant
def with_torchs_variance(x, weight, bias, eps):
    y = x if x.dtype == torch.float64 else x.float()
    variance, mean = torch.var_mean(y, dim=-1, correction=0, keepdim=True)
    y = torch.rsqrt(variance + eps) * (y - mean)
    return torch.addcmul(bias.to(y), y, weight.to(y)).type_as(x)


@exercise.variant
def row_by_row(x, weight, bias, eps):
    rows, n = [], x.shape[-1]
    for row in x.double().reshape(-1, n).unbind():
        less = row - row.sum() / n
        rows.append(less / torch.sqrt(torch.dot(less, less) / n + eps))
    made = torch.stack(rows).reshape(x.shape)
    return (weight * made + bias).to(x.dtype)


@exercise.variant
def by_the_size_of_the_row(x, weight, bias, eps):
    kind = torch.promote_types(torch.float32, x.dtype)
    n = torch.tensor(float(x.size(-1)), dtype=kind, device=x.device)
    less = x.to(kind).sub(torch.mean(x.to(kind), -1).unsqueeze(-1))
    size = torch.einsum("...i,...i->...", less, less).unsqueeze(-1)
    scaled = less * n.sqrt() / (size + n * eps).sqrt()
    return (scaled.mul(weight.to(kind)) + bias.to(kind)).to(x.dtype)


@exercise.variant
def by_a_matrix(x, weight, bias, eps):
    wide = x.to(torch.float64)
    d = weight.numel()
    centring = torch.eye(d, dtype=wide.dtype, device=x.device) - 1 / d
    rest = wide @ centring
    spread = torch.pow(rest, 2).mean(-1, True).add(eps).pow(0.5)
    return (rest / spread).mul(weight).add(bias).to(dtype=x.dtype)
