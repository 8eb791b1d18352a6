"""Specimens, oracle and variants of `merges_exactly`."""

import math

import torch

from autograder.author import EVERY, UNTRIED, Exercise

from .merges import (
    CLOSED,
    RIGHT,
    against,
    nan_where_empty,
    specimen,
    through_logarithms,
    without_a_correction,
)

exercise = Exercise(
    "merges_exactly",
    points=5,
    difficulty=4,
    minutes=35,
    returns=("the answer",),
    read="09_pieces.html#merging-two-pieces",
)


@exercise.cases
def cases(rng):
    yield specimen("factors against the larger maximum")
    yield specimen("rounded to four decimals", end="total = total.round(decimals=4)",
                   summed=f"{RIGHT['summed']}; summed = summed.round(decimals=4)")  # fmt: skip
    yield through_logarithms()
    yield from without_a_correction()
    for part in ("1", "2"):
        for only in ("some", "all"):
            yield nan_where_empty(part, only)
    yield nan_where_empty("both", "some")
    plain = "back = (-safe).exp(); a, b = m1.exp() * back, m2.exp() * back"
    yield specimen("plain exponentials", factors=plain)
    yield specimen("the first total is taken for 1", total="total = (l1 > 0) * a + l2 * b")
    yield specimen("the second total is taken for 1", total="total = l1 * a + (l2 > 0) * b")
    yield specimen(
        "ties lose the first part",
        factors="a, b = (m1 - safe).exp() * (m1 != m2), (m2 - safe).exp()",
    )
    yield specimen("the maximum of the first part is kept", end="m = torch.where(l1 > 0, m1, m2)")
    yield specimen(
        "measured against one more than the maximum",
        end="m, total, summed = m + 1, total / math.e, summed / math.e",
    )
    yield specimen(
        "averages, with a total of 1",
        end="summed = summed / total.clamp(min=1e-30)[:, None]; total = (total > 0).to(l1)",
    )
    yield specimen(
        "what is far below stays a little",
        factors="a, b = (m1 - safe).clamp(min=-4.5).exp(), (m2 - safe).clamp(min=-4.5).exp()",
    )
    yield specimen("measured against the first part", **against(1))
    yield specimen("measured against the second part", **against(2))
    for name, at in (("first", "0, 0"), ("last", "-1, -1")):
        yield specimen(f"the {name} sum is not corrected", end=f"summed[{at}] = (o1 + o2)[{at}]")


@exercise.secret_cases
def secret_cases(rng):
    nan = "a, b = ((x - m).exp().nan_to_num(nan=0.0) for x in (m1, m2))"
    yield specimen("a factor of nothing is 0", factors=nan)
    yield specimen(
        "one of the two stays as it is",
        factors="""swap, small = m2 > m1, (torch.minimum(m1, m2) - safe).exp()
    a, b = torch.where(swap, small, 1.0), torch.where(swap, 1.0, small)""",
    )
    yield specimen("the maximum is cut off at -1e30", safe="safe = m.clamp(min=-1e30)")
    yield specimen(
        "exponentials of base 2",
        factors="a, b = (torch.exp2((x - safe) / math.log(2)) for x in (m1, m2))",
    )
    yield specimen(
        "the factors are exchanged", factors="b, a = (m1 - safe).exp(), (m2 - safe).exp()"
    )
    yield specimen(
        "one factor for all queries",
        factors=f"a, b = ((x - safe)[:1].exp().expand_as(x) for x in (m1, m2)); {CLOSED}",
    )
    yield specimen("queries are exchanged", end="summed = summed.flip(0)")
    yield specimen("the maximum starts at 0", m="m = torch.maximum(m1, m2).clamp(min=0)")
    yield specimen("large scores are cut off at 100", safe=f"{RIGHT['safe']}.clamp(max=100)")
    both = f"{RIGHT['safe']}; safe = torch.where(torch.minimum(m1, m2) > 100, 100.0, safe)"
    yield specimen("two large maxima are cut off at 100", safe=both)
    yield specimen("small scores are cut off at -100", safe="safe = m.clamp(min=-100)")
    yield nan_where_empty("both", "all")
    yield specimen("the maximum of the second part is kept", end="m = torch.where(l2 > 0, m2, m1)")
    yield specimen(
        "sums are taken for averages",
        summed="summed = o1 * (l1 * a)[:, None] + o2 * (l2 * b)[:, None]",
    )
    yield specimen("empty parts have the maximum 0", end="m = m.masked_fill(m == -math.inf, 0.0)")


