"""Cases, oracle and variants of `merge`."""

import math

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise, Finite

exercise = Exercise(
    "merge",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("maximum", "total", "summed"),
    read="09_pieces.html#merging-two-pieces",
    properties=(Finite(),),
)


def part(rng, shape, d_v, keys, level=0.0, dtype=torch.float32):
    """Maximum, total and summed of some keys, for each query; level is a number or a tensor."""
    scores = rng.normal(*shape, keys, dtype=torch.float64)
    value = rng.normal(*shape, keys, d_v, dtype=torch.float64)
    shares = (scores - scores.amax(-1, keepdim=True)).exp()
    summed = (shares[..., None] * value).sum(-2)
    return [x.to(dtype) for x in (scores.amax(-1) + level, shares.sum(-1), summed)]


def without(three, queries):
    """The same, but empty for some queries."""
    maximum, total, summed = three
    maximum = maximum.masked_fill(queries, -math.inf)
    return [maximum, total.masked_fill(queries, 0), summed.masked_fill(queries[..., None], 0)]


def both(first, second):
    names = ("maximum", "total", "summed")
    numbered = zip((1, 2), (first, second), strict=True)
    return {f"{name}_{i}": x for i, three in numbered
            for name, x in zip(names, three, strict=True)}  # fmt: skip


def example():
    rows = ([1.0], [1.0], [[6.0]]), ([3.0], [2.0], [[6.0]])
    return both(*([torch.tensor(x) for x in three] for three in rows))


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("one axis", both(part(rng, (5,), 3, 4), part(rng, (5,), 3, 2)))
    shape, level = (2, 3, 5), rng.normal(2, 3, 5).double() * 3
    yield Case("heads", both(part(rng, shape, 4, 6, level), part(rng, shape, 4, 3, -level)))
    first, second = part(rng, shape, 4, 3), part(rng, shape, 4, 6)
    some, other = torch.arange(5) % 3 == 1, torch.arange(5) % 3 == 2
    yield Case("parts that are empty", both(without(first, some), without(second, other)))
    yield Case("both are empty", both(without(first, some | other), without(second, some)))
    level = torch.tensor([30000.0, -30000, 29990, -29990, 0])
    far = part(rng, (3, 5), 2, 4, level), part(rng, (3, 5), 2, 4, level.roll(1) / 2)
    yield Case("large scores", both(*far))
    first, second = part(rng, (3, 5), 2, 4, level), part(rng, (3, 5), 2, 4, level)
    row = torch.arange(3)[:, None].expand(3, 5)
    far = without(first, row == 1), without(second, row == 2)
    yield Case("large scores in both parts", both(*far))
    first, second = part(rng, (4,), 3, 5), part(rng, (4,), 3, 2)
    yield Case("equal maxima", both(first, [first[0], *second[1:]]))


@exercise.secret_cases
def secret_cases(rng):
    queries, d_v = rng.integer(4, 7), rng.integer(7, 10)
    levels = (9 * rng.normal(2, queries).double() for _ in range(2))
    wide = (part(rng, (2, queries), d_v, 3, level, torch.float64) for level in levels)
    yield Case("float64", both(*wide))
    nothing = torch.ones(3, dtype=torch.bool)
    yield Case("nothing at all", both(*(without(part(rng, (3,), 2, 4), nothing) for _ in range(2))))
    square = part(rng, (4, 4), 4, 5), part(rng, (4, 4), 4, 3)
    yield Case("as many queries as features", both(*square))
    below = (part(rng, (queries,), d_v, n, -300) for n in (3, 8))
    yield Case("all scores are far below 0", both(*below))
    # the rounding of a single number is measured by itself, so its terms must not cancel
    one, other = (
        [*sums, summed.abs()] for *sums, summed in (part(rng, (1,), 1, n) for n in (2, 3))
    )
    yield Case("one query", both(one, other))


