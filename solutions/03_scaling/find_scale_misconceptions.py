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


@exercise.base
def right(attention, d_k):
    first, second = two_weights(attention, one_hot(d_k), one_hot(d_k))
    return math.log(first / second)


# fmt: off
right.mistake("trusts_the_formula",
    {"first, second = two_weights(attention, one_hot(d_k), one_hot(d_k))\n"
     "    return math.log(first / second)":
        "return 1 / math.sqrt(d_k)"},
    "You return one over the root of d_k without calling the implementation. Not every "
    "implementation does what the formula says: call it.")
right.mistake("chooses_among_the_known",
    {"math.log(first / second)":
        "min((1.0, 1 / math.sqrt(d_k), 1 / d_k), key=lambda scale: abs(scale - "
        "math.log(first / second)))"},
    "You choose among the scales that you know. This implementation may use another number. "
    "Compute the scale instead of guessing it.")
right.mistake("returns_the_divisor", {"math": "1 / math"},
    "You return the number that the scores are divided by. The exercise asks for the factor that "
    "they are multiplied by.")
right.mistake("forgets_its_own_dot_product",
    {"first,": "ones = torch.ones(d_k).double()\n    first,",
     "one_hot(d_k), one_hot(d_k)": "ones, ones"},
    "You return a difference of scores, which is the scale times a difference of dot products. "
    "What are the dot products of your inputs?")
right.mistake("takes_the_log_of_one_weight",
    {"first, second =": "return math.log(", ")\n    return math.log(first / second": ")[0]"},
    "You take the logarithm of one weight. That is its score minus the logarithm of the softmax's "
    "denominator. In which combination of two weights does the denominator cancel?")
right.mistake("takes_the_softmax_for_linear",
    {"math.log(first / second)": "float(4 * (first - 0.5))"},
    "You treat the softmax as linear. It is nearly linear only for scores near 0, and a "
    "difference of 1 is far too large for that. Which function undoes an exponential exactly?")
right.mistake("saturates",
    {"one_hot(d_k), one_hot(d_k)": "torch.ones(d_k), torch.ones(d_k)).clamp(min=1e-30",
     "second)": "second) / d_k"},
    "Your inputs saturate the softmax: a weight is 0 or 1, and no scale can be computed from it. "
    "Choose dot products that are small for every d_k.")
right.mistake("saturates_to_infinity",
    {"one_hot(d_k), one_hot": "torch.ones(d_k), torch.ones",
     "math.log(first / second)": "float((first / second).log()) / d_k"},
    "Your softmax is saturated: one weight is 0. Choose a smaller dot product.")
right.mistake("forgets_a_dot_product_that_saturates",
    {"one_hot(d_k), one_hot": "torch.ones(d_k), torch.ones",
     "math.log(first / second)": "float((first / second).log())"},
    "You return a difference of scores, which is the scale times a difference of dot products. "
    "What are your dot products? Also, in float32 your softmax saturates where d_k is large: one "
    "weight is 0. Choose a smaller dot product.")


@exercise.misconception(
    "Your two weights are so nearly equal that float32 rounding hides their difference. Choose a "
    "dot product around 1, or compute in float64."
)
def probes_too_gently(attention, d_k):
    probe = one_hot(d_k).float() * 0.1
    first, second = two_weights(attention, probe, probe)
    return float((first / second).log()) / 0.01


right.mistake("uses_a_width_of_its_own", {"d_k), one_hot(d_k": "64), one_hot(64"},
    "Your inputs do not have the width d_k. An implementation may read the width from its inputs, "
    "and then you measure a different scale.")
right.mistake("returns_a_tensor", {"math.log(first / second)": "(first / second).log()"},
    "You return a tensor. The exercise asks for a Python float.")
right.mistake("drowns_in_rounding",
    {"first,": "probe = one_hot(d_k).float()\n    first,",
     "one_hot(d_k), one_hot(d_k)": "probe * 1e-3, probe",
     "second)": "second) / 1e-3"},
    "Your dot products are so small that in float32 the two weights differ only in their last "
    "digits. Choose larger ones, or float64.")
right.mistake("searches_in_steps",
    {"return math.log(first / second)":
        "steps = torch.arange(1, 401).double() / 100\n"
        "    return float(steps[(steps.sigmoid() - first).abs().argmin()])"},
    "You try scales one after another in steps that are too wide. Compute the scale from two "
    "weights, or continue the search between the two best.")
right.mistake("turns_the_sign", {"first / second": "second / first"},
    "Your result has the wrong sign. Which of the two weights is larger?")


@exercise.misconception(
    "With d_k = 1 there is only one unit vector, and you need a second key. Which other key has a "
    "dot product that you know?"
)
def needs_two_unit_vectors(attention, d_k):
    units = torch.eye(d_k, dtype=torch.float64)
    weights = attention(units[:1], units, units)[0]
    return float((weights[0] / weights[1]).log())


@exercise.misconception(
    "Your result is twice the scale: the two keys are opposite, so their dot products with the "
    "query differ by more than one. By how much do they differ?"
)
def forgets_that_keys_are_opposite(attention, d_k):
    query = one_hot(d_k)[None]
    weights = attention(query, torch.cat([query, -query]), torch.eye(2).to(query))[0]
    return float((weights[0] / weights[1]).log())


@exercise.misconception(
    "Your dot product is d_k itself. In float64 that works for many widths, but where the scale "
    "is large as well, one of the weights is 0. Choose dot products around 1 for every d_k."
)
def saturates_in_float64(attention, d_k):
    ones = torch.ones(d_k).double()
    first, second = two_weights(attention, ones, ones)
    return float((first / second).log()) / d_k


right.mistake("forgets_a_small_dot_product",
    {"first,": "tenths = torch.full((d_k,), 0.1).double()\n    first,",
     "one_hot(d_k), one_hot(d_k)": "tenths, tenths"},
    "You return a difference of scores. With a query and a key of 0.1 in each feature, the dot "
    "product is d_k / 100, and the scale is multiplied by it.")
