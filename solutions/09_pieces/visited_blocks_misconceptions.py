"""Known mistakes of `visited_blocks`."""

import math  # noqa: F401

import torch
import torch.nn.functional as F
from jaxtyping import Bool
from torch import Tensor

from .visited_blocks import exercise


def blocks(
    mask: Bool[Tensor, "... queries keys"], block: int, padding: bool
) -> Bool[Tensor, "... rows columns block block"]:
    """The mask in blocks, padded to full ones."""
    missing = (0, -mask.size(-1) % block, 0, -mask.size(-2) % block)
    padded = F.pad(mask, missing, value=padding)
    return padded.unflatten(-1, (-1, block)).unflatten(-3, (-1, block)).movedim(-3, -2)


def some(mask, block, padding=False):
    return blocks(mask, block, padding).flatten(-2).any(-1)


def every(mask, block, padding=True):
    return blocks(mask, block, padding).flatten(-2).all(-1)


@exercise.base
def right(mask, block):
    return some(mask, block), every(mask, block)


# fmt: off
right.mistake("visits_everything", {"some(mask, block)": "torch.ones_like(some(mask, block))"},
    "You visit every block, including those in which no query may attend to anything. Which "
    "entries of a block does your function look at?")


@exercise.misconception(
    "You look at the corners of a block. A window can run through its middle, and a single "
    "allowed pair can be anywhere."
)
def looks_at_the_corners(mask, block):
    rows = [range(0, mask.size(-2), block), range(0, mask.size(-1), block)]
    ends = [[min(x + block, n) - 1 for x in r] for r, n in zip(rows, mask.shape[-2:], strict=True)]
    at = [
        mask[..., torch.tensor(i)[:, None], torch.tensor(j)]
        for i in (list(rows[0]), ends[0]) for j in (list(rows[1]), ends[1])
    ]  # fmt: skip
    corners = torch.stack(at)
    return corners.any(0), corners.all(0)


right.mistake("looks_at_the_first_pair",
    {"return some(mask, block), every(mask, block)":
        "first = mask[..., ::block, ::block]\n    return first, first"},
    "You look at the first pair of each block. In a block on the diagonal of a causal mask, which "
    "pair is allowed last?")


