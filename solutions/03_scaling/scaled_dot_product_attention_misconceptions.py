"""Known mistakes of `scaled_dot_product_attention`."""

import math

from .scaled_dot_product_attention import exercise


@exercise.base
def right(query, key, value):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    weights = scores.softmax(-1)
    return weights @ value, weights


# fmt: off
right.mistake("forgets_to_scale", {" / math.sqrt(query.size(-1))": ""},
    "The scores are not scaled. How does the spread of a dot product grow with d_k?")
right.mistake("divides_by_d_k", {"math.sqrt(query.size(-1))": "query.size(-1)"},
    "Overall you divide by d_k, which is the variance of a score. What is its standard deviation?")
right.mistake("multiplies_by_the_root", {"/ math": "* math"},
    "You multiply by the root of d_k. Should the scores become larger?")
right.mistake("scales_by_the_length", {"query.size(-1)": "key.size(-2)"},
    "You scale by the number of keys. Over which axis does a score sum?")
right.mistake("scales_by_d_v", {"query.size(-1)": "value.size(-1)"},
    "You scale by the width of the values. The values take no part in the dot products.")
right.mistake("scales_after_the_softmax",
    {" / math.sqrt(query.size(-1))": "", "softmax(-1)": "softmax(-1) / math.sqrt(query.size(-1))"},
    "You scale the weights, after the softmax, so they no longer sum to 1. Which numbers should "
    "the scaling keep small?")
right.mistake("normalises_over_queries", {"softmax(-1)": "softmax(-2)"},
    "Your softmax runs over the queries. Which axis holds the keys?")
right.mistake("normalises_over_axis_1", {"softmax(-1)": "softmax(1)"},
    "Your softmax runs over axis 1, counted from the front. Which axis that is depends on the "
    "number of leading axes. Counted from the end, which axis holds the keys?")
right.mistake("normalises_over_everything",
    {"scores.softmax(-1)": "scores.flatten(-2).softmax(-1).view(scores.shape)"},
    "All scores share one softmax. Each query needs its own.")
right.mistake("reshapes_the_keys",
    {"key.mT": "key.reshape(*key.shape[:-2], key.size(-1), key.size(-2))"},
    "You reshape the keys where they should be transposed. The shape fits, but the numbers are in "
    "the wrong places.")
right.mistake("transposes_all_axes", {"key.mT": "key.permute(*range(key.dim() - 1, -1, -1))"},
    "`key.T` reverses the order of all axes, including the batch. Which two axes does a matrix "
    "product need to be swapped?")
right.mistake("overflows",
    {"weights = scores.softmax(-1)":
        "shares = scores.exp()\n    weights = shares / shares.sum(-1, keepdim=True)"},
    "The exponential of a score above 89 is infinite, and in a row far below 0 all exponentials "
    "are zero. Your `stable_softmax` avoids both.")
right.mistake("takes_off_the_highest_of_all",
    {"weights = scores.softmax(-1)":
        "shares = (scores - scores.max()).exp()\n"
        "    weights = shares / shares.sum(-1, keepdim=True)"},
    "You subtract one number from all scores of the call, so in rows far below the maximum every "
    "exponential is 0. Your `stable_softmax` subtracts each row's own maximum.")
right.mistake("takes_axis_1_for_d_k", {"query.size(-1)": "query.shape[1]"},
    "You divide by the root of `shape[1]`. Which axis that is, counted from the front, depends on "
    "the number of leading axes. Where is d_k, counted from the end?")
right.mistake("transposes_axes_1_and_2", {"key.mT": "key.transpose(1, 2)"},
    "`transpose(1, 2)` is right for three axes only: there may be no leading axis, one or more. "
    "How do you name the last two axes, however many come before them?")
right.mistake("scales_the_query_in_place",
    {"scores = query @ key.mT / math.sqrt(query.size(-1))":
        "query /= math.sqrt(query.size(-1))\n    scores = query @ key.mT"},
    "You scale in place, which changes the caller's query. What does `/=` do?")
right.mistake("returns_float32",
    {"scores =": "query, key, value = query.float(), key.float(), value.float()\n    scores ="},
    "You compute in float32, which is a good idea, but you have to return the caller's dtype.")
right.mistake("returns_the_weights_first", {"weights @ value, weights": "weights, weights @ value"},
    "Both results are there, but in the wrong order. The output comes first.")
right.mistake("returns_the_output_only", {"weights @ value, weights": "weights @ value"},
    "You return the output alone. The exercise asks for the weights as well.")
right.mistake("detaches_the_weights", {"softmax(-1)": "softmax(-1).detach()"},
    "The numbers are right, but the weights are cut off from query and key, which then learn "
    "nothing.")
