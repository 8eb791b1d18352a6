"""Cases, oracle and variants of `attention_entropy`."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from autograder.author import EVERY, Case, Exercise, Finite

exercise = Exercise(
    "attention_entropy",
    points=3,
    difficulty=2,
    minutes=20,
    returns=("the entropy",),
    read="03_scaling.html#scaling-entropy",
    properties=(Finite(),),
)


def spread(rng, *shape, dtype=torch.float32) -> Float[Tensor, "... queries keys"]:
    """Rows of weights, the first nearly even, each further one with more on one key."""
    rows = shape[-2] if len(shape) > 1 else 1
    sharpness = (0.3 * 3.0 ** torch.arange(rows)[:, None]).clamp(max=2.5)
    return (rng.normal(*shape) * sharpness).reshape(shape).double().softmax(-1).to(dtype)


def masked(rng, *shape, dtype=torch.float32) -> Float[Tensor, "... queries keys"]:
    """Rows of which some weights are exactly 0; the first keeps two keys, the last has one."""
    hidden = rng.bools(*shape, chance=0.4)
    hidden[..., 0], hidden[..., 0, :2] = False, False
    hidden[..., -1, :] = torch.arange(shape[-1]) != 2
    return rng.normal(*shape).double().masked_fill(hidden, float("-inf")).softmax(-1).to(dtype)


@exercise.cases
def cases(rng):
    rows = torch.tensor([[0.5, 0.5, 0], [0, 1, 0]])
    yield Case("the row of the text, and one key alone", {"weights": rows}, gradient=True)
    yield Case("rows of one sequence", {"weights": spread(rng, 3, 5)}, gradient=True)
    yield Case("batch and heads", {"weights": spread(rng, 2, 3, 4, 6)}, gradient=True)
    yield Case("weights of exactly 0", {"weights": masked(rng, 2, 4, 7)}, gradient=True)
    half = masked(rng, 3, 5, dtype=torch.float16)
    yield Case("half precision", {"weights": half}, gradient=True)
    small = torch.tensor([[0.7, 1e-7, 0.3, 0], [2e-8, 0.2, 0.5, 0.3], [3e-6, 4e-7, 0, 1]])
    yield Case("weights near 0", {"weights": small}, gradient=True)


@exercise.secret_cases
def secret_cases(rng):
    queries, keys = rng.integer(3, 6), rng.integer(7, 12)
    yield Case("one row", {"weights": spread(rng, keys)}, gradient=True)
    short = masked(rng, 3, 2, queries, keys, dtype=torch.bfloat16)
    yield Case("bfloat16", {"weights": short}, gradient=True)
    even = torch.full((2, keys, keys), 1 / keys)
    even[1, 0] = F.one_hot(torch.tensor(1), keys)
    yield Case("even rows, as many as keys", {"weights": even}, gradient=True)
    yield Case("one key", {"weights": torch.ones(1, queries, 1)}, gradient=True)
    long = {"weights": spread(rng, 1, queries, 65)}
    yield Case("many keys", long)


exercise.promise(
    "numbers from 0 to 1", "one row", "batch and heads", "half precision", "bfloat16", "many keys"
)
exercise.promise("Some may be exactly", "weights of exactly 0", "weights near 0")
exercise.promise("They are not changed.", EVERY)
exercise.promise("-sum of w ln(w) over", "rows of one sequence", "even rows, as many as keys")
exercise.promise(
    "The gradient with respect", "weights of exactly 0", "the row of the text, and one key alone"
)


@exercise.oracle
def positive_weights_of_each_row(weights):
    rows = [row[row > 0] for row in weights.reshape(-1, weights.size(-1))]
    return torch.stack([-(row * row.log()).sum() for row in rows]).reshape(weights.shape[:-1])


@exercise.variant
def where_before_the_logarithm(weights):
    safe = torch.where(weights > 0, weights, torch.ones_like(weights))
    return -torch.einsum("...k,...k->...", weights, torch.log(safe))


@exercise.variant
def clamped_in_both_places(weights):
    safe = weights.clamp(min=torch.finfo(weights.dtype).tiny)
    return torch.sum(-safe * torch.log(safe), dim=-1)


@exercise.variant
def in_float32_with_a_mask(weights):
    wide = weights.to(torch.promote_types(weights.dtype, torch.float32))
    some = wide != 0
    surprise = -torch.log(wide + (~some).to(wide.dtype))
    return (wide * surprise * some).sum(dim=-1).to(weights.dtype)


@exercise.variant
def key_by_key(weights):
    total = torch.zeros_like(weights[..., 0])
    for weight in weights.unbind(-1):
        surprise = torch.where(weight == 0, 1.0, weight).log().neg()
        total = torch.addcmul(total, weight, surprise)
    return total