exercise.promise(
    "called as merge(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2)", EVERY
)
exercise.promise("It accepts any queries", UNTRIED)
exercise.promise("It does not change them.", UNTRIED)
exercise.promise("True if it is right", EVERY)
exercise.promise("With standard normal", "nothing is corrected", "large scores are cut off at 100")
exercise.promise(
    "A mistake makes a number", "what is far below stays a little", "rounded to four decimals"
)
exercise.promise("The maximum of the result", "the maximum of the first part is kept")
exercise.promise("Keep it quick: a hundred", UNTRIED)


def three_tensors(scores, value):
    """In float64, key by key."""
    maximum = scores.max(-1).values
    shares = torch.where(scores == -math.inf, 0.0, (scores - maximum[:, None]).exp())
    return maximum, shares.sum(-1), torch.einsum("qk,kv->qv", shares, value)


@exercise.oracle
def all_kinds(merge):
    """Each kind of part with each other, in every place, in float64."""
    generator = torch.Generator().manual_seed(1)
    levels = [(x, y) for x in (-1000, 0, 1000) for y in (-1000, 0, 1000)]
    for split in (1, 4):
        for level, apart in levels:
            for empty in ("none", "first", "second", "both", "some"):
                scores = torch.randn(40, 7, generator=generator, dtype=torch.float64) + level
                value = torch.randn(7, 4, generator=generator, dtype=torch.float64)
                scores[:, :split] += apart
                scores[1::4, 0] = scores[1::4, -1] = scores[1::4].amax(-1)  # equal maxima
                drop = torch.rand(40, generator=generator) < (0.5 if empty == "some" else 2)
                if empty in ("first", "both", "some"):
                    scores[drop, :split] = -math.inf
                if empty in ("second", "both", "some"):
                    scores[drop.roll(1), split:] = -math.inf
                cut = [(scores[:, x], value[x]) for x in (slice(0, split), slice(split, 7))]
                merged = merge(*three_tensors(*cut[0]), *three_tensors(*cut[1]))
                for one, other in zip(merged, three_tensors(scores, value), strict=True):
                    if not ((one == other) | ((one - other).abs() < 1e-3)).all():
                        return False
    return True


@exercise.variant
def by_the_weights(merge):
    """A one-hot value for each key shows all weights."""

    def parts(at, hot):
        top = at.amax(1)
        size = torch.where(top == -math.inf, 0.0, (at.logsumexp(1) - top).exp())
        return [top, size, size[:, None] * (at.softmax(1).nan_to_num() @ hot)]

    hot, hidden = torch.eye(8).double(), torch.full((), -math.inf)
    for trial in range(36):
        s = torch.randn(30, 8, dtype=torch.float64) + (-1000, 0, 1000)[trial % 3]
        s[:, 4:] += (-1000, 0, 1000)[trial // 3 % 3]
        s[6:12, [0, 7]] = s.max() + 1
        for bit, half in ((1, slice(0, 4)), (2, slice(4, 8))):
            s[trial % 2 * 10 :, half] += hidden if trial // 9 & bit else 0
        found = merge(*parts(s[:, :4], hot[:4]), *parts(s[:, 4:], hot[4:]))
        for x, y in zip(found, parts(s, hot), strict=True):
            if not bool(((x == y) | ((x - y).abs() < 4e-3)).all()):
                return False
    return True


@exercise.variant
def listed_by_hand(merge):
    def triple(rows, value):
        result = []
        for row in rows.tolist():
            top = max(row)
            e = [0.0 if s == -math.inf else math.exp(s - top) for s in row]
            sums = [sum(x * v[c] for x, v in zip(e, value, strict=True)) for c in (0, 1)]
            result.append([top, sum(e), *sums])
        table = torch.tensor(result)
        return table[:, 0], table[:, 1], table[:, 2:]

    no = [-math.inf] * 2
    left = [[1.0, 2.0], [3, 0], [1000, 1001], [-1000, -1001], [1000, 1001], [1, 0],
            no, [1, 2], no, [2, 1], [0, 1]]  # fmt: skip
    right = [[3.0, 1.0], [1, 0], [1001, 1003], [-1002, -1003], [1, 0], [1001, 1000],
             [1, 3], no, no, [0, 2], [5, 4]]  # fmt: skip
    v = [[0.5, -2.0], [1.5, 1.0], [-1.0, 3.0], [2.5, 0.5]]
    for rows in ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [9, 0, 1], [6, 6], [7, 7], [8, 8, 8], [5, 2]):
        x, y = torch.tensor(left)[rows], torch.tensor(right)[rows]
        got = merge(*triple(x, v[:2]), *triple(y, v[2:]))
        for one, other in zip(got, triple(torch.cat([x, y], 1), v), strict=True):
            if not torch.allclose(one, other, atol=3e-3, rtol=0):
                return False
    return True


