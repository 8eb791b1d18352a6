"""Known mistakes of `batch_independent`."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Int
from torch import Tensor

from .batch_independent import exercise
from .comparing import near, near_where_finite  # noqa: F401


def padded_rows(
    symbols: int, empty: int = 0, rows: int = 5, width: int = 9, padded: bool = True
) -> tuple[Int[Tensor, "rows n"], Bool[Tensor, "rows n"]]:
    """Tokens and which are there: at least one of each row, all of one; then empty columns."""
    size = torch.randint(1, width + 1, (rows, 1)) if padded else torch.full((rows, 1), width)
    size[int(torch.randint(rows, ()))] = width
    tokens = F.pad(torch.randint(symbols, (rows, width)), (0, empty))
    return tokens, torch.arange(width + empty) < size


def alone(model, tokens, mask, row):
    """One row without others and without its padding."""
    size = int(mask[row].sum())
    return model(tokens[row : row + 1, :size], mask[row : row + 1, :size])[0]


@exercise.base
def right(model, symbols):
    for trial in range(10):
        tokens, mask = padded_rows(symbols, trial % 2)
        found = model(tokens, mask)
        for row in range(len(tokens)):
            if not near(alone(model, tokens, mask, row), found[row]):
                return False
    return True


# fmt: off
right.mistake("says_the_opposite",
    {"return False\n    return True": "return True\n    return False"},
    "Your function returns False for right models, and True for wrong ones. Read its name as a "
    "question: is the model independent of the batch?")
right.mistake("asks_for_equal_bits", {"near": "torch.equal"},
    "You reject right models, such as those that round. By how much may two right results differ "
    "in float32? If you compare bits, allow for that.")
right.mistake("only_permutes_rows",
    {", trial % 2": "",
     "found = model(tokens, mask)":
        "order = torch.randperm(5)\n        found = model(tokens, mask)[order]",
     "alone(model, tokens, mask, row)": "model(tokens[order], mask[order])[row]"},
    "You miss models in which all rows share something. If you only reorder the rows, a mean over "
    "the batch stays the same. Give a row other neighbours, or none.")
right.mistake("never_pads", {"trial % 2": "trial % 2, padded=False"},
    "You miss mistakes with padding. If none of your rows is padded, which tokens should the "
    "model leave out?")
right.mistake("keeps_the_padding",
    {", trial % 2": "",
     "alone(model, tokens, mask, row)": "model(tokens[row : row + 1], mask[row : row + 1])[0]"},
    "You miss models that count padding in. If a row keeps its padding when it is alone, the "
    "padding is the same in both calls. Remove it.")
right.mistake("only_changes_the_ids",
    {", trial % 2": "",
     "model(tokens, mask)":
        "model(torch.where(mask, tokens, torch.randint(symbols, (5, 9))), mask)",
     "alone(model, tokens, mask, row)": "model(tokens[row : row + 1], mask[row : row + 1])[0]"},
    "You miss models for which the amount of padding matters. If you only change the ids of "
    "padding, also change how much padding there is.")
right.mistake("tries_two_rows", {"10": "15", "trial % 2": "trial % 2, rows=2"},
    "You miss models that are wrong in larger batches. If you try two rows only, note that some "
    "defects need more of them.")
right.mistake("compares_the_first_row", {"10": "15", ", trial % 2": "", "len(tokens)": "1"},
    "You miss models that are wrong in later rows. If you compare only the first row, compare "
    "every row instead.")
right.mistake("leaves_out_the_first_row", {"10": "15", ", trial % 2": "", "len(tokens)": "1, 5"},
    "You miss models that are wrong in the first row only. If you leave that row out, or never "
    "pad it, compare every row, and pad it too.")


@exercise.misconception(
    "You miss models that treat a single row differently. If your batches all have several rows, "
    "what is the result for a row alone?"
)
def never_a_single_row(model, symbols):
    for _ in range(15):
        tokens, mask = padded_rows(symbols, rows=3)
        double = model(tokens.repeat(2, 1), mask.repeat(2, 1))
        if not near(double[:3], model(tokens, mask)) or not near(double[3:], double[:3]):
            return False
        wide = torch.cat([tokens, torch.randint(symbols, (3, 2))], dim=1)
        longer = torch.cat([mask, torch.zeros(3, 2, dtype=torch.bool)], dim=1)
        if not near(model(wide, longer), double[:3]):
            return False
    return True


right.mistake("compares_rows_with_each_other",
    {"alone(model, tokens, mask, row)": "found[row - 1]"},
    "You reject every model, or nearly every one. If you compare a row with its neighbour, note "
    "that a row with other tokens may have another result. Compare it with itself, alone.")
right.mistake("stumbles_over_infinity",
    {"near(alone(model, tokens, mask, row), found[row])":
        "(alone(model, tokens, mask, row) - found[row]).abs().max() < 1e-3"},
    "You reject a model in which one feature is minus infinity. Minus infinity minus minus "
    "infinity is NaN, and no comparison with NaN is True.")
right.mistake("allows_too_much", {"found[row]": "found[row], 0.12"},
    "Your bound is too wide. The text says how small rounding is and how large a mistake is. Put "
    "your bound between the two.")


@exercise.misconception(
    "You accept every model. If you look at the shape, or at whether the numbers are finite, note "
    "that neither says what a row depends on."
)
def looks_at_the_shape(model, symbols):
    tokens, mask = padded_rows(symbols)
    found = model(tokens, mask)
    return found.dim() == 2 and len(found) == 5 and not bool(found.isnan().any())


right.mistake("pads_all_rows_alike",
    {"trial % 2": "width=int(torch.randint(5, 11, ()))",
     "found =": "mask[:] = torch.arange(mask.size(1)) < mask.size(1) - 2\n        found ="},
    "You miss models that treat padding differently in some rows. If all your rows have the same "
    "length, note that a row shorter than its neighbours has padding that it would not have alone.")
right.mistake("pads_to_the_longest", {", trial % 2": ""},
    "You miss models that are affected by a column of padding in all rows. If your batches are "
    "exactly as wide as their longest text, note that there may be columns without any True.")
right.mistake("tries_short_rows", {"trial % 2": "1, width=4"},
    "You miss mistakes that only long texts show. The text of the exercise says how many tokens "
    "are needed. Do yours have as many?")
right.mistake("always_adds_a_column", {"trial % 2": "1"},
    "You miss models that are wrong for a batch without an empty column. If you always add one, "
    "pad to the longest text, too.")
right.mistake("pads_with_one_token",
    {"found =": "tokens = tokens.masked_fill(~mask, 1)\n        found ="},
    "You miss models that depend on which token fills the padding. If all your padding holds the "
    "same token, note that any token may be there, not only the usual padding token.")
right.mistake("compares_what_is_finite", {"near": "near_where_finite"},
    "You leave out an entry that is minus infinity in one call only. Leave out only entries that "
    "are infinite in both.")
right.mistake("compares_the_sum",
    {"alone(model, tokens, mask, row), found[row]":
        "alone(model, tokens, mask, row).sum(), found[row].sum()"},
    "You miss models in which only one entry of a row changes. If you compare one entry, or a sum "
    "of all, compare every entry instead.")
