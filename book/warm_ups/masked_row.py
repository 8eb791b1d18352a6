"""Chapter 4: one row of weights under a mask."""

import math

from judge import WarmUp

warm_up = WarmUp(
    ("three tokens, the last one hidden", [0, math.log(3), math.log(4)], [True, True, False]),
    ("nothing hidden", [0.5, -1, 2, 0], [True, True, True, True]),
    ("a hidden score far above the others", [0, 800, 1], [True, False, True]),
    ("no key at all", [2, 1, 0], [False, False, False]),
)


@warm_up.stub
def masked_row(scores, mask):
    """One weight for each key.

    scores: one for each key
    mask: one for each key, True
        where it may attend
    A hidden key has weight 0;
    with all hidden, all have 0.
    """
    raise NotImplementedError


def softmax(scores):
    largest = max(scores)
    shares = [math.exp(score - largest) for score in scores]
    return [share / sum(shares) for share in shares]


def filled(scores, mask, fill):
    return [score if seen else fill for score, seen in zip(scores, mask, strict=True)]


@warm_up.oracle
def right(scores, mask):
    return softmax(filled(scores, mask, -math.inf)) if any(mask) else [0.0] * len(scores)


@warm_up.mistake("The mask plays no part. Which keys may take a share?")
def forgets_the_mask(scores, mask):
    return softmax(scores)


@warm_up.mistake("You attend to exactly what is hidden: here True means may attend.")
def attends_to_what_is_hidden(scores, mask):
    return right(scores, [not seen for seen in mask])


@warm_up.mistake("A score of 0 still has a share, because e to the 0 is 1. Which share is none?")
def fills_with_zero(scores, mask):
    return softmax(filled(scores, mask, 0))


@warm_up.mistake(
    "You hide the keys after the softmax, when they have taken their share: what is left does not "
    "sum to 1. Leave them out of the sum."
)
def masks_after_the_softmax(scores, mask):
    return [weight * seen for weight, seen in zip(softmax(scores), mask, strict=True)]


@warm_up.mistake(
    "You hide the keys after the softmax and divide by what is left. When a hidden score is far "
    "above the others, nothing is left. Leave hidden keys out before."
)
def divides_by_what_is_left(scores, mask):
    left = masks_after_the_softmax(scores, mask)
    return [weight / sum(left) for weight in left] if sum(left) else [0.0] * len(scores)


@warm_up.mistake(
    "The largest score is a hidden one, and beside it all visible exponentials are rounded to 0. "
    "Leave hidden keys out before anything else. And what is asked for a row without a key?"
)
def subtracts_a_hidden_score(scores, mask):
    shares = [math.exp(score - max(scores)) for score in scores]
    kept = [share * seen for share, seen in zip(shares, mask, strict=True)]
    return [share / sum(kept) for share in kept]


@warm_up.mistake(
    "You take the exponential of a hidden score as well, and it can be too large for any number. "
    "Leave hidden keys out before."
)
def takes_hidden_exponentials(scores, mask):
    shares = [math.exp(score) for score in scores]
    kept = [share * seen for share, seen in zip(shares, mask, strict=True)]
    return [share / sum(kept) if any(mask) else 0.0 for share in kept]


@warm_up.mistake("Right, but for the row without a key. What is its sum, and what is to come out?")
def forgets_the_row_without_a_key(scores, mask):
    shares = [math.exp(s) if seen else 0 for s, seen in zip(scores, mask, strict=True)]
    return [share / sum(shares) for share in shares]


@warm_up.mistake(
    "Your fill is a finite number. In a row without a key all scores are then equal, and each key "
    "gets the same weight; asked for are zeros."
)
def fills_with_a_large_number(scores, mask):
    return softmax(filled(scores, mask, -1e9))


@warm_up.mistake(
    "A row of nothing but -inf: the largest is -inf as well, and their difference is not a number."
)
def leaves_nan(scores, mask):
    return right(scores, mask) if any(mask) else [math.nan] * len(scores)


@warm_up.mistake("Only the visible keys have a weight here. The others need theirs too: 0.")
def drops_the_hidden(scores, mask):
    kept = [score for score, seen in zip(scores, mask, strict=True) if seen]
    return softmax(kept) if kept else []
