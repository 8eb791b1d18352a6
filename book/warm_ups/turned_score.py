"""Chapter 8: the score of a rotated query with a rotated key, from their distance alone."""

import math

from judge import WarmUp

THIRD = math.pi / 3  # 60 degrees

warm_up = WarmUp(
    ("one token apart, by hand", [1, 0], [1, 0], 1, [THIRD]),
    ("an angle from one to the other", [0, 2], [3, 0], 1, [math.pi / 6]),
    ("two tokens apart", [1, 3], [2, -1], 2, [THIRD]),
    ("two pairs at two speeds", [1, 2, 3, 4], [2, 0, -1, 3], 5, [1, 0.1]),
    ("the same position", [2, 1, 0, 1], [1, 5, 3, -2], 0, [1, 0.5]),
)


@warm_up.stub
def turned_score(q, k, back, speeds):
    """The score of query q and key k.

    back: how many tokens before
        the query the key stands
    speeds: one for each pair, in
        radians a token
    Pair r is entries 2r and 2r + 1.
    A token's pairs are turned by
    its position times their speed,
    from (1, 0) towards (0, 1).
    """
    raise NotImplementedError


def turned(vector, position, speeds, pairs=None):
    """The vector with pair r turned by position times speed r."""
    result = list(vector)
    for r, speed in enumerate(speeds):
        i, j = pairs[r] if pairs else (2 * r, 2 * r + 1)
        cos, sin = math.cos(position * speed), math.sin(position * speed)
        result[i], result[j] = vector[i] * cos - vector[j] * sin, vector[i] * sin + vector[j] * cos
    return result


def dot(query, key):
    return sum(q * k for q, k in zip(query, key, strict=True))


@warm_up.oracle
def right(query, key, back, speeds):
    return dot(turned(query, back, speeds), key)


@warm_up.mistake(
    "This is the score without positions: you turned nothing, or both by one angle. By which angle "
    "is the query, which stands later, turned further than the key?"
)
def turns_nothing(query, key, back, speeds):
    return dot(query, key)


@warm_up.mistake(
    "You turned by the right angle in the wrong direction. Which of the two is turned further: the "
    "query, which stands later, or the key?"
)
def turns_backwards(query, key, back, speeds):
    return dot(turned(query, -back, speeds), key)


@warm_up.mistake(
    "You multiplied each pair's product by a cosine. That is all where the two point the same way; "
    "the part with the sine is missing."
)
def forgets_the_sine(query, key, back, speeds):
    score = 0
    for r, speed in enumerate(speeds):
        pair = slice(2 * r, 2 * r + 2)
        score += dot(query[pair], key[pair]) * math.cos(back * speed)
    return score


@warm_up.mistake("All pairs turn at the speed of the first. Each has its own.")
def turns_all_pairs_alike(query, key, back, speeds):
    return right(query, key, back, [speeds[0]] * len(speeds))


@warm_up.mistake("Your angle is that of one token, however far back the key is.")
def forgets_the_distance(query, key, back, speeds):
    return right(query, key, 1, speeds)


@warm_up.mistake(
    "You pair the first half of the entries with the second. Here a pair is two neighbours."
)
def pairs_the_halves(query, key, back, speeds):
    pairs = [(r, r + len(speeds)) for r in range(len(speeds))]
    return dot(turned(query, back, speeds, pairs), key)


@warm_up.mistake(
    "You take the angle for degrees. Python's cosine takes radians, as the speeds are."
)
def takes_degrees(query, key, back, speeds):
    return right(query, key, back, [math.radians(speed) for speed in speeds])


@warm_up.mistake(
    "You overwrote the first entry of a pair before you computed the second, so the second used "
    "the new value. Compute both, then write."
)
def writes_too_early(query, key, back, speeds):
    query = list(query)
    for r, speed in enumerate(speeds):
        cos, sin = math.cos(back * speed), math.sin(back * speed)
        query[2 * r] = query[2 * r] * cos - query[2 * r + 1] * sin
        query[2 * r + 1] = query[2 * r] * sin + query[2 * r + 1] * cos
    return dot(query, key)


@warm_up.mistake("The products of the pairs are right, and stand apart. A score is their sum.")
def leaves_pairs_apart(query, key, back, speeds):
    query = turned(query, back, speeds)
    return [dot(query[at : at + 2], key[at : at + 2]) for at in range(0, len(key), 2)]
