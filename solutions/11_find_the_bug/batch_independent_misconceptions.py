"""Known mistakes of `batch_independent`."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from .batch_independent import exercise
from .comparing import near


def padded_rows(
    symbols: int, rows: int = 5, width: int = 9, padded: bool = True
) -> tuple[Int[Tensor, "rows width"], Bool[Tensor, "rows width"]]:
    """Tokens and which of them are there: of each row at least one, of one row all."""
    size = torch.randint(1, width + 1, (rows, 1)) if padded else torch.full((rows, 1), width)
    size[int(torch.randint(rows, ()))] = width
    return torch.randint(symbols, (rows, width)), torch.arange(width) < size


def alone(model, tokens, mask, row):
    """One row without others and without its padding."""
    size = int(mask[row].sum())
    return model(tokens[row : row + 1, :size], mask[row : row + 1, :size])[0]


def widened(tokens, mask):
    """One more column, without any True."""
    empty = torch.zeros_like(tokens[:, :1])
    return torch.cat([tokens, empty], dim=1), torch.cat([mask, empty > 0], dim=1)


def right_on_rows(model, symbols, same=near, trials=10, empty=True, **how):
    for trial in range(trials):
        tokens, mask = padded_rows(symbols, **how)
        if empty and trial % 2:
            tokens, mask = widened(tokens, mask)
        found = model(tokens, mask)
        for row in range(len(tokens)):
            if not same(alone(model, tokens, mask, row), found[row]):
                return False
    return True


@exercise.base
def right(model, symbols):
    return right_on_rows(model, symbols)


@exercise.base
def row_by_row(model, symbols):
    for _ in range(10):
        tokens, mask = widened(*padded_rows(symbols))
        found = model(tokens, mask)
        if not all(near(alone(model, tokens, mask, row), found[row]) for row in range(5)):
            return False
    return True


# fmt: off
right.mistake("says_the_opposite", {"return": "return not"},
    "Your function says False where all is well, and True where it is not. Read its name as a "
    "question: is it independent of the batch?")
right.mistake("asks_for_equal_bits",
    {"right_on_rows(model, symbols)": "right_on_rows(model, symbols, same=torch.equal)"},
    "You turn away right models, such as those that round. By how much may two right results "
    "differ in float32? If you compare bits: allow for that.")


@exercise.misconception(
    "You miss models in which all rows share something. If you only put the rows in another "
    "order: a mean over the batch does not mind. Give a row other neighbours, or none."
)
def only_permutes_rows(model, symbols):
    for _ in range(8):
        tokens, mask = padded_rows(symbols)
        order = torch.randperm(5)
        if not near(model(tokens[order], mask[order]), model(tokens, mask)[order]):
            return False
    return True


right.mistake("never_pads",
    {"right_on_rows(model, symbols)": "right_on_rows(model, symbols, padded=False)"},
    "You miss mistakes with padding. If no row of yours is padded: which tokens should the model "
    "leave out?")


@exercise.misconception(
    "You miss models that count padding in. If a row keeps its padding when it is alone, the "
    "padding changes nothing between the two calls: take it off."
)
def keeps_the_padding(model, symbols):
    for _ in range(10):
        tokens, mask = padded_rows(symbols)
        found = model(tokens, mask)
        for row in range(5):
            if not near(model(tokens[row : row + 1], mask[row : row + 1])[0], found[row]):
                return False
    return True


@exercise.misconception(
    "You miss models for which the number of padded places counts. If you only change the ids "
    "of padding: change how much of it there is."
)
def only_changes_the_ids(model, symbols):
    for _ in range(10):
        tokens, mask = padded_rows(symbols)
        other = torch.where(mask, tokens, torch.randint(symbols, tokens.shape))
        if not near(model(other, mask), model(tokens, mask)):
            return False
        for row in range(5):
            if not near(
                model(tokens[row : row + 1], mask[row : row + 1])[0], model(tokens, mask)[row]
            ):
                return False
    return True


right.mistake("tries_two_rows",
    {"right_on_rows(model, symbols)": "right_on_rows(model, symbols, rows=2, trials=15)"},
    "You miss models that are wrong in larger batches. If you try two rows only: some defects need "
    "more of them.")


@exercise.misconception(
    "You miss models that are wrong in later rows. If you compare the first row only: compare each."
)
def compares_the_first_row(model, symbols):
    for _ in range(15):
        tokens, mask = padded_rows(symbols)
        if not near(alone(model, tokens, mask, 0), model(tokens, mask)[0]):
            return False
    return True


@exercise.misconception(
    "You miss models that are wrong in the first row only. If that one is left out, or is never "
    "padded: compare each row."
)
def leaves_out_the_first_row(model, symbols):
    for _ in range(15):
        tokens, mask = padded_rows(symbols)
        found = model(tokens, mask)
        for row in range(1, 5):
            if not near(alone(model, tokens, mask, row), found[row]):
                return False
    return True


@exercise.misconception(
    "You miss models that treat a single row in another way. If your batches all have several "
    "rows: what is the answer for a row alone?"
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
    {"return right_on_rows(model, symbols)":
        "found = model(*padded_rows(symbols))\n    return near(found[1:], found[:-1])"},
    "You turn away every model, or nearly. If you compare a row with its neighbour: a row that has "
    "other tokens may have another result. Compare it with itself, alone.")
right.mistake("stumbles_over_infinity",
    {"right_on_rows(model, symbols)":
        "right_on_rows(model, symbols, same=lambda one, other: bool((one - "
        "other).abs().max() < 1e-3))"},
    "You turn away a model one of whose features is minus infinity. Minus infinity less minus "
    "infinity is NaN, and no comparison with NaN is True.")
right.mistake("allows_too_much",
    {"right_on_rows(model, symbols)":
        "right_on_rows(model, symbols, same=lambda one, other: near(one, other, 0.12))"},
    "You allow too much. The text says how small rounding is and how large a mistake: put your "
    "bound between the two.")


@exercise.misconception(
    "You let every model pass. If you look at the shape, or at whether the numbers are finite: "
    "neither says what a row depends on."
)
def looks_at_the_shape(model, symbols):
    tokens, mask = padded_rows(symbols)
    found = model(tokens, mask)
    return found.dim() == 2 and len(found) == 5 and not bool(found.isnan().any())


@exercise.misconception(
    "You miss models that treat padding in some rows in another way. If all rows of yours are as "
    "long: one that is shorter than its neighbours has padding that it would not have alone."
)
def pads_all_rows_alike(model, symbols):
    for _ in range(10):
        width = int(torch.randint(3, 9, ()))
        tokens = torch.randint(symbols, (5, width + 2))
        mask = (torch.arange(width + 2) < width).expand(5, -1)
        whole, cut = model(tokens, mask), model(tokens[:, :width], mask[:, :width])
        if not near(whole, cut):
            return False
        for row in range(5):
            if not near(alone(model, tokens, mask, row), whole[row]):
                return False
    return True


right.mistake("pads_to_the_longest",
    {"right_on_rows(model, symbols)": "right_on_rows(model, symbols, empty=False)"},
    "You miss models that mind a column of padding in all rows. If your batches are just as wide "
    "as their longest text: there may be columns without any True.")
row_by_row.mistake("tries_short_rows", {"symbols))": "symbols, width=4))"},
    "You miss what happens in long texts only. The text of the exercise says how many tokens show "
    "it: are yours as many?")


@exercise.misconception(
    "You miss models in which a batch without an empty column is special. If you always add "
    "one: pad to the longest text, too."
)
def always_adds_a_column(model, symbols):
    for _ in range(10):
        tokens, mask = widened(*padded_rows(symbols))
        found = model(tokens, mask)
        if not all(near(alone(model, tokens, mask, row), found[row]) for row in range(5)):
            return False
    return True


@exercise.misconception(
    "You miss what padding of another token does. If the same token stands in all of it: any may "
    "stand there, and not only the one that is used for padding."
)
def pads_with_one_token(model, symbols):
    for trial in range(10):
        tokens, mask = padded_rows(symbols)
        if trial % 2:
            tokens, mask = widened(tokens, mask)
        tokens = tokens.masked_fill(~mask, 1)
        found = model(tokens, mask)
        if not all(near(alone(model, tokens, mask, row), found[row]) for row in range(5)):
            return False
    return True


@exercise.misconception(
    "An entry that is minus infinity in one call only is left out of the comparison. Leave out "
    "what is infinite in both."
)
def compares_what_is_finite(model, symbols):
    def same(one, other):
        both = one.isfinite() & other.isfinite()
        return near(one[both], other[both])

    return right_on_rows(model, symbols, same=same)


right.mistake("compares_the_sum",
    {"right_on_rows(model, symbols)":
        "right_on_rows(model, symbols, same=lambda one, other: near(one.sum(), other.sum()))"},
    "You miss what changes one entry of a row only. If you compare one entry, or a sum of all: "
    "compare each.")
