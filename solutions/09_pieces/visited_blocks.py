"""Cases, oracle and variants of `visited_blocks`."""

import math

import torch
import torch.nn.functional as F

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "visited_blocks",
    points=4,
    difficulty=3,
    minutes=20,
    returns=("visited", "whole"),
    read="09_pieces.html#skipped-blocks",
)


def window(queries, keys, width):
    """A causal window."""
    apart = torch.arange(queries)[:, None] - torch.arange(keys)
    return (apart >= 0) & (apart < width)


def documents(*lengths):
    """A causal mask within each document."""
    document = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    return window(sum(lengths), sum(lengths), sum(lengths)) & (document[:, None] == document)


def blocky(rng, shape, rows, columns, block):
    """Blocks of which a third is empty, a third full, and a third has one entry unlike the rest."""
    kind = rng.integers(0, 6, *shape, rows, columns)
    filled = (kind == 1) | (kind >= 4)
    mask = filled.repeat_interleave(block, -2).repeat_interleave(block, -1)
    odd = rng.integers(0, block, *shape, rows, columns, 2)
    place = torch.arange(block)
    inside = (place[:, None] == odd[..., :1, None]) & (place == odd[..., 1:, None])
    inside = inside & (kind >= 3)[..., None, None] & (kind <= 4)[..., None, None]
    return mask ^ inside.movedim(-2, -3).flatten(-2).flatten(-3, -2)


@exercise.cases
def cases(rng):
    yield Case("the example of the text", {"mask": window(5, 5, 5), "block": 2})
    yield Case("a window", {"mask": window(12, 12, 4), "block": 3})
    yield Case("documents and a ragged edge", {"mask": documents(5, 8, 4), "block": 4})
    yield Case("one entry in a block", {"mask": blocky(rng, (), 5, 6, 3), "block": 3})
    yield Case("more keys than queries", {"mask": blocky(rng, (), 3, 7, 4)[:-1, :-2], "block": 4})
    yield Case("heads", {"mask": blocky(rng, (2, 3), 4, 5, 2)[..., :-1, :], "block": 2})
    some = torch.zeros(7, 8, dtype=torch.bool)
    some[6, 7] = some[3, 3] = True
    yield Case("nothing but two pairs", {"mask": some, "block": 3})
    yield Case("everything", {"mask": torch.ones(7, 5, dtype=torch.bool), "block": 3})


@exercise.secret_cases
def secret_cases(rng):
    size = rng.integer(3, 6)
    mask = blocky(rng, (2,), rng.integer(3, 6), rng.integer(6, 9), size)
    yield Case("blocks of another size", {"mask": mask[..., 0:, 1:], "block": size})
    yield Case("a block of one", {"mask": rng.bools(4, 6), "block": 1})
    yield Case("a block larger than the mask", {"mask": rng.bools(4, 6), "block": 9})
    yield Case("nothing", {"mask": torch.zeros(2, 1, 3, 5, 7, dtype=torch.bool), "block": 2})
    yield Case("one pair", {"mask": torch.ones(1, 1, dtype=torch.bool), "block": 1})
    large = torch.ones(128, 100, dtype=torch.bool)  # blocks of 4,096 and of 2,304 pairs
    large[3, 20] = large[64:, :64] = False
    large[90, 5] = True
    yield Case("one pair of many", {"mask": large, "block": 64})
    yield Case("a larger mask", {"mask": blocky(rng, (3,), 6, 4, 5)[..., :-3, :-1], "block": 5})


exercise.promise("True = may attend, with any number", "a window", "heads", "nothing")
exercise.promise("It need not be square.", "more keys than queries", "heads")
exercise.promise("It is not changed.", EVERY)
exercise.promise("how many queries and how many keys", "a block of one", "blocks of another size")
exercise.promise("Those at the lower", "the example of the text", "a block larger than the mask")
exercise.promise(
    "True where at least", "one entry in a block", "nothing but two pairs", "one pair of many"
)
exercise.promise(
    "True where all its queries", "documents and a ragged edge", "everything", "a larger mask"
)
exercise.promise("Both are boolean, on the device", EVERY)


@exercise.oracle
def pair_by_pair(mask, block):
    rows, columns = (math.ceil(size / block) for size in mask.shape[-2:])
    some = torch.zeros(*mask.shape[:-2], rows, columns, dtype=torch.bool)
    every = ~some
    for i in range(mask.size(-2)):
        for j in range(mask.size(-1)):
            some[..., i // block, j // block] |= mask[..., i, j]
            every[..., i // block, j // block] &= mask[..., i, j]
    return some, every


@exercise.variant
def by_pooling(mask, block):
    lead = mask.shape[:-2]
    plane = mask.reshape(-1, 1, *mask.shape[-2:]).float()
    some = F.max_pool2d(plane, block, ceil_mode=True)
    none = F.max_pool2d(1 - plane, block, ceil_mode=True)
    return tuple((x > 0.5).reshape(*lead, *x.shape[-2:]) for x in (some, 1 - none))


@exercise.variant
def by_slices(mask, block):
    def table(reduce):
        return torch.stack([
            torch.stack([reduce(part.flatten(-2)) for part in rows.split(block, -1)], -1)
            for rows in mask.split(block, -2)
        ], -2)  # fmt: skip

    return table(lambda part: part.any(-1)), table(lambda part: part.all(-1))


@exercise.variant
def by_counting(mask, block):
    """Sums over blocks, as a product with the blocks' members on either side."""

    def members(size):
        number = torch.arange(size, device=mask.device) // block
        return F.one_hot(number).double().to(mask.device)  # [size, blocks]

    left, right = members(mask.shape[-2]), members(mask.shape[-1])
    counted = left.T @ mask.double() @ right
    return counted > 0, counted == left.sum(0)[:, None] * right.sum(0)


@exercise.variant
def by_running_sums(mask, block):
    sums = F.pad(mask.long().cumsum(-1).cumsum(-2), (1, 0, 1, 0))
    ends = [
        torch.tensor([*range(0, size, block), size], device=mask.device) for size in mask.shape[-2:]
    ]
    corners = sums[..., ends[0][:, None], ends[1]]
    inside = corners.diff(dim=-1).diff(dim=-2)
    return inside.ne(0), inside.eq(ends[0].diff()[:, None] * ends[1].diff())
