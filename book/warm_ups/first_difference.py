"""Chapter 11: the first position at which the output for a prefix is not that of the whole text."""

import math

from judge import WarmUp

warm_up = WarmUp(
    ("the first of two differs", [2, 2.67, 4], [3, 4], 0.001),
    ("the second of three differs", [6, 4, 4, 4.5], [6, 5, 4], 0.001),
    ("rounding is no difference", [6, 4, 4, 1], [6.0001, 3.9999, 4], 0.001),
    ("a smaller number differs, too", [6, 4, 4, 1], [6, 4, 1], 0.001),
    ("the last of a long prefix", [0, 1, 2, 3, 4], [0, 1, 2, 9], 0.5),
    ("minus infinity in both", [-math.inf, 4, 1], [-math.inf, 7], 0.001),
)


@warm_up.stub
def first_difference(whole, prefix, slack):
    """Where a prefix is not as it was.

    whole: the output at each position
        of a text, as plain numbers
    prefix: the outputs for its first
        tokens alone; fewer numbers
    slack: what rounding may do
    Returns the first position, counted
    from 0, where the two differ by
    more than slack; if there is none,
    the length of the prefix.
    """
    raise NotImplementedError


@warm_up.oracle
def right(whole, prefix, slack):
    for at, (one, other) in enumerate(zip(whole, prefix)):  # noqa: B905  # prefix is shorter
        if one != other and abs(one - other) > slack:
            return at
    return len(prefix)


@warm_up.mistake(
    "You ask for equal numbers. Another order of the same sums has another last digit: what is "
    "`slack` for?"
)
def asks_for_equal_numbers(whole, prefix, slack):
    return right(whole, prefix, 0)


@warm_up.mistake("You see a number that grew and none that shrank. Which is larger does not matter.")
def forgets_the_sign(whole, prefix, slack):
    for at, number in enumerate(prefix):
        if number - whole[at] > slack:
            return at
    return len(prefix)


@warm_up.mistake("You return a position in the whole text. How far can a prefix agree at most?")
def returns_the_length_of_the_whole(whole, prefix, slack):
    found = right(whole, prefix, slack)
    return len(whole) if found == len(prefix) else found


@warm_up.mistake("Positions count from 0 here: the first token stands at 0.")
def counts_from_one(whole, prefix, slack):
    found = right(whole, prefix, slack)
    return found if found == len(prefix) else found + 1


@warm_up.mistake("You found the last difference. Which one comes first?")
def finds_the_last(whole, prefix, slack):
    found = [at for at, number in enumerate(prefix)
             if number != whole[at] and abs(number - whole[at]) > slack]  # fmt: skip
    return found[-1] if found else len(prefix)


@warm_up.mistake(
    "You compare the ends of the two with each other. Position 0 of the prefix is position 0 of the "
    "whole."
)
def compares_from_the_end(whole, prefix, slack):
    return right(whole[len(whole) - len(prefix) :], prefix, slack)


@warm_up.mistake(
    "Minus infinity less minus infinity is not a number, and every comparison with that is false. Two "
    "of them are equal."
)
def stumbles_over_infinity(whole, prefix, slack):
    for at, number in enumerate(prefix):
        if not abs(number - whole[at]) <= slack:
            return at
    return len(prefix)


@warm_up.mistake("You look at the last position only. A difference may come before it.")
def looks_at_the_last_position(whole, prefix, slack):
    at = len(prefix) - 1
    same = whole[at] == prefix[at] or abs(whole[at] - prefix[at]) <= slack
    return len(prefix) if same else at
