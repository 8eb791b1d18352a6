"""Known mistakes of `merges_exactly` in the parts that are tried, and what all are made of."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from .merges_exactly import exercise


def kinds_but(*left_out: str) -> list[str]:
    """All kinds of parts, without some."""
    parts = ["normal", "large", "small", "first", "second", "tied", "no first", "no second"]
    return [kind for kind in [*parts, "nothing"] if kind not in left_out]


def drawn(kind: str, queries: int, step: int) -> Float[Tensor, "queries 6"]:
    """Scores of six keys, of which three are the first part.

    Where a part is empty, it is so for one query of `step` in a row.
    """
    scores = torch.randn(queries, 6)
    scores += {"large": 1000, "small": -1000}.get(kind, 0)
    scores[:, :3] += {"first": 1000, "second": -1000}.get(kind, 0)
    if kind == "tied":
        scores[:, [1, 4]] = 5.0
    without = {"no first": slice(0, 3), "no second": slice(3, 6), "nothing": slice(0, 6)}
    if kind in without:
        scores[::step, without[kind]] = -math.inf
    return scores


def three(
    scores: Float[Tensor, "queries keys"], value: Float[Tensor, "keys d_v"]
) -> tuple[Float[Tensor, " queries"], Float[Tensor, " queries"], Float[Tensor, "queries d_v"]]:
    """Maximum, total and summed."""
    maximum = scores.amax(-1)
    shares = (scores - maximum.clamp(min=-1e30)[:, None]).exp()
    return maximum, shares.sum(-1), shares @ value


def close(merged, wanted) -> bool:
    pairs = zip(merged, wanted, strict=True)
    return all(torch.allclose(one, other, rtol=0, atol=2e-3) for one, other in pairs)


def right_on(merge, kinds=None, keys=(0, 3, 6), queries=24, same=close, steps=(1, 2)):
    """Whether a merge of two parts is that of all keys, for each kind and step.

    keys: where the first part begins, where the second does, and where it ends.
    """
    start, middle, end = keys
    for step in steps:
        for kind in kinds or kinds_but():
            scores, value = drawn(kind, queries, step), torch.randn(6, 3)
            cut = [slice(start, middle), slice(middle, end), slice(start, end)]
            first, second, every = (three(scores[:, at], value[at]) for at in cut)
            if not same(merge(*first, *second), every):
                return False
    return True


@exercise.misconception(
    "You say True of merges that are right for standard normal scores and wrong for others. Which "
    "other parts does the docstring list, and does each of them count in your answer?"
)
def tries_normal_scores_only(merge):
    return right_on(merge, ["normal"])


@exercise.misconception(
    "You miss merges that fail on empty parts. What are the three tensors of a part whose keys "
    "are all masked?"
)
def tries_no_empty_part(merge):
    return right_on(merge, kinds_but("no first", "no second", "nothing"))


@exercise.misconception(
    "You try empty parts, but never two at once for the same query. What is minus infinity "
    "less minus infinity?"
)
def never_has_both_empty(merge):
    return right_on(merge, kinds_but("nothing"))


@exercise.misconception(
    "Where you try an empty part, it is empty for all queries at once. A causal mask empties it "
    "for some queries and not for others."
)
def empties_parts_for_all_queries(merge):
    return right_on(merge, steps=(1,))


@exercise.misconception(
    "You miss merges that fail on scores of a large size. Add 1000 to all scores, and subtract "
    "1000: what do plain exponentials do?"
)
def tries_no_large_scores(merge):
    return right_on(merge, kinds_but("large", "small"))


@exercise.misconception(
    "You miss merges that fail on scores far below 0, where exponentials are 0. Subtract 1000 "
    "from all scores."
)
def tries_no_scores_far_below_0(merge):
    return right_on(merge, kinds_but("small"))


@exercise.misconception(
    "You miss merges that fail where one part is far above the other. Which of the two may it be?"
)
def never_has_parts_far_apart(merge):
    return right_on(merge, kinds_but("first", "second"))


@exercise.misconception(
    "You try parts that are far apart, the first one always above the second. Try the reverse: "
    "a large score may come late."
)
def has_the_first_far_above_only(merge):
    return right_on(merge, kinds_but("second"))


@exercise.misconception(
    "You miss merges that are wrong where both maxima are equal. Random scores hardly ever "
    "are: set them."
)
def tries_no_equal_maxima(merge):
    return right_on(merge, kinds_but("tied"))


@exercise.misconception(
    "Each of your parts has one key, so every total is 1. Some merges are wrong for every "
    "other total."
)
def has_parts_of_one_key(merge):
    return right_on(merge, keys=(2, 3, 4))


@exercise.misconception(
    "There is one query in all you try. Some merges treat all queries as they do the first, or "
    "leave the last one out."
)
def tries_one_query(merge):
    return right_on(merge, queries=1)


@exercise.misconception(
    "You miss merges that fail where the first part alone is empty. The first part is empty at the "
    "start of a loop over chunks."
)
def never_has_the_first_empty(merge):
    return right_on(merge, kinds_but("no first"))


@exercise.misconception(
    "You miss merges that fail where the second part alone is empty. A causal mask empties it for "
    "the queries that come before its keys."
)
def never_has_the_second_empty(merge):
    return right_on(merge, kinds_but("no second"))


@exercise.misconception(
    "Where you try an empty part, it is never empty for all queries at once. Some merges fail only "
    "there."
)
def empties_parts_for_some_queries(merge):
    return right_on(merge, steps=(2,))


@exercise.misconception(
    "You miss merges that fail where the scores of both parts are large. Add 1000 to all scores."
)
def tries_no_large_scores_in_both_parts(merge):
    return right_on(merge, kinds_but("large"))


@exercise.misconception(
    "You try parts that are far apart, the second one always above the first. Try the reverse, too."
)
def has_the_second_far_above_only(merge):
    return right_on(merge, kinds_but("first"))


@exercise.misconception(
    "Your first part has one key, so that its total is 1. Some merges are wrong for every other "
    "total."
)
def has_a_first_part_of_one_key(merge):
    return right_on(merge, keys=(2, 3, 6))