@exercise.misconception(
    "Blocks at the lower or right edge are missing where `block` does not divide the length. How "
    "many blocks of 2 do you need to cover 5 positions?"
)
def drops_the_ragged_edge(mask, block):
    rows, columns = (max(size // block, 1) * block for size in mask.shape[-2:])
    inner = mask[..., :rows, :columns]
    return some(inner, block), every(inner, block)


right.mistake("counts_the_padding_as_masked",
    {"every(mask, block)": "every(mask, block, padding=False)"},
    "In your result no block at a ragged edge is whole. The padding of your mask is False. Does "
    "it belong to the block?")
right.mistake("counts_the_padding_as_allowed", {"block),": "block, padding=True),"},
    "In your result every block at a ragged edge is visited. The padding of your mask is True. "
    "Does it belong to the block?")
right.mistake("reads_the_mask_the_other_way_round",
    {"mask, block), every(": "~mask, block), every(~"},
    "You visit the blocks that should be skipped, and the reverse: you read True as forbidden. In "
    "this course True means \"may attend\".")
right.mistake("visits_whole_blocks_only", {"some": "every"},
    "A block counts as visited only if all of its pairs are allowed. One allowed pair is enough: "
    "the block then has to be computed.")
right.mistake("takes_visited_for_whole", {"every": "some"},
    "Each visited block counts as whole. In which blocks of a causal mask does the mask have to "
    "be applied?")
right.mistake("exchanges_rows_and_columns", {", every(mask, block)": ".mT, every(mask, block).mT"},
    "Rows and columns of your blocks are exchanged. Rows are blocks of queries, and columns are "
    "blocks of keys.")
right.mistake("takes_the_size_for_the_number",
    {"return some(mask, block), every(mask, block)":
        "size = max(math.ceil(mask.size(-1) / block), 1)\n"
        "    return some(mask, size), every(mask, size)"},
    "`block` is the number of positions in a block, but you cut each axis into that many blocks.")


@exercise.misconception(
    "You assume a causal mask, with blocks on and below the diagonal. The mask may be any other: "
    "a window, documents, padding."
)
def assumes_a_causal_mask(mask, block):
    shape = some(mask, block)
    return torch.ones_like(shape).tril(), torch.ones_like(shape).tril(-1)


@exercise.misconception(
    "All heads and sequences get the same blocks. Each mask along the leading axes has its own "
    "blocks."
)
def shares_the_blocks(mask, block):
    found = [some(mask, block), every(mask, block)]
    while mask.dim() > 2 and found[0].dim() > 2:
        found = [found[0].any(0), found[1].all(0)]
    return tuple(x.expand(*mask.shape[:-2], *x.shape) for x in found)


right.mistake("returns_numbers", {", every(mask, block)": ".float(), every(mask, block).float()"},
    "The numbers are right, but they are not boolean. A comparison, `any` and `all` return "
    "booleans.")
right.mistake("leaves_whole_blocks_out", {", every": "& ~every(mask, block), every"},
    "You do not visit the blocks that are whole. They need no mask, but their scores still have "
    "to be computed.")
right.mistake("returns_the_blocks_with_a_mask", {"every": "some(mask, block) & ~every"},
    "The second result holds the blocks that need the mask. The exercise asks for those that do "
    "not, in which every pair is allowed.")
right.mistake("returns_the_skipped_blocks", {"some": "~some"},
    "The first result holds the blocks that can be skipped. The exercise asks for those that have "
    "to be visited.")


@exercise.misconception(
    "Large blocks come out wrong. If you count pairs, how far does your dtype count without gaps, "
    "and what comes after 255 in uint8?"
)
def counts_in_8_bits(mask, block):
    pairs = blocks(mask, block, padding=False).flatten(-2).sum(-1, dtype=torch.uint8)
    there = blocks(torch.ones_like(mask), block, padding=False).flatten(-2)
    return pairs > 0, pairs == there.sum(-1, dtype=torch.uint8)


@exercise.misconception(
    "Your blocks are pieces of consecutive rows, not squares. After `reshape` to (rows, block, "
    "columns, block), which axes belong to one block, and where are they?"
)
def reshapes_without_moving_axes(mask, block):
    missing = (0, -mask.size(-1) % block, 0, -mask.size(-2) % block)
    inner, full = (F.pad(mask, missing, value=padding) for padding in (False, True))
    shape = *mask.shape[:-2], inner.size(-2) // block, inner.size(-1) // block, block * block
    return inner.reshape(shape).any(-1), full.reshape(shape).all(-1)


@exercise.misconception(
    "In your result the narrower blocks come first. They should be at the lower and the right "
    "edge: `F.pad` takes the amount before an axis first, then the amount after it."
)
def pads_in_front(mask, block):
    missing = (-mask.size(-1) % block, 0, -mask.size(-2) % block, 0)
    inner, full = (F.pad(mask, missing, value=padding) for padding in (False, True))
    return (blocks(inner, block, padding=False).flatten(-2).any(-1),
            blocks(full, block, padding=True).flatten(-2).all(-1))  # fmt: skip


@exercise.misconception(
    "The first mask along the leading axes decides for all of them. Each head and each sequence "
    "has its own blocks."
)
def takes_the_first_mask_for_all(mask, block):
    first = mask.flatten(0, -3)[0] if mask.dim() > 2 else mask
    found = some(first, block), every(first, block)
    return tuple(x.expand(*mask.shape[:-2], *x.shape) for x in found)


right.mistake("takes_half_for_the_whole",
    {"every(mask, block)":
        "2 * blocks(mask, block, padding=False).flatten(-2).sum(-1) >= block * block"},
    "A block counts as whole where at least half of it is allowed. A whole block needs no mask. "
    "How many of its pairs may be forbidden?")
