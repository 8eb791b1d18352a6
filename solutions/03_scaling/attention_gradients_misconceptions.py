"""Known mistakes of `attention_gradients`."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from .attention_gradients import exercise


def weights_of(
    query: Float[Tensor, "... queries d_k"], key: Float[Tensor, "... keys d_k"]
) -> Float[Tensor, "... queries keys"]:
    """The weights of the forward pass."""
    return torch.softmax(query @ key.mT / math.sqrt(query.size(-1)), -1)


def behind_the_softmax(
    weights: Float[Tensor, "... queries keys"], grad_weights: Float[Tensor, "... queries keys"]
) -> Float[Tensor, "... queries keys"]:
    """The gradient of the scaled scores."""
    return weights * (grad_weights - (weights * grad_weights).sum(-1, keepdim=True))


def to_inputs(query, key, grad_output, weights, grad_scores):
    """The three gradients from those of the plain scores."""
    return grad_scores @ key, grad_scores.mT @ query, weights.mT @ grad_output


@exercise.base
def right(query, key, value, grad_output):
    weights = weights_of(query, key)
    grad_scores = behind_the_softmax(weights, grad_output @ value.mT) / math.sqrt(query.size(-1))
    return grad_scores @ key, grad_scores.mT @ query, weights.mT @ grad_output


@exercise.base
def step_by_step(query, key, value, grad_output):
    weights, grad_weights = weights_of(query, key), grad_output @ value.mT
    shared = (weights * grad_weights).sum(-1, keepdim=True)
    grad_scores = weights * (grad_weights - shared) / math.sqrt(query.size(-1))
    return grad_scores @ key, grad_scores.mT @ query, weights.mT @ grad_output


# fmt: off
@exercise.misconception(
    "The gradient of value is right, but those of query and key are too large by one factor. The "
    "scores were divided by a number in the forward pass. What does that do in the backward pass?"
)
def forgets_the_scale_on_the_way_back(query, key, value, grad_output):
    weights = weights_of(query, key)
    grad_scores = behind_the_softmax(weights, grad_output @ value.mT)
    return to_inputs(query, key, grad_output, weights, grad_scores)


right.mistake("never_scales",
    {"weights_of(query, key)": "torch.softmax(query @ key.mT, -1)",
     " / math.sqrt(query.size(-1))": ""},
    "You scale neither the scores nor the gradients by the root of d_k.")


@exercise.misconception(
    "The gradients of query and key are too small: in the backward pass you divide by d_k, which "
    "is the root twice. How often was a score divided by the root?"
)
def scales_twice(query, key, value, grad_output):
    weights = weights_of(query, key)
    grad_scores = behind_the_softmax(weights, grad_output @ value.mT) / query.size(-1)
    return to_inputs(query, key, grad_output, weights, grad_scores)


right.mistake("scales_the_query_only",
    {" / math.sqrt(query.size(-1))": "",
     "grad_scores @ key": "grad_scores @ key / math.sqrt(query.size(-1))"},
    "The gradient of query has the factor 1/√d_k, but that of key does not. Through which scores "
    "does the loss depend on a key?")
right.mistake("scales_the_key_twice",
    {"grad_scores.mT @ query": "grad_scores.mT @ (query / math.sqrt(query.size(-1)))"},
    "The gradient of key has the factor 1/√d_k twice. If you scaled the query first, the factor "
    "is in the query already, and only the gradient of query still needs it.")
right.mistake("takes_the_diagonal_only",
    {"behind_the_softmax(weights, grad_output @ value.mT)":
        "weights * (1 - weights) * (grad_output @ value.mT)"},
    "In your result each score changes only its own weight: w (1 - w) is the diagonal of the "
    "Jacobian. If one score rises, what happens to the other weights of the row?")
right.mistake("leaves_out_the_denominator",
    {"behind_the_softmax(weights, grad_output @ value.mT)": "weights * (grad_output @ value.mT)"},
    "You multiply by the weights and subtract nothing, as if the denominator of the softmax were "
    "a constant. It depends on every score of the row.")
right.mistake("skips_the_softmax",
    {"behind_the_softmax(weights, grad_output @ value.mT)": "grad_output @ value.mT"},
    "In your result the gradient passes through the softmax unchanged. How does a weight depend "
    "on the scores of its row?")
step_by_step.mistake("sums_over_the_queries",
    {"weights_of(query, key)": "torch.softmax(query @ key.mT / math.sqrt(query.size(-1)), -1)",
     "1, keepdim": "2, keepdim"},
    "What you subtract is summed over the queries. Each softmax ran over the keys of one query. "
    "Which scores does one weight depend on?")
step_by_step.mistake("subtracts_the_plain_sum",
    {"weights_of(query, key)": "torch.softmax(query @ key.mT / math.sqrt(query.size(-1)), -1)",
     "(weights * grad_weights)": "grad_weights"},
    "You subtract the plain sum of the gradients of a row's weights. In J, the entry in row j and "
    "column l has two weights as factors. Where is the second?")
step_by_step.mistake("subtracts_the_plain_mean",
    {"weights_of(query, key)": "torch.softmax(query @ key.mT / math.sqrt(query.size(-1)), -1)",
     "(weights * grad_weights).sum": "grad_weights.mean"},
    "You subtract the mean of a row's gradients, in which every key counts equally. How much does "
    "each key count in this row?")
right.mistake("turns_the_sign", {"grad_scores = behind": "grad_scores = -behind"},
    "The gradients of query and key have the wrong sign. If a key's value helps, should its score "
    "rise or fall?")
right.mistake("takes_the_sum_for_the_loss",
    {"weights =": "grad_output = torch.ones_like(grad_output)\n    weights ="},
    "You return the gradients of the sum of the output, without using `grad_output`. The loss may "
    "weight each entry of the output differently.")
right.mistake("forgets_to_turn_the_weights", {"weights.mT": "weights"},
    "A product of shapes (queries, keys) and (queries, d_v) does not fit, and where it does by "
    "chance, its numbers are wrong. The gradient of a value is a sum over which axis?")
right.mistake("overflows",
    {"weights = weights_of(query, key)":
        "shares = (query @ key.mT / math.sqrt(query.size(-1))).exp()\n"
        "    weights = shares / shares.sum(-1, keepdim=True)"},
    "Small scores are right, but the exponential of a large one is infinite. Your "
    "`stable_softmax` avoids that.")
