"""Known mistakes of `find_scale`."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from .find_scale import exercise


def one_hot(width: int) -> Float[Tensor, " width"]:
    return torch.eye(1, width).double()[0]


def two_weights(
    attention, query: Float[Tensor, " d_k"], key: Float[Tensor, " d_k"]
) -> Float[Tensor, " 2"]:
    """How a query shares its attention out between a key and a key of zeros."""
    keys = torch.stack([key, torch.zeros_like(key)])
    return attention(query[None], keys, torch.eye(2).to(key))[0]


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
    first, second = two_weights(attention, one_hot(d_k), one_hot(d_k))
    found = math.log(first / second)
    known = (1.0, 1 / math.sqrt(d_k), 1 / d_k)
    return min(known, key=lambda scale: abs(scale - found))


@exercise.misconception(
    "You return what the scores are divided by. Asked for is the factor that they are multiplied "
    "with."
)
def returns_the_divisor(attention, d_k):
    first, second = two_weights(attention, one_hot(d_k), one_hot(d_k))
    return 1 / math.log(first / second)


@exercise.misconception(
    "You return a difference of scores, which is the scale times a difference of dot products. "
    "Which dot products do your inputs have?"
)
def forgets_its_own_dot_product(attention, d_k):
    ones = torch.ones(d_k).double()
    first, second = two_weights(attention, ones, ones)
    return math.log(first / second)


@exercise.misconception(
    "You take the logarithm of one weight. That is its score less the logarithm of the softmax's "
    "denominator. In which combination of two weights does the denominator cancel?"
)
def takes_the_log_of_one_weight(attention, d_k):
    return math.log(two_weights(attention, one_hot(d_k), one_hot(d_k))[0])


@exercise.misconception(
    "You treat the softmax as a straight line. It is one only for scores near 0: a difference of "
    "1 is far too large. Which function undoes an exponential exactly?"
)
def takes_the_softmax_for_linear(attention, d_k):
    first, _ = two_weights(attention, one_hot(d_k), one_hot(d_k))
    return float(4 * (first - 0.5))


@exercise.misconception(
    "Your inputs saturate the softmax: a weight is 0 or 1, and no scale can be read from it. "
    "Choose dot products that are small for every d_k."
)
def saturates(attention, d_k):
    first, second = two_weights(attention, torch.ones(d_k), torch.ones(d_k)).clamp(min=1e-30)
    return math.log(first / second) / d_k


@exercise.misconception("Your softmax is saturated: one weight is 0. Choose a smaller dot product.")
def saturates_to_infinity(attention, d_k):
    first, second = two_weights(attention, torch.ones(d_k), torch.ones(d_k))
    return float((first / second).log()) / d_k


@exercise.misconception(
    "You return a difference of scores, which is the scale times a difference of dot products: "
    "which have your inputs? And in float32 your softmax saturates where d_k is large: one weight "
    "is 0. Choose a smaller dot product."
)
def forgets_a_dot_product_that_saturates(attention, d_k):
    first, second = two_weights(attention, torch.ones(d_k), torch.ones(d_k))
    return float((first / second).log())


@exercise.misconception(
    "Your two weights are so nearly equal that float32 rounding eats their difference. Choose a "
    "dot product around 1, or compute in float64."
)
def probes_too_gently(attention, d_k):
    probe = one_hot(d_k).float() * 0.1
    first, second = two_weights(attention, probe, probe)
    return float((first / second).log()) / 0.01


@exercise.misconception(
    "Your inputs do not have the width d_k. An implementation may read the width from its inputs: "
    "then you measure another scale than the one asked for."
)
def uses_a_width_of_its_own(attention, d_k):
    first, second = two_weights(attention, one_hot(64), one_hot(64))
    return math.log(first / second)


@exercise.misconception("You return a tensor. Asked for is a Python float.")
def returns_a_tensor(attention, d_k):
    first, second = two_weights(attention, one_hot(d_k), one_hot(d_k))
    return (first / second).log()


@exercise.misconception(
    "Your dot products are so small that in float32 the two weights differ in their last digits "
    "only. Choose larger ones, or float64."
)
def drowns_in_rounding(attention, d_k):
    probe = one_hot(d_k).float()
    first, second = two_weights(attention, probe * 1e-3, probe)
    return math.log(first / second) / 1e-3


@exercise.misconception(
    "You try scales one after another in steps that are too wide. Work the scale out from two "
    "weights, or go on searching between the two best."
)
def searches_in_steps(attention, d_k):
    seen, _ = two_weights(attention, one_hot(d_k), one_hot(d_k))
    steps = torch.arange(1, 401).double() / 100
    return float(steps[(steps.sigmoid() - seen).abs().argmin()])


@exercise.misconception("Your result has the wrong sign: which of the two weights is larger?")
def turns_the_sign(attention, d_k):
    first, second = two_weights(attention, one_hot(d_k), one_hot(d_k))
    return math.log(second / first)


@exercise.misconception(
    "With d_k = 1 there is one unit vector only, and you need a second key. Which other key has a "
    "dot product that you know?"
)
def needs_two_unit_vectors(attention, d_k):
    units = torch.eye(d_k, dtype=torch.float64)
    weights = attention(units[:1], units, units)[0]
    return float((weights[0] / weights[1]).log())


@exercise.misconception(
    "Your result is twice the scale: the two keys are opposite, so that their dot products with "
    "the query are not one apart. How far apart are they?"
)
def forgets_that_keys_are_opposite(attention, d_k):
    query = one_hot(d_k)[None]
    weights = attention(query, torch.cat([query, -query]), torch.eye(2).to(query))[0]
    return float((weights[0] / weights[1]).log())


@exercise.misconception(
    "Your dot product is d_k itself. In float64 that goes well for long; where the scale is large, "
    "too, one of the weights is 0. Choose dot products that are around 1 for every d_k."
)
def saturates_in_float64(attention, d_k):
    ones = torch.ones(d_k).double()
    first, second = two_weights(attention, ones, ones)
    return float((first / second).log()) / d_k


@exercise.misconception(
    "You return a difference of scores. With a query and a key of 0.1 in each feature the dot "
    "product is d_k / 100, and the scale is multiplied with it."
)
def forgets_a_small_dot_product(attention, d_k):
    tenths = torch.full((d_k,), 0.1).double()
    first, second = two_weights(attention, tenths, tenths)
    return math.log(first / second)
