"""Cases, oracle and known mistakes of `attention_entropy`."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from autograder.properties import Finite
from autograder.spec import Case, Exercise

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
    even = torch.full((2, queries, keys), 1 / keys)
    even[1, 0] = F.one_hot(torch.tensor(1), keys)
    yield Case("even rows and one key alone", {"weights": even}, gradient=True)
    long = {"weights": spread(rng, 2, queries, 65)}
    yield Case("many keys", long)


@exercise.oracle
def positive_weights_of_each_row(weights):
    rows = [row[row > 0] for row in weights.reshape(-1, weights.size(-1))]
    return torch.stack([-(row * row.log()).sum() for row in rows]).reshape(weights.shape[:-1])


@exercise.misconception(
    "0 times the logarithm of 0 is NaN in floating point. What should a weight of 0 add, and which "
    "number could take its place inside the logarithm?"
)
def ignores_zeros(weights):
    return -(weights * weights.log()).sum(-1)


@exercise.misconception("An entropy is not negative. Which sign has the logarithm of a weight?")
def forgets_the_sign(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return (safe * safe.log()).sum(-1)


@exercise.misconception("You return bits. Which logarithm belongs to nats?")
def counts_bits(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log2()).sum(-1)


@exercise.misconception(
    "You divide by the logarithm of the number of keys: a share of the highest entropy, not nats."
)
def divides_by_the_highest(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log()).sum(-1) / torch.tensor(float(weights.size(-1))).log()


@exercise.misconception("You sum over the queries. Along which axis do the weights sum to 1?")
def sums_over_the_queries(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log()).sum(-2 if weights.dim() > 1 else -1)


@exercise.misconception("You average over the keys. An entropy is a sum over them.")
def averages_over_the_keys(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log()).mean(-1)


@exercise.misconception("You return one number for all. Each query has an entropy of its own.")
def averages_over_everything(weights):
    safe = weights.masked_fill(weights == 0, 1)
    return -(safe * safe.log()).sum(-1).mean()


@exercise.misconception(
    "The value is right, its gradient is NaN: the backward pass goes through both branches, and 0 "
    "times infinite is NaN. What `where`, `nan_to_num` or `xlogy` do comes too late for it. Make "
    "the argument of the logarithm safe."
)
def chooses_after_the_logarithm(weights):
    return -torch.where(weights > 0, weights * weights.log(), 0.0).sum(-1)


@exercise.misconception(
    "Only the logarithm is kept away from 0. Its factor still changes with the weight, so the "
    "gradient of a weight of 0 is large, and asked for is 0. (The check multiplies each entropy by "
    "a factor of its own, and so are the gradients that you see.)"
)
def clamps_the_logarithm_only(weights):
    floor = torch.finfo(weights.dtype).tiny
    return -(weights * weights.clamp(min=floor).log()).sum(-1)


@exercise.misconception(
    "Only the logarithm is kept above 1e-8. Its factor still changes with the weight, so the "
    "gradient of a weight of 0 is about 18, and asked for is 0. (The check multiplies each entropy "
    "by a factor of its own, and so are the gradients that you see.)"
)
def keeps_the_logarithm_above_a_small_number(weights):
    return -(weights * weights.clamp_min(1e-8).log()).sum(-1)


@exercise.misconception(
    "The value is right, its gradient is infinite at a weight of 0, which is true of -w ln w. "
    "Asked for is 0: what must a weight of 0 not reach?"
)
def uses_entr(weights):
    return torch.special.entr(weights).sum(-1)


@exercise.misconception(
    "You add a small number inside the logarithm. The gradient of a weight of 0 is then minus the "
    "logarithm of that number, about 20, and asked for is 0. In half precision the number is 0. "
    "(The check multiplies each entropy by a factor of its own, and so are the gradients that you "
    "see.)"
)
def adds_a_small_number(weights):
    return -(weights * (weights + 1e-9).log()).sum(-1)


@exercise.misconception(
    "float32 is right, half precision is not: 1e-8 is below the smallest number of float16 and is "
    "rounded to 0, so nothing is kept away from 0. Which condition picks out a weight of 0 in "
    "every dtype?"
)
def clamps_at_a_small_number(weights):
    safe = weights.clamp_min(1e-8)
    return -(safe * safe.log()).sum(-1)


@exercise.misconception(
    "You treat small weights as if they were 0: their gradient is 0, and it is asked for down to a "
    "weight of 1e-8. Only a weight of exactly 0 has no say. (The check multiplies each entropy by "
    "a factor of its own, and so are the gradients that you see.)"
)
def drops_small_weights(weights):
    safe = weights.masked_fill(weights < 1e-6, 1.0)
    return -(safe * safe.log()).sum(-1)


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
