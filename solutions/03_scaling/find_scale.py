"""Specimens, oracle and known mistakes of `find_scale`."""

import math

import torch

from autograder.spec import Case, Exercise
from autograder.specimen import Specimen

exercise = Exercise(
    "find_scale",
    points=5,
    difficulty=4,
    minutes=30,
    returns=("the scale",),
    read="03_scaling.html#the-formula",
)

# A number is compared as a sum of so many terms: that makes the tolerance 0.1 %, as the text says.
TERMS = 1_200_000

LIBRARY = "F.scaled_dot_product_attention(query, key, value, scale={scale})"
PLAIN = "torch.softmax(query @ key.mT * ({scale}), dim=-1) @ value"
QUERY_FIRST = "torch.softmax((query * ({scale})) @ key.mT, dim=-1) @ value"
BOTH = "torch.softmax((query * ({scale})**0.5) @ (key * ({scale})**0.5).mT, dim=-1) @ value"
EXPONENTIALS = """(lambda e: e @ value / e.sum(-1, keepdim=True))(
        ((query @ (key - key[..., :1, :]).mT) * ({scale})).exp())"""
CENTRED = "torch.softmax(query @ (key - key.mean(-2, True)).mT * ({scale}), dim=-1) @ value"
SINGLE = "(torch.softmax(query.float() @ key.float().mT * ({scale}), -1) @ value.float()).to(value)"
WIDTH = "query.size(-1)"


def specimen(name, d_k, scale, output=PLAIN):
    source = f"def attend(query, key, value):\n    return {output.format(scale=scale)}\n"
    return Case(name, {"attention": Specimen(source), "d_k": d_k}, terms=TERMS)


@exercise.cases
def cases(rng):
    yield specimen("one over the root of d_k", 16, f"{WIDTH}**-0.5", LIBRARY)
    yield specimen("one over d_k", 12, f"1 / {WIDTH}")
    yield specimen("no scale", 5, "1.0")
    yield specimen("one over the root of d_model", 8, "1 / math.sqrt(64)", QUERY_FIRST)
    yield specimen("a number of its own", 6, "0.3", CENTRED)
    yield specimen("no scale and wide queries", 512, "1.0", LIBRARY)
    yield specimen("a large scale", 32, "3.2", BOTH)
    yield specimen("a small scale", 9, "0.004", EXPONENTIALS)


@exercise.secret_cases
def secret_cases(rng):
    d_k, heads = rng.integer(3, 40), rng.integer(2, 9)
    own, large, small = (rng.integer(low, high) / 1000
                         for low, high in ((40, 900), (1300, 4000), (2, 9)))  # fmt: skip
    yield specimen("the root, in two halves", d_k, f"{WIDTH}**-0.5", BOTH)
    yield specimen("of several heads", d_k, f"1 / math.sqrt({heads * d_k})")
    yield specimen("one number", d_k + 1, own, EXPONENTIALS)
    yield specimen("a number above 1", d_k + 2, large, LIBRARY)
    yield specimen("hardly any", d_k + 3, small, CENTRED)
    yield specimen("width 1", 1, own / 2, QUERY_FIRST)
    yield specimen("the root times d_k", 4, f"{WIDTH}**0.5", CENTRED)
    yield specimen("computed in float32", 10 * heads, f"{WIDTH}**-0.5", SINGLE)
    yield specimen("one over d_k, wide", 256 + heads, f"1 / {WIDTH}", LIBRARY)


@exercise.oracle
def slope_at_zero(attention, d_k):
    """Two keys, values 1 and 0: at equal scores the output rises by a quarter per unit of score."""
    query = torch.zeros(1, 1, d_k, dtype=torch.float64, requires_grad=True)
    key = torch.zeros(1, 2, d_k, dtype=torch.float64)
    key[0, 0, -1] = 1
    value = torch.tensor([[[1.0], [0.0]]], dtype=torch.float64)
    (slope,) = torch.autograd.grad(attention(query, key, value).sum(), query)
    return float(4 * slope[0, 0, -1])


