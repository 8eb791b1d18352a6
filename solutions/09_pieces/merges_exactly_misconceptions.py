"""Known mistakes of `merges_exactly`."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from .merges_exactly import exercise


def kinds_but(*left_out: str) -> list[str]:
    """All kinds of parts, without some."""
    parts = ["normal", "large", "small", "first", "second", "tied", "no first", "no second"]
    return [kind for kind in [*parts, "nothing"] if kind not in left_out]


def drawn(kind: str, queries: int, most: int = 2) -> Float[Tensor, "queries 6"]:
    """Scores of six keys, of which three are the first part.

    Where a part is empty, it is so for all queries, or for one of `most` in a row.
    """
    scores = torch.randn(queries, 6)
    scores += {"large": 1000, "small": -1000}.get(kind, 0)
    scores[:, :3] += {"first": 1000, "second": -1000}.get(kind, 0)
    if kind == "tied":
        scores[:, [1, 4]] = 5.0
    without = {"no first": slice(0, 3), "no second": slice(3, 6), "nothing": slice(0, 6)}
    if kind in without:
        scores[:: 1 + torch.randint(0, most, ()), without[kind]] = -math.inf
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


def right_on(merge, kinds=None, keys=slice(0, 6), queries=24, same=close, most=2):
    """Whether a merge of two parts is that of all keys, for each kind twice."""
    for kind in (kinds or kinds_but()) * 2:
        scores, value = drawn(kind, queries, most)[:, keys], torch.randn(6, 3)[keys]
        half = scores.size(1) // 2
        merged = merge(
            *three(scores[:, :half], value[:half]), *three(scores[:, half:], value[half:])
        )
        if not same(merged, three(scores, value)):
            return False
    return True


@exercise.misconception(
    "Your function says False where the merge is right, and True where it is not. Read its "
    "name as a question: does it merge exactly?"
)
def answers_the_opposite(merge):
    return not right_on(merge)


@exercise.misconception(
    "You miss whatever standard normal scores do not show. Which other parts does the "
    "docstring list?"
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
    return right_on(merge, most=1)


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
    return right_on(merge, kinds_but("small", "first", "second"))


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
    return right_on(merge, keys=slice(2, 4))


@exercise.misconception(
    "You compare outputs, that is `summed / total`. A factor that is in both cancels there, "
    "and the next merge goes wrong by it."
)
def compares_the_outputs_only(merge):
    def same(merged, wanted):
        mine, right = (x[2] / x[1].clamp(min=1e-30)[:, None] for x in (merged, wanted))
        return torch.allclose(mine, right, rtol=0, atol=2e-3)

    return right_on(merge, same=same)


@exercise.misconception(
    "You compare `summed / total`, where NaN equals NaN. A factor that is in both cancels there,"
    " and of two empty parts it is 0 / 0, whether a merge gives zeros or NaN."
)
def compares_the_outputs_and_lets_nan_pass(merge):
    def same(merged, wanted):
        mine, right = (x[2] / x[1][:, None] for x in (merged, wanted))
        return torch.allclose(mine, right, rtol=0, atol=2e-3, equal_nan=True)

    return right_on(merge, same=same)


@exercise.misconception(
    "You compare totals and sums, and let any maximum pass. Against what will the next merge "
    "measure them?"
)
def leaves_the_maximum_out(merge):
    return right_on(merge, same=lambda merged, wanted: close(merged[1:], wanted[1:]))


@exercise.misconception(
    "You exchange the two parts and ask for the same result. That merge which corrects nothing "
    "passes: compare with what all keys together give."
)
def asks_for_symmetry_only(merge):
    for kind in kinds_but() * 2:
        scores, value = drawn(kind, 24), torch.randn(6, 3)
        first, second = three(scores[:, :3], value[:3]), three(scores[:, 3:], value[3:])
        if not close(merge(*first, *second), merge(*second, *first)):
            return False
    return True


@exercise.misconception(
    "NaN passes: every comparison with NaN is False, so nothing is ever too far off. Ask "
    "whether all is close instead."
)
def lets_nan_pass(merge):
    def same(merged, wanted):
        pairs = zip(merged, wanted, strict=True)
        return not any(((one - other).abs() > 2e-3).any() for one, other in pairs)

    return right_on(merge, same=same)


@exercise.misconception(
    "You turn every right merge away. Do you ask for equality to the last bit? Or do you take "
    "the difference of two maxima that are both minus infinity? That is NaN, and NaN is not "
    "below a bound."
)
def turns_right_merges_away(merge):
    def same(merged, wanted):
        return all(torch.equal(one, other) for one, other in zip(merged, wanted, strict=True))

    return right_on(merge, same=same)


@exercise.misconception(
    "There is one query in all you try. Some merges treat all queries as they do the first, or "
    "leave the last one out."
)
def tries_one_query(merge):
    return right_on(merge, queries=1)


@exercise.misconception(
    "You miss a small share of a part that should have vanished. The docstring says how large "
    "the change of a mistake is at least: where is your bound?"
)
def tolerates_too_much(merge):
    def same(merged, wanted):
        pairs = zip(merged, wanted, strict=True)
        return all(torch.allclose(one, other, rtol=0, atol=0.5) for one, other in pairs)

    return right_on(merge, same=same)
