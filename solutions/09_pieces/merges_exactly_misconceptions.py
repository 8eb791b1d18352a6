"""Known mistakes of `merges_exactly` in how results are compared."""

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


def close(merged, wanted, rtol=0.0, atol=2e-3) -> bool:
    pairs = zip(merged, wanted, strict=True)
    return all(torch.allclose(one, other, rtol=rtol, atol=atol) for one, other in pairs)


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


@exercise.base
def right(merge):
    return right_on(merge)


# fmt: off
right.mistake("tries_normal_scores_only", {"right_on(merge)": 'right_on(merge, ["normal"])'},
    "You return True for merges that are right for standard normal scores but wrong for others. "
    "Which other parts does the docstring list, and does each of them count in your answer?")
right.mistake("tries_no_empty_part",
    {"right_on(merge)": 'right_on(merge, kinds_but("no first", "no second", "nothing"))'},
    "You miss merges that fail on empty parts. What are the three tensors of a part whose keys are "
    "all masked?")
right.mistake("never_has_both_empty", {"right_on(merge)": 'right_on(merge, kinds_but("nothing"))'},
    "You try empty parts, but never two at once for the same query. What is minus infinity minus "
    "minus infinity?")
right.mistake("empties_parts_for_all_queries", {"right_on(merge)": "right_on(merge, steps=(1,))"},
    "Where you try an empty part, it is empty for all queries at once. A causal mask empties it "
    "for some queries and not for others.")
right.mistake("tries_no_large_scores",
    {"right_on(merge)": 'right_on(merge, kinds_but("large", "small"))'},
    "You miss merges that fail on large scores. Add 1000 to all scores, and subtract 1000. What "
    "happens to plain exponentials?")
right.mistake("tries_no_scores_far_below_0",
    {"right_on(merge)": 'right_on(merge, kinds_but("small"))'},
    "You miss merges that fail on scores far below 0, where exponentials are 0. Subtract 1000 from "
    "all scores.")
right.mistake("never_has_parts_far_apart",
    {"right_on(merge)": 'right_on(merge, kinds_but("first", "second"))'},
    "You miss merges that fail where one part is far above the other. Which of the two may be the "
    "higher one?")
right.mistake("has_the_first_far_above_only",
    {"right_on(merge)": 'right_on(merge, kinds_but("second"))'},
    "You try parts that are far apart, but always with the first one above the second. Try the "
    "reverse: a large score may come late.")
right.mistake("tries_no_equal_maxima", {"right_on(merge)": 'right_on(merge, kinds_but("tied"))'},
    "You miss merges that are wrong where both maxima are equal. Random scores hardly ever give "
    "equal maxima, so set them yourself.")
right.mistake("has_parts_of_one_key", {"right_on(merge)": "right_on(merge, keys=(2, 3, 4))"},
    "Each of your parts has one key, so every total is 1. Some merges are wrong for every other "
    "total.")
right.mistake("tries_one_query", {"right_on(merge)": "right_on(merge, queries=1)"},
    "You only try a single query. Some merges treat all queries like the first one, or leave the "
    "last one out.")
right.mistake("never_has_the_first_empty",
    {"right_on(merge)": 'right_on(merge, kinds_but("no first"))'},
    "You miss merges that fail where the first part alone is empty. The first part is empty at the "
    "start of a loop over chunks.")
right.mistake("never_has_the_second_empty",
    {"right_on(merge)": 'right_on(merge, kinds_but("no second"))'},
    "You miss merges that fail where the second part alone is empty. A causal mask empties it for "
    "queries that come before its keys.")
right.mistake("empties_parts_for_some_queries", {"right_on(merge)": "right_on(merge, steps=(2,))"},
    "Where you try an empty part, it is never empty for all queries at once. Some merges fail only "
    "there.")
right.mistake("tries_no_large_scores_in_both_parts",
    {"right_on(merge)": 'right_on(merge, kinds_but("large"))'},
    "You miss merges that fail where the scores of both parts are large. Add 1000 to all scores.")
right.mistake("has_the_second_far_above_only",
    {"right_on(merge)": 'right_on(merge, kinds_but("first"))'},
    "You try parts that are far apart, but always with the second one above the first. Try the "
    "reverse, too.")
right.mistake("has_a_first_part_of_one_key", {"right_on(merge)": "right_on(merge, keys=(2, 3, 6))"},
    "Your first part has one key, so its total is 1. Some merges are wrong for every other total.")
