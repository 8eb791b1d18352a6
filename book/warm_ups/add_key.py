"""Chapter 9: one more key comes to a running softmax."""

import math

from judge import WarmUp

warm_up = WarmUp(
    ("a larger score comes", [0, 1, 16], math.log(4), 8),
    ("a smaller score comes", [math.log(4), 1.25, 12], math.log(3), 0),
    ("an equal score comes", [2.5, 1.5, -3], 2.5, 4),
    ("far larger", [-900, 2, 10], 900, 7),
    ("far smaller", [900, 2, 10], -900, 7),
    ("the first key of all", [-math.inf, 0, 0], -1.5, 6),
    ("a hidden key before any other", [-math.inf, 0, 0], -math.inf, 6),
)


@warm_up.stub
def add_key(state, score, value):
    """The state after one more key.

    state: [maximum, total, summed]
    maximum: the largest score so far,
        -inf if there is none
    total: the sum of
        exp(score - maximum) so far
    summed: the same, each times the
        value of its key
    score: -inf if the key is hidden
    """
    raise NotImplementedError


@warm_up.oracle
def right(state, score, value):
    maximum, total, summed = state
    largest = max(maximum, score)
    shrink = math.exp(maximum - largest) if maximum > -math.inf else 0
    share = math.exp(score - largest) if score > -math.inf else 0
    return [largest, total * shrink + share, summed * shrink + share * value]


@warm_up.mistake(
    "What was summed before is relative to the old maximum. By what does it shrink when a larger "
    "one comes?"
)
def forgets_to_shrink(state, score, value):
    maximum, total, summed = state
    largest, share = step(maximum, score)
    return [largest, total + share, summed + share * value]


@warm_up.mistake("The total shrinks, and `summed` does not. Both are relative to the maximum.")
def shrinks_the_total_only(state, score, value):
    largest, total, _ = right(state, score, value)
    return [largest, total, state[2] + step(state[0], score)[1] * value]


@warm_up.mistake("`summed` shrinks, and the total does not. Both are relative to the maximum.")
def shrinks_the_values_only(state, score, value):
    largest, _, summed = right(state, score, value)
    return [largest, state[1] + step(state[0], score)[1], summed]


@warm_up.mistake(
    "The maximum stays what it was, so the new exponential is not bounded: far larger scores "
    "overflow. Which is the maximum now?"
)
def keeps_the_old_maximum(state, score, value):
    maximum, total, summed = state
    share = math.exp(score - maximum)
    return [maximum, total + share, summed + share * value]


@warm_up.mistake("A larger score replaces all that came before. It only makes it smaller.")
def starts_again(state, score, value):
    if score > state[0]:
        return [score, 1, value]
    return right(state, score, value)


@warm_up.mistake("You take exp of the score itself. It can be too large for any number.")
def takes_the_score_itself(state, score, value):
    maximum, total, summed = state
    largest, share = max(maximum, score), math.exp(score)
    shrink = math.exp(maximum - largest)
    return [largest, total * shrink + share, summed * shrink + share * value]


@warm_up.mistake("The old sums grow where they should shrink: the sign of the exponent is wrong.")
def grows(state, score, value):
    maximum, total, summed = state
    largest, share = step(maximum, score)
    shrink = math.exp(largest - maximum)
    return [largest, total * shrink + share, summed * shrink + share * value]


@warm_up.mistake("The new key always counts 1. How large is its share beside the maximum?")
def counts_the_new_key_whole(state, score, value):
    maximum, total, summed = state
    largest = max(maximum, score)
    shrink = math.exp(maximum - largest)
    return [largest, total * shrink + 1, summed * shrink + value]


@warm_up.mistake(
    "-inf minus -inf is not a number. What do the sums hold when every key so far is hidden?"
)
def leaves_nan(state, score, value):
    maximum, total, summed = state
    largest = max(maximum, score)
    shrink, share = math.exp(maximum - largest), math.exp(score - largest)
    return [largest, total * shrink + share, summed * shrink + share * value]


@warm_up.mistake("`summed` is divided already. The division comes once, after the last key.")
def divides_at_once(state, score, value):
    largest, total, summed = right(state, score, value)
    return [largest, total, summed / total if total else 0]


@warm_up.mistake("The value comes into `summed` without its share.")
def adds_the_bare_value(state, score, value):
    largest, total, _ = right(state, score, value)
    shrink = math.exp(state[0] - largest) if state[0] > -math.inf else 0
    return [largest, total, state[2] * shrink + value]


def step(maximum, score):
    """The new maximum, and the share of the new key beside it."""
    largest = max(maximum, score)
    return largest, math.exp(score - largest) if score > -math.inf else 0
