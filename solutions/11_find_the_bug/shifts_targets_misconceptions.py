"""Known mistakes of `shifts_targets`."""

import torch

from .shifts_targets import exercise


def covers(tokens: int, length: int, targets: list[list[int]]) -> bool:
    """Whether nothing between the first and the last target is left out, and little around them."""
    reached = {at for row in targets for at in row}
    run = range(min(reached), max(reached) + 1)
    return len(reached) == len(run) and tokens - 1 - len(reached) < length


def right_for(batches, tokens: int, length: int, covered: bool = True) -> bool:
    """On a text whose tokens say where they stand."""
    inputs, targets = (rows.tolist() for rows in batches(torch.arange(tokens), length))
    for row, wanted in zip(inputs, targets, strict=True):
        if row != list(range(row[0], row[0] + length)) or wanted != [at + 1 for at in row]:
            return False
    return not covered or covers(tokens, length, targets)


def right_on_batches(batches, tokens=range(17, 42), lengths=(1, 3, 4, 8), covered=True):
    return all(right_for(batches, n, length, covered) for n in tokens for length in lengths)


def right_but_for_losses(batches, enough) -> bool:
    """With another rule for what may be lost, by how much it is and whether it leaves holes."""
    for tokens in range(17, 42):
        for length in (1, 3, 4, 8):
            reached = batches(torch.arange(tokens), length)[1].unique()
            lost, holes = tokens - 1 - len(reached), bool((reached.diff() != 1).any())
            if not right_for(batches, tokens, length, False) or not enough(lost, length, holes):
                return False
    return True


def right_at_the_ends(batches, enough) -> bool:
    """With another rule for what may be lost before the first target and behind the last one."""
    for tokens in range(17, 42):
        for length in (1, 3, 4, 8):
            if not right_for(batches, tokens, length, False):
                return False
            reached = batches(torch.arange(tokens), length)[1].unique()
            before, behind = int(reached[0]) - 1, tokens - 1 - int(reached[-1])
            if (reached.diff() != 1).any() or not enough(before, behind, length):
                return False
    return True


@exercise.base
def right(batches):
    return right_on_batches(batches)


@exercise.base
def by_losses(batches):
    return right_but_for_losses(batches, lambda lost, length, holes: lost < length and not holes)


# fmt: off
right.mistake("says_the_opposite", {"return": "return not"},
    "Your function says False where all is well, and True where it is not. Read its name as a "
    "question: are the targets shifted?")


@exercise.misconception(
    "You miss mistakes in the last column. If you compare `targets[:, :-1]` with `inputs[:, "
    "1:]`: what should the last target of a row be, and where do you know it from?"
)
def leaves_out_the_last_column(batches):
    for tokens in range(17, 42):
        for length in (1, 3, 4, 8):
            inputs, targets = batches(torch.arange(tokens), length)
            same = torch.equal(inputs[:, 1:], targets[:, :-1])
            run = torch.equal(inputs[:, :1] + torch.arange(length), inputs)
            if not same or not run or not covers(tokens, length, (inputs + 1).tolist()):
                return False
    return True


right.mistake("looks_at_the_shape",
    {"return right_on_batches(batches)":
        "inputs, targets = batches(torch.arange(30), 4)\n"
        "    return inputs.shape == targets.shape and not torch.equal(inputs, targets)"},
    "You miss nearly every mistake. If you look at shapes, or at whether targets differ from "
    "inputs: many wrong targets do. Which token should each one be?")
right.mistake("ignores_what_is_lost",
    {"right_on_batches(batches)": "right_on_batches(batches, covered=False)"},
    "You miss tokens that are never a target. The text asks for that, too: which numbers should "
    "come up among the targets?")


@exercise.misconception(
    "You turn away rows that are right. If they overlap, begin later or come in another order, "
    "that does not matter: what does the text ask of a row, and of all together?"
)
def asks_for_one_order(batches):
    for tokens in range(17, 42):
        for length in (1, 3, 4, 8):
            text, rows = torch.arange(tokens), (tokens - 1) // length
            inputs, targets = batches(text, length)
            if not torch.equal(inputs, text[: rows * length].view(rows, length)):
                return False
            if not torch.equal(targets, text[1 : rows * length + 1].view(rows, length)):
                return False
    return True


right.mistake("tries_one_length",
    {"right_on_batches(batches)": "right_on_batches(batches, lengths=(4,))"},
    "You miss mistakes that need another length. If you try one only: short rows, rows of one "
    "token and long ones each have their own.")
