"""Chapter 3: one row of weights, scaled, from scores of any size."""

import math

from judge import WarmUp

warm_up = WarmUp(
    ("three keys", [2, 1, 0], 4),
    ("a width that is no square", [0.5, -3, 1, 2], 6),
    ("one key", [-7], 9),
    ("large scores", [6000, 5992, 5980], 16),
    ("scores far below zero", [-9000, -9003], 9),
)


@warm_up.stub
def scaled_row(scores, d_k):
    """One weight for each key.

    scores: one for each key
    d_k: the width of query and key
    """
    raise NotImplementedError


def softmax(scores):
    largest = max(scores)
    shares = [math.exp(score - largest) for score in scores]
    return [share / sum(shares) for share in shares]


@warm_up.oracle
def right(scores, d_k):
    return softmax([score / math.sqrt(d_k) for score in scores])


@warm_up.mistake(
    "No number of Python's holds e to the power of 1500, and e to the power of -3000 is rounded to "
    "0. Which number may be subtracted from all scores without changing a weight?"
)
def overflows(scores, d_k):
    shares = [math.exp(score / math.sqrt(d_k)) for score in scores]
    return [share / sum(shares) for share in shares]


@warm_up.mistake("The scores are not scaled. Where does the width come in?")
def forgets_the_root(scores, d_k):
    return softmax(scores)


@warm_up.mistake("The scores are not scaled, and large ones overflow. Mend the scale first.")
def forgets_the_root_and_overflows(scores, d_k):
    return overflows(scores, 1)


@warm_up.mistake("You divide by d_k, which is the variance of a score. What is its deviation?")
def divides_by_d_k(scores, d_k):
    return softmax([score / d_k for score in scores])


@warm_up.mistake("You divide by d_k, which is the variance of a score. And large scores overflow.")
def divides_by_d_k_and_overflows(scores, d_k):
    return overflows(scores, d_k * d_k)


@warm_up.mistake("You take the root of the number of keys. Over what does a score sum?")
def scales_by_the_keys(scores, d_k):
    return right(scores, len(scores))


@warm_up.mistake("You multiply by the root. Scores that spread too far should come closer.")
def multiplies(scores, d_k):
    return softmax([score * math.sqrt(d_k) for score in scores])


@warm_up.mistake("You divide the weights, so they no longer sum to 1. The scores are scaled.")
def scales_the_weights(scores, d_k):
    return [weight / math.sqrt(d_k) for weight in softmax(scores)]


@warm_up.mistake("These are exponentials, and their sum is not 1. By what is each divided?")
def forgets_to_normalise(scores, d_k):
    return [math.exp((score - max(scores)) / math.sqrt(d_k)) for score in scores]


@warm_up.mistake("You divide by the largest exponential. The weights are to sum to 1.")
def divides_by_the_largest(scores, d_k):
    shares = [math.exp(score / math.sqrt(d_k)) for score in scores]
    return [share / max(shares) for share in shares]