@exercise.misconception(
    "You return one over the root of d_k without asking. Not every implementation does what the "
    "formula says: call it."
)
def trusts_the_formula(attention, d_k):
    return 1 / math.sqrt(d_k)


@exercise.misconception(
    "You choose among the scales that you know. This implementation may have a number of its own: "
    "work the scale out instead of guessing it."
)
def chooses_among_the_known(attention, d_k):
    query, key = torch.zeros(2, 2, d_k).double().unbind()
    query[:, 0], key[0, 0] = 1, 1
    weights = attention(query, key, torch.eye(2).double())
    found = math.log(weights[0, 0] / weights[0, 1])
    known = (1.0, 1 / math.sqrt(d_k), 1 / d_k, 1 / 8)
    return min(known, key=lambda scale: abs(scale - found))


@exercise.misconception(
    "You return what the scores are divided by. Asked for is the factor that they are multiplied "
    "with."
)
def returns_the_divisor(attention, d_k):
    query, key = torch.zeros(2, 2, d_k).double().unbind()
    query[:, 0], key[0, 0] = 1, 1
    weights = attention(query, key, torch.eye(2).double())
    return 1 / math.log(weights[0, 0] / weights[0, 1])


@exercise.misconception(
    "You return a difference of scores, which is the scale times a difference of dot products. "
    "Which dot products do your inputs have?"
)
def forgets_its_own_dot_product(attention, d_k):
    query, key = torch.ones(1, d_k).double(), torch.zeros(2, d_k).double()
    key[0] = 1
    weights = attention(query, key, torch.eye(2).double())
    return math.log(weights[0, 0] / weights[0, 1])


@exercise.misconception(
    "You take the logarithm of one weight. That is its score less the logarithm of the softmax's "
    "denominator. In which combination of two weights does the denominator cancel?"
)
def takes_the_log_of_one_weight(attention, d_k):
    query, key = torch.zeros(2, 2, d_k).double().unbind()
    query[:, 0], key[0, 0] = 1, 1
    weights = attention(query, key, torch.eye(2).double())
    return math.log(weights[0, 0])


@exercise.misconception(
    "You treat the softmax as a straight line. It is one only for scores near 0: a difference of "
    "1 is far too large. Which function undoes an exponential exactly?"
)
def takes_the_softmax_for_linear(attention, d_k):
    query, key = torch.zeros(2, 2, d_k).double().unbind()
    query[:, 0], key[0, 0] = 1, 1
    weights = attention(query, key, torch.eye(2).double())
    return float(4 * (weights[0, 0] - 0.5))


@exercise.misconception(
    "Your inputs saturate the softmax: a weight is 0 or 1, and no scale can be read from it. "
    "Choose dot products that are small for every d_k."
)
def saturates(attention, d_k):
    query, key = torch.ones(1, d_k), torch.stack([torch.ones(d_k), torch.zeros(d_k)])
    weights = attention(query, key, torch.eye(2)).clamp(min=1e-30)
    return math.log(weights[0, 0] / weights[0, 1]) / d_k


@exercise.misconception("Your softmax is saturated: one weight is 0. Choose a smaller dot product.")
def saturates_to_infinity(attention, d_k):
    query, key = torch.ones(1, d_k), torch.stack([torch.ones(d_k), torch.zeros(d_k)])
    weights = attention(query, key, torch.eye(2))
    return float((weights[0, 0] / weights[0, 1]).log()) / d_k


@exercise.misconception(
    "You return a difference of scores, which is the scale times a difference of dot products: "
    "which have your inputs? And in float32 your softmax saturates where d_k is large: one weight "
    "is 0. Choose a smaller dot product."
)
def forgets_a_dot_product_that_saturates(attention, d_k):
    query, key = torch.ones(1, d_k), torch.stack([torch.ones(d_k), torch.zeros(d_k)])
    weights = attention(query, key, torch.eye(2))
    return float((weights[0, 0] / weights[0, 1]).log())


