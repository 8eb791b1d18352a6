"""Known mistakes of `scaled_dot_product_attention`."""

import math

from .scaled_dot_product_attention import exercise


@exercise.misconception("The scores are not scaled. How does a dot product's spread grow with d_k?")
def forgets_to_scale(query, key, value):
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "In all you divide by d_k, a score's variance. What is its standard deviation?"
)
def divides_by_d_k(query, key, value):
    weights = (query @ key.mT / query.size(-1)).softmax(-1)
    return weights @ value, weights


@exercise.misconception("You multiply by the root of d_k. Should the scores become larger?")
def multiplies_by_the_root(query, key, value):
    weights = (query @ key.mT * math.sqrt(query.size(-1))).softmax(-1)
    return weights @ value, weights


@exercise.misconception("You scale by the number of keys. Over which axis does a score sum?")
def scales_by_the_length(query, key, value):
    weights = (query @ key.mT / math.sqrt(key.size(-2))).softmax(-1)
    return weights @ value, weights


@exercise.misconception("You scale by the width of the values. They are in no dot product.")
def scales_by_d_v(query, key, value):
    weights = (query @ key.mT / math.sqrt(value.size(-1))).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "You scale the weights, after the softmax. They no longer sum to 1. What was to be kept small?"
)
def scales_after_the_softmax(query, key, value):
    weights = (query @ key.mT).softmax(-1) / math.sqrt(query.size(-1))
    return weights @ value, weights


@exercise.misconception("Your softmax runs over the queries. Which axis holds the keys?")
def normalises_over_queries(query, key, value):
    weights = (query @ key.mT / math.sqrt(query.size(-1))).softmax(-2)
    return weights @ value, weights


@exercise.misconception(
    "Your softmax runs over axis 1, counted from the front. Which axis that is depends on how many "
    "leading axes there are. Which one is it, counted from the end, that holds the keys?"
)
def normalises_over_axis_1(query, key, value):
    weights = (query @ key.mT / math.sqrt(query.size(-1))).softmax(1)
    return weights @ value, weights


@exercise.misconception("All scores share one softmax. Each query needs its own.")
def normalises_over_everything(query, key, value):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    weights = scores.flatten(-2).softmax(-1).view(scores.shape)
    return weights @ value, weights


@exercise.misconception(
    "You reshape the keys where they should be transposed: the shape fits, the numbers are "
    "elsewhere."
)
def reshapes_the_keys(query, key, value):
    turned = key.reshape(*key.shape[:-2], key.size(-1), key.size(-2))
    weights = (query @ turned / math.sqrt(query.size(-1))).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "`key.T` turns round all axes, the batch too. Which two axes does a matrix product need?"
)
def transposes_all_axes(query, key, value):
    turned = key.permute(*range(key.dim() - 1, -1, -1))
    weights = (query @ turned / math.sqrt(query.size(-1))).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "The exponential of a score above 89 is infinite, and a row far below 0 has only zeros left. "
    "Your `stable_softmax` knows what to do."
)
def overflows(query, key, value):
    shares = (query @ key.mT / math.sqrt(query.size(-1))).exp()
    weights = shares / shares.sum(-1, keepdim=True)
    return weights @ value, weights


@exercise.misconception(
    "You take one number off all scores of the call, so rows far below the highest have "
    "exponentials of 0 only. Your `stable_softmax` takes off each row's own highest."
)
def takes_off_the_highest_of_all(query, key, value):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    shares = (scores - scores.max()).exp()
    weights = shares / shares.sum(-1, keepdim=True)
    return weights @ value, weights


@exercise.misconception(
    "You divide by the root of `shape[1]`. Counted from the front, which axis that is depends on "
    "how many leading axes there are. Where is d_k, counted from the end?"
)
def takes_axis_1_for_d_k(query, key, value):
    weights = (query @ key.mT / math.sqrt(query.shape[1])).softmax(-1)
    return weights @ value, weights


@exercise.misconception(
    "`transpose(1, 2)` is right for three axes only: the leading axes may be none, one or more. "
    "How do you name the last two axes, however many stand before them?"
)
def transposes_axes_1_and_2(query, key, value):
    weights = (query @ key.transpose(1, 2) / math.sqrt(query.size(-1))).softmax(-1)
    return weights @ value, weights


@exercise.misconception("You scale in place and change the caller's query. What does `/=` do?")
def scales_the_query_in_place(query, key, value):
    query /= math.sqrt(query.size(-1))
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights


@exercise.misconception("You compute in float32, which is wise: return the caller's dtype.")
def returns_float32(query, key, value):
    scores = query.float() @ key.float().mT / math.sqrt(query.size(-1))
    weights = scores.softmax(-1)
    return weights @ value.float(), weights


@exercise.misconception("Both results are there, in the other order: first the output.")
def returns_the_weights_first(query, key, value):
    weights = (query @ key.mT / math.sqrt(query.size(-1))).softmax(-1)
    return weights, weights @ value


@exercise.misconception("You return the output alone. The weights are asked for as well.")
def returns_the_output_only(query, key, value):
    return (query @ key.mT / math.sqrt(query.size(-1))).softmax(-1) @ value


@exercise.misconception(
    "The numbers are right, but the weights are cut off from query and key, which then learn "
    "nothing."
)
def detaches_the_weights(query, key, value):
    weights = (query @ key.mT / math.sqrt(query.size(-1))).softmax(-1).detach()
    return weights @ value, weights
