"""Chapter 7: layer norm of one token, without its learned numbers."""

import math

from judge import WarmUp

warm_up = WarmUp(
    ("four features by hand", [1, 3, 5, 7], 0),
    ("three features", [-2, 0.5, 9], 0),
    ("a small vector", [0.001, 0.002, 0.006], 1e-5),
    ("all features equal", [4, 4, 4, 4], 1e-5),
)


@warm_up.stub
def normalise(features, eps):
    """As many features, normalised.

    features: those of one token
    eps: is added to the variance
    Their mean becomes 0, and their
    variance 1 where eps is 0.
    """
    raise NotImplementedError


def centred(features):
    mean = sum(features) / len(features)
    return [feature - mean for feature in features]


def mean_square(features):
    return sum(feature * feature for feature in features) / len(features)


@warm_up.oracle
def right(features, eps):
    apart = centred(features)
    return [one / math.sqrt(mean_square(apart) + eps) for one in apart]


@warm_up.mistake(
    "The mean is still there. Which mean do 1, 3, 5 and 7 have, and which should they get?"
)
def keeps_the_mean(features, eps):
    return [one / math.sqrt(mean_square(features) + eps) for one in features]


@warm_up.mistake("You divide the squares by n - 1. By which number does layer norm divide them?")
def divides_by_one_less(features, eps):
    apart, n = centred(features), len(features)
    return [one / math.sqrt(mean_square(apart) * n / (n - 1) + eps) for one in apart]


@warm_up.mistake("eps is added to the variance. You add it to the root of it.")
def adds_eps_outside(features, eps):
    apart = centred(features)
    return [one / (math.sqrt(mean_square(apart)) + eps) for one in apart]


@warm_up.mistake("You divide by the variance. Its root has the unit of a feature.")
def divides_by_the_variance(features, eps):
    apart = centred(features)
    return [one / (mean_square(apart) + eps) for one in apart]


@warm_up.mistake("Where does eps come in? Without it, a token with equal features divides by zero.")
def forgets_eps(features, eps):
    return right(features, 0)


@warm_up.mistake("The mean is right, the size is not. By what is each feature divided?")
def only_centres(features, eps):
    return centred(features)


@warm_up.mistake("The mean is off, but not before you square. From where does a variance measure?")
def takes_the_variance_of_the_whole(features, eps):
    return [one / math.sqrt(mean_square(features) + eps) for one in centred(features)]


@warm_up.mistake("You sum the squares. Divide the sum by the number of features.")
def sums_the_squares(features, eps):
    apart = centred(features)
    return [one / math.sqrt(mean_square(apart) * len(apart) + eps) for one in apart]


@warm_up.mistake("You divide by the largest deviation. The squares should have the mean 1.")
def divides_by_the_largest(features, eps):
    apart = centred(features)
    return [one / (max(map(abs, apart)) + eps) for one in apart]


@warm_up.mistake(
    "This is a softmax. Its numbers are positive; mean 0 and variance 1 are asked for."
)
def takes_a_softmax(features, eps):
    shares = [math.exp(feature) for feature in features]
    return [share / sum(shares) for share in shares]
