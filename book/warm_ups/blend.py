"""Chapter 1: the soft lookup that was worked by hand."""

from judge import WarmUp

warm_up = WarmUp(
    ("the three tokens", [1, 6, 1], [8, 16, 40]),
    ("a tie", [3, 3], [10, 20]),
    ("one key", [5], [7]),
    ("values below zero", [0.5, 2, 1.5, 1], [-4, 3, 0, -11]),
)


@warm_up.stub
def blend(exp_scores, values):
    """One number: the soft lookup.

    exp_scores: for each key
        e to the power of its score
    values: for each key a number
    """
    raise NotImplementedError


@warm_up.oracle
def right(exp_scores, values):
    total = sum(exp_scores)
    return sum(share / total * value for share, value in zip(exp_scores, values, strict=True))


@warm_up.mistake("The weights do not sum to 1. By what were 1, 6 and 1 divided?")
def forgets_to_divide(exp_scores, values):
    return sum(share * value for share, value in zip(exp_scores, values, strict=True))


@warm_up.mistake("You divide by the number of keys. What do the exponentials sum to?")
def divides_by_the_number_of_keys(exp_scores, values):
    return forgets_to_divide(exp_scores, values) / len(values)


@warm_up.mistake("You divide by the sum of the values. Which numbers are to become shares of 1?")
def divides_by_the_values(exp_scores, values):
    return forgets_to_divide(exp_scores, values) / sum(values)


@warm_up.mistake("This is the hard lookup: only the best key counts. What about the others?")
def looks_up_hard(exp_scores, values):
    return values[exp_scores.index(max(exp_scores))]


@warm_up.mistake("All keys have the same say. Where do the scores come in?")
def averages(exp_scores, values):
    return sum(values) / len(values)


@warm_up.mistake("These are the weights. What do they do to the values?")
def returns_the_weights(exp_scores, values):
    return [share / sum(exp_scores) for share in exp_scores]


@warm_up.mistake("These are the parts that each key adds. One number is asked for.")
def returns_the_parts(exp_scores, values):
    total = sum(exp_scores)
    return [share / total * value for share, value in zip(exp_scores, values, strict=True)]


@warm_up.mistake("You take exponentials of exponentials. `exp_scores` are e to the score already.")
def takes_exponentials_again(exp_scores, values):
    return right([2.718281828459045**share for share in exp_scores], values)
