"""Known mistakes of `merges_exactly` in how results are compared."""

import torch

from .merges_exactly import exercise
from .merges_exactly_parts import close, drawn, kinds_but, right_on, three


@exercise.misconception(
    "Your function says False where the merge is right, and True where it is not. Read its "
    "name as a question: does it merge exactly?"
)
def answers_the_opposite(merge):
    return not right_on(merge)


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
    for kind in kinds_but():
        scores, value = drawn(kind, 24, 2), torch.randn(6, 3)
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
    "You turn right merges away. Do you ask for equality to the last bit? Or do you take "
    "the difference of two maxima that are both minus infinity? That is NaN, and NaN is not "
    "below a bound."
)
def turns_right_merges_away(merge):
    def same(merged, wanted):
        return all(torch.equal(one, other) for one, other in zip(merged, wanted, strict=True))

    return right_on(merge, same=same)


@exercise.misconception(
    "You miss a small share of a part that should have vanished. The docstring says how large "
    "the change of a mistake is at least: where is your bound?"
)
def tolerates_too_much(merge):
    def same(merged, wanted):
        pairs = zip(merged, wanted, strict=True)
        return all(torch.allclose(one, other, rtol=0, atol=0.5) for one, other in pairs)

    return right_on(merge, same=same)


@exercise.misconception(
    "You compare the output and the log-sum. Both are right of a merge that measures against more "
    "than the largest score, or less: its maximum is not that of all keys."
)
def compares_outputs_and_log_sums(merge):
    def same(merged, wanted):
        pairs = zip(*([m + t.log(), s / t.clamp(min=1e-30)[:, None]] for m, t, s in
                      (merged, wanted)), strict=True)  # fmt: skip
        return all(torch.allclose(one, other, rtol=0, atol=2e-3) for one, other in pairs)

    return right_on(merge, same=same)


@exercise.misconception("You look at the first query only. Some merges are wrong for the others.")
def looks_at_the_first_query(merge):
    def same(merged, wanted):
        return close([one[:1] for one in merged], [other[:1] for other in wanted])

    return right_on(merge, same=same)


@exercise.misconception(
    "You compare one number for all queries, as the sum of a tensor. Two queries that are "
    "exchanged do not change it."
)
def compares_sums_over_the_queries(merge):
    def same(merged, wanted):
        finite = [[x.nan_to_num(nan=1e9, neginf=-1e4).sum(0) for x in y] for y in (merged, wanted)]
        return close(*finite)

    return right_on(merge, same=same)


@exercise.misconception(
    "You turn a right merge away that rounds. How far off may a right one be, as the docstring "
    "says?"
)
def asks_for_too_many_digits(merge):
    def same(merged, wanted):
        pairs = zip(merged, wanted, strict=True)
        return all(torch.allclose(one, other, rtol=1e-5, atol=1e-5) for one, other in pairs)

    return right_on(merge, same=same)