@exercise.misconception(
    "Your two weights are so nearly equal that float32 rounding eats their difference. Choose a "
    "dot product around 1, or compute in float64."
)
def probes_too_gently(attention, d_k):
    query, key = torch.zeros(1, d_k), torch.zeros(2, d_k)
    query[0, 0] = key[0, 0] = 0.1
    weights = attention(query, key, torch.eye(2))
    return float((weights[0, 0] / weights[0, 1]).log()) / 0.01


@exercise.misconception(
    "Your inputs do not have the width d_k. An implementation may read the width from its inputs: "
    "then you measure another scale than the one asked for."
)
def uses_a_width_of_its_own(attention, d_k):
    query, key = torch.zeros(2, 2, 64).double().unbind()
    query[:, 0], key[0, 0] = 1, 1
    weights = attention(query, key, torch.eye(2).double())
    return math.log(weights[0, 0] / weights[0, 1])


@exercise.misconception("You return a tensor. Asked for is a Python float.")
def returns_a_tensor(attention, d_k):
    query, key = torch.zeros(2, 2, d_k).double().unbind()
    query[:, 0], key[0, 0] = 1, 1
    weights = attention(query, key, torch.eye(2).double())
    return (weights[0, 0] / weights[0, 1]).log()


@exercise.misconception(
    "Your dot products are so small that in float32 the two weights differ in their last digits "
    "only. Choose larger ones, or float64."
)
def drowns_in_rounding(attention, d_k):
    query, key = torch.zeros(2, 2, d_k).unbind()
    query[:, 0], key[0, 0] = 1e-3, 1
    weights = attention(query, key, torch.eye(2))
    return math.log(weights[0, 0] / weights[0, 1]) / 1e-3


@exercise.misconception(
    "You try scales one after another in steps that are too wide. Work the scale out from two "
    "weights, or go on searching between the two best."
)
def searches_in_steps(attention, d_k):
    query, key = torch.eye(1, d_k).double(), torch.eye(2, d_k).double()
    key[1] = 0
    seen = attention(query, key, torch.eye(2).double())[0, 0]
    steps = torch.arange(1, 401).double() / 100
    return float(steps[(steps.sigmoid() - seen).abs().argmin()])


@exercise.misconception("Your result has the wrong sign: which of the two weights is larger?")
def turns_the_sign(attention, d_k):
    query, key = torch.zeros(2, 2, d_k).double().unbind()
    query[:, 0], key[0, 0] = 1, 1
    weights = attention(query, key, torch.eye(2).double())
    return math.log(weights[0, 1] / weights[0, 0])


@exercise.variant
def logit_of_one_output(attention, d_k):
    query, key = torch.full((1, 1, d_k), 0.5 / d_k), torch.zeros(1, 2, d_k)
    key[:, 1] = 2.0
    share = attention(query.double(), key.double(), torch.tensor([[[0.0], [1.0]]]).double())
    return torch.logit(share).item()


@exercise.variant
def bisection(attention, d_k):
    query, key = torch.eye(1, d_k).double(), torch.stack([torch.eye(1, d_k)[0], torch.zeros(d_k)])
    seen, low, high = attention(query, key.double(), torch.eye(2).double())[0, 0], 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 1 / (1 + math.exp(-middle)) < seen else (low, middle)
    return (low + high) / 2


@exercise.variant
def least_squares(attention, d_k):
    generator = torch.Generator().manual_seed(5)
    query = torch.randn(2, 4, d_k, generator=generator, dtype=torch.float64) / d_k
    key = torch.randn(2, 7, d_k, generator=generator, dtype=torch.float64)
    logs = attention(query, key, torch.eye(7, dtype=torch.float64).expand(2, 7, 7)).log()
    dots = query @ key.mT
    logs, dots = (x - x.mean(-1, keepdim=True) for x in (logs, dots))
    return ((logs * dots).sum() / dots.square().sum()).item()


@exercise.variant
def single_precision(attention, d_k):
    query = torch.zeros(1, d_k)
    query[0, -1] = 1
    out = attention(query, torch.cat([query, -query]), torch.eye(2))
    return float(out[0, 0].log() - out[0, 1].log()) / 2