exercise.promise("the largest score of each query", "heads", "parts that are empty")
exercise.promise("Finite ones lie between", "large scores", "large scores in both parts")
exercise.promise("the sum of exp(score - maximum); 0", "heads", "parts that are empty")
exercise.promise("the sum of exp(score - maximum) *", "heads", "parts that are empty")
exercise.promise("All six are float32", "one axis", "heads", "float64")
exercise.promise("They are not changed.", EVERY)
exercise.promise(
    "maximum, total and summed", "the example of the text", "both are empty", "nothing at all"
)
exercise.promise("Nothing is NaN.", "parts that are empty", "both are empty", "nothing at all")
exercise.promise("They need not carry", UNTRIED)


@exercise.oracle
def as_two_keys(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    """Each part as one key: its score is the log-sum, its value the output."""
    summed = torch.stack([summed_1, summed_2], -2)
    totals = torch.stack([total_1, total_2], -1)
    scores = torch.stack([maximum_1, maximum_2], -1) + totals.log()
    value = torch.where(totals[..., None] > 0, summed / totals[..., None], 0.0)
    highest = torch.stack([maximum_1, maximum_2], -1).amax(-1)
    total = torch.where(highest.isinf(), 0.0, (scores.logsumexp(-1) - highest).exp())
    weights = torch.where(totals.sum(-1, keepdim=True) > 0, scores.softmax(-1), 0.0)
    return highest, total, total[..., None] * torch.einsum("...p,...pv->...v", weights, value)


@exercise.variant
def nan_means_nothing(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    new = maximum_1.max(maximum_2)
    factors = [torch.nan_to_num(torch.exp(old - new), nan=0.0) for old in (maximum_1, maximum_2)]
    total = factors[0] * total_1 + factors[1] * total_2
    summed = factors[0].unsqueeze(-1) * summed_1 + factors[1].unsqueeze(-1) * summed_2
    return new, total, summed


@exercise.variant
def by_the_smaller_one(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    """The part with the larger maximum stays as it is, the other one shrinks."""
    swap = maximum_2 > maximum_1
    large, small = torch.where(swap, maximum_2, maximum_1), torch.where(swap, maximum_1, maximum_2)
    shrink = torch.where(small == -torch.inf, 0.0, torch.exp(small - large))
    sums = torch.where(swap, total_2 + shrink * total_1, total_1 + shrink * total_2)
    keep_1 = torch.where(swap, shrink, torch.ones_like(shrink))[..., None]
    keep_2 = torch.where(swap, torch.ones_like(shrink), shrink)[..., None]
    return large, sums, summed_1 * keep_1 + keep_2 * summed_2


@exercise.variant
def stacked_parts(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    maxima = torch.stack((maximum_1, maximum_2))  # [2, ...]
    best = maxima.max(dim=0).values
    decay = (maxima - best.clamp_min(-1e30)).exp()
    joined = torch.cat([torch.stack((total_1, total_2))[..., None],
                        torch.stack((summed_1, summed_2))], dim=-1)  # fmt: skip
    joined = (joined * decay.unsqueeze(-1)).sum(dim=0)
    return [best, joined[..., 0], joined[..., 1:]]


@exercise.variant
def query_by_query(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    m, n = maximum_1.flatten().tolist(), maximum_2.flatten().tolist()
    tops = [max(pair) for pair in zip(m, n, strict=True)]
    a = [0.0 if one == -math.inf else math.exp(one - top) for one, top in zip(m, tops, strict=True)]
    b = [0.0 if one == -math.inf else math.exp(one - top) for one, top in zip(n, tops, strict=True)]
    like = {"dtype": maximum_1.dtype, "device": maximum_1.device}
    old, new, top = (torch.tensor(x, **like).view(maximum_1.shape) for x in (a, b, tops))
    summed = torch.einsum("...,...v->...v", old, summed_1)
    return (
        top,
        torch.addcmul(total_1 * old, total_2, new),
        summed + torch.einsum("...,...v->...v", new, summed_2),
    )
