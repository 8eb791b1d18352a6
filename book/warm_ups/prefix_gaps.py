"""Chapter 11: how far the outputs for a prefix are from those for the whole text."""

import math

from judge import WarmUp

warm_up = WarmUp(
    ("the mean of a mask that comes too late", [4, 6, 6], [6, 9]),
    ("nothing differs", [12, 9, 6, 4.5], [12, 9, 6]),
    ("a smaller number", [6, 4, 4, 1], [6, 1, 4.5]),
    ("minus infinity in both", [-math.inf, 4, 1], [-math.inf, 7]),
    ("minus infinity in one", [3, 4, 1], [-math.inf, 4]),
    ("below zero", [-8, 2, -4, 0], [-2, -2, -4]),
)


@warm_up.stub
def prefix_gaps(whole, prefix):
    """How far a prefix is from before.

    whole: the output at each position
        of a text, as plain numbers
    prefix: the outputs for its first
        tokens alone; fewer numbers
    Returns for each position of the
    prefix by how much the two differ,
    as a number of 0 or more. Where both
    are -inf, they do not differ: 0.
    """
    raise NotImplementedError


@warm_up.oracle
def right(whole, prefix):
    pairs = zip(whole, prefix)  # noqa: B905  # the prefix is shorter
    return [0 if one == other else abs(one - other) for one, other in pairs]


@warm_up.mistake("A gap has no sign: a bound on it would never see numbers that shrank.")
def keeps_the_sign(whole, prefix):
    return [0 if one == other else other - one for one, other in zip(whole, prefix)]  # noqa: B905


@warm_up.mistake("A gap has no sign: a bound on it would never see numbers that grew.")
def keeps_the_other_sign(whole, prefix):
    return [0 if one == other else one - other for one, other in zip(whole, prefix)]  # noqa: B905


@warm_up.mistake(
    "Minus infinity less minus infinity is not a number, and every comparison with that is false. "
    "Two of them do not differ."
)
def stumbles_over_infinity(whole, prefix):
    return [abs(one - other) for one, other in zip(whole, prefix)]  # noqa: B905


@warm_up.mistake(
    "You compare the ends of the two with each other. Position 0 of the prefix is position 0 of "
    "the whole."
)
def compares_from_the_end(whole, prefix):
    return right(whole[len(whole) - len(prefix) :], prefix)


@warm_up.mistake("You give the square of the gap. The gap itself is asked for.")
def squares(whole, prefix):
    return [gap * gap for gap in right(whole, prefix)]


@warm_up.mistake("You say whether they differ. By how much do they?")
def says_whether(whole, prefix):
    return [1 if gap else 0 for gap in right(whole, prefix)]


@warm_up.mistake("You give the gap relative to the number. Its size in the outputs is asked for.")
def divides(whole, prefix):
    gaps = right(whole, prefix)
    return [gap / abs(one) if one else gap for gap, one in zip(gaps, whole)]  # noqa: B905


@warm_up.mistake("You go on to the end of the whole. The prefix has nothing to say there.")
def pads_with_zeros(whole, prefix):
    return [*right(whole, prefix), *[0] * (len(whole) - len(prefix))]