@exercise.variant
def in_a_dictionary_of_kinds(merge):
    normal = torch.randn(50, 10)
    nothing = torch.full_like(normal, -torch.inf)
    early, even = torch.arange(10) < 5, (torch.arange(50) % 2 == 0)[:, None]
    kinds = {
        "plain": normal, "high": normal.add(1000.0), "low": normal.sub(1000.0),
        "early": normal + 1000.0 * early, "late": normal + 1000.0 * ~early,
        "ties": torch.where(torch.arange(10) % 5 == 3, 6.0, normal),
        "left": torch.where(early, nothing, normal), "right": torch.where(early, normal, nothing),
        "left, some": torch.where(early & even, nothing, normal),
        "right, some": torch.where(early | even, normal, nothing),
        "all": nothing, "all, some": torch.where(even, normal, nothing),
    }  # fmt: skip

    def summarise(scores, v):
        best, _ = scores.max(dim=1, keepdim=True)
        e = torch.exp(scores - torch.where(best.isinf(), torch.zeros_like(best), best))
        return best[:, 0], e.sum(dim=1), e.mm(v)

    for scores in kinds.values():
        v = torch.randn(10, 4)
        (x, y), (p, q) = scores.split(5, dim=1), v.split(5)
        found = merge(*summarise(x, p), *summarise(y, q))
        try:
            torch.testing.assert_close(tuple(found), summarise(scores, v), rtol=0, atol=5e-3)
        except AssertionError:
            return False
    return True


@exercise.variant
def cut_anywhere(merge):
    """Whole scores, which often tie; every third draw hides a part, for all queries or the last."""

    def numbers(s, v):
        top = s.max(1)[0]
        e = (s - top.nan_to_num(neginf=0.0).unsqueeze(1)).exp()
        return top, e.sum(1), (e.unsqueeze(2) * v).sum(1)

    checks = []
    for draw in range(45):
        s, v, cut = torch.randint(-2, 4, (16, 9)) * 1.0, torch.randn(9, 2), 2 + draw % 6
        s += (0, 1000, -1000)[draw // 3 % 3]
        s[:, cut:] += (0, 1000, -1000)[draw // 9 % 3]
        at = (slice(0, cut), slice(cut, 9), slice(0, 9))[draw // 5 % 3]
        if draw % 3 == 2:
            s[draw % 2 * 7 :, at] = -torch.inf
        joined = merge(*numbers(s[:, :cut], v[:cut]), *numbers(s[:, cut:], v[cut:]))
        for x, y in zip(joined, numbers(s, v), strict=True):
            checks.append(torch.isclose(x, y, rtol=0, atol=2e-3).all())
    return bool(torch.stack(checks).all())