right.mistake("tries_one_number_of_tokens",
    {"right_on_batches(batches)": "right_on_batches(batches, tokens=(24,), lengths=(1, 3, 4, 8))"},
    "You miss mistakes that depend on what is left over. If every text of yours has the same rest "
    "when cut into rows: try neighbouring numbers of tokens.")


@exercise.misconception(
    "You miss rows that are wrong beyond the first. Compare each row of the batch."
)
def looks_at_the_first_row(batches):
    for tokens in range(17, 42):
        for length in (1, 3, 4, 8):
            inputs, targets = batches(torch.arange(tokens), length)
            run = torch.arange(length) + inputs[0, 0]
            if not torch.equal(inputs[0], run) or not torch.equal(targets[0], run + 1):
                return False
            if not covers(tokens, length, (inputs + 1).tolist()):
                return False
    return True


@exercise.misconception(
    "You miss columns that are wrong in the middle. If you look at the ends of a row only: "
    "compare all of it."
)
def looks_at_the_ends_of_a_row(batches):
    for tokens in range(17, 42):
        for length in (1, 3, 4, 8):
            inputs, targets = batches(torch.arange(tokens), length)
            for at in (0, -1):
                if not torch.equal(inputs[:, at] + 1, targets[:, at]):
                    return False
            if (inputs[:, -1] - inputs[:, 0] != length - 1).any():
                return False
            if not covers(tokens, length, (inputs + 1).tolist()):
                return False
    return True


@exercise.misconception(
    "You miss what only one kind of token shows, or cannot tell where a token is from. In a "
    "text of few symbols many wrong targets are right by chance: let each token be there once."
)
def repeats_few_symbols(batches):
    for tokens in range(17, 42):
        for length in (1, 3, 4, 8):
            text = torch.arange(tokens) % 2
            inputs, targets = batches(text, length)
            if not torch.equal(1 - inputs, targets):
                return False
            if (inputs[:, 1:] == inputs[:, :-1]).any():
                return False
    return True


@exercise.misconception(
    "If you ask only whether each target is larger by one than its input: that holds for inputs "
    "that are in no order, too, and where tokens are lost."
)
def compares_with_the_input_only(batches):
    for tokens in range(17, 42):
        for length in (1, 3, 4, 8):
            inputs, targets = batches(torch.arange(tokens), length)
            if not torch.equal(inputs + 1, targets):
                return False
    return True


@exercise.misconception(
    "You turn away right models that leave tokens over. Fewer than `length` may be, at the end or "
    "at the beginning."
)
def wants_every_token(batches):
    for tokens in range(17, 42):
        for length in (1, 3, 4, 8):
            if not right_for(batches, tokens, length):
                return False
            targets = batches(torch.arange(tokens), length)[1]
            if set(targets.flatten().tolist()) != set(range(1, tokens)):
                return False
    return True


by_losses.mistake("counts_what_is_lost", {" and not holes": ""},
    "You miss a token that is lost in the middle. If you only count how many are lost, or only "
    "look at the first target and at the last one: which numbers between them never come up?")
by_losses.mistake("loses_a_whole_row", {"lost <": "lost <="},
    "As many tokens as a row has may be lost for you. Fewer are allowed: from so many, one more "
    "row can be made.")
by_losses.mistake("counts_the_first_token", {"lost <": "lost + 1 <"},
    "You count one lost token too many. The first of the text can be no target, and is not lost; "
    "the last one can be no input.")
right.mistake("allows_losses_at_each_end",
    {"right_on_batches(batches)":
        "right_at_the_ends(batches, lambda before, behind, n: before < n and behind < n)"},
    "You miss losses that are small at each end and too large together. Fewer than `length` tokens "
    "may be lost in all, before the first target and behind the last one.")
right.mistake("looks_at_the_end_only",
    {"right_on_batches(batches)":
        "right_at_the_ends(batches, lambda before, behind, n: behind < n)"},
    "You miss tokens that are lost before the first target. If you only look at the end of the "
    "text: what is lost at its beginning counts, too.")
right.mistake("asks_for_the_first_token",
    {"right_on_batches(batches)":
        "right_at_the_ends(batches, lambda before, behind, n: before == 0 and behind < n)"},
    "You turn away rows that begin late. Fewer than `length` tokens may be left over at the "
    "beginning of the text, too.")
right.mistake("looks_for_holes_only",
    {"right_on_batches(batches)": "right_at_the_ends(batches, lambda before, behind, n: True)"},
    "You miss tokens that are lost at an end. If you look for those only that are lost between two "
    "others: from so many as may be lost before the first target or behind the last one, another "
    "row could be made.")