right.mistake("answers_the_opposite", {"return": "return not"},
    "Your function returns False where the merge is right, and True where it is not. Read its "
    "name as a question: does it merge exactly?")


@exercise.misconception(
    "You compare outputs, that is `summed / total`. A factor that both contain cancels there, but "
    "makes the next merge wrong."
)
def compares_the_outputs_only(merge):
    def same(merged, wanted):
        mine, right = (x[2] / x[1].clamp(min=1e-30)[:, None] for x in (merged, wanted))
        return torch.allclose(mine, right, rtol=0, atol=2e-3)

    return right_on(merge, same=same)


@exercise.misconception(
    "You compare `summed / total`, counting NaN as equal to NaN. A factor that both contain "
    "cancels there, and for two empty parts the quotient is 0 / 0, whether a merge gives zeros or "
    "NaN."
)
def compares_the_outputs_and_lets_nan_pass(merge):
    def same(merged, wanted):
        mine, right = (x[2] / x[1][:, None] for x in (merged, wanted))
        return torch.allclose(mine, right, rtol=0, atol=2e-3, equal_nan=True)

    return right_on(merge, same=same)


right.mistake("leaves_the_maximum_out",
    {"right_on(merge)":
        "right_on(merge, same=lambda merged, wanted: close(merged[1:], wanted[1:]))"},
    "You compare totals and sums, but accept any maximum. What will the next merge measure them "
    "against?")


@exercise.misconception(
    "You exchange the two parts and expect the same result. A merge that corrects nothing passes "
    "this test. Compare with the result for all keys together."
)
def asks_for_symmetry_only(merge):
    for kind in kinds_but():
        scores, value = drawn(kind, 24, 2), torch.randn(6, 3)
        first, second = three(scores[:, :3], value[:3]), three(scores[:, 3:], value[3:])
        if not close(merge(*first, *second), merge(*second, *first)):
            return False
    return True


@exercise.misconception(
    "NaN passes: every comparison with NaN is False, so nothing is ever too far off. Ask instead "
    "whether everything is close."
)
def lets_nan_pass(merge):
    def same(merged, wanted):
        pairs = zip(merged, wanted, strict=True)
        return not any(((one - other).abs() > 2e-3).any() for one, other in pairs)

    return right_on(merge, same=same)


right.mistake("turns_right_merges_away",
    {"right_on(merge)":
        "right_on(merge, same=lambda merged, wanted: all(torch.equal(one, other) for one, "
        "other in zip(merged, wanted, strict=True)))"},
    "You reject right merges. Do you ask for equality to the last bit? Or do you take the "
    "difference of two maxima that are both minus infinity? That is NaN, and NaN is not below a "
    "bound.")
right.mistake("tolerates_too_much",
    {"right_on(merge)":
        "right_on(merge, same=lambda merged, wanted: close(merged, wanted, atol=0.5))"},
    "You miss a small remainder of a part that should have vanished. The docstring says how large "
    "a mistake is at least. Where is your bound?")


@exercise.misconception(
    "You compare the output and the log-sum. Both are right even if a merge measures against a "
    "number other than the largest score: its maximum is then not that of all keys."
)
def compares_outputs_and_log_sums(merge):
    def same(merged, wanted):
        logs = ([m + t.log(), s / t.clamp(min=1e-30)[:, None]] for m, t, s in (merged, wanted))
        return close(*logs)

    return right_on(merge, same=same)


right.mistake("looks_at_the_first_query",
    {"right_on(merge)":
        "right_on(merge, same=lambda merged, wanted: close([one[:1] for one in merged], "
        "[other[:1] for other in wanted]))"},
    "You look only at the first query. Some merges are wrong for the others.")


@exercise.misconception(
    "You compare one number for all queries, such as the sum of a tensor. It does not change when "
    "two queries are exchanged."
)
def compares_sums_over_the_queries(merge):
    def same(merged, wanted):
        finite = [[x.nan_to_num(nan=1e9, neginf=-1e4).sum(0) for x in y] for y in (merged, wanted)]
        return close(*finite)

    return right_on(merge, same=same)


right.mistake("asks_for_too_many_digits",
    {"right_on(merge)":
        "right_on(merge, same=lambda merged, wanted: close(merged, wanted, 1e-5, 1e-5))"},
    "You reject a right merge that rounds. According to the docstring, how far off may a right "
    "one be?")
