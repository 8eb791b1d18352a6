"""Known mistakes of `shifts_targets`."""

import torch

from .shifts_targets import exercise


@exercise.base
def right(batches):
    for tokens, length in [(n, size) for n in range(17, 42) for size in (1, 3, 4, 8)]:
        inputs, targets = batches(torch.arange(tokens), length)
        run, reached = inputs[:, :1] + torch.arange(length), targets.unique()
        fit = torch.equal(inputs, run) and torch.equal(targets, run + 1)
        holes, lost = (reached.diff() != 1).any(), tokens - 1 - len(reached)
        if not fit or holes or lost >= length:
            return False
    return True


# fmt: off
right.mistake("says_the_opposite",
    {"return False\n    return True": "return True\n    return False"},
    "Your function says False where all is well, and True where it is not. Read its name as a "
    "question: are the targets shifted?")
right.mistake("leaves_out_the_last_column",
    {"targets.unique()": "(inputs + 1).unique()",
     "torch.equal(targets, run + 1)": "torch.equal(inputs[:, 1:], targets[:, :-1])"},
    "You miss mistakes in the last column. If you compare `targets[:, :-1]` with `inputs[:, 1:]`: "
    "what should the last target of a row be, and where do you know it from?")
right.mistake("looks_at_the_shape",
    {"[(n, size) for n in range(17, 42) for size in (1, 3, 4, 8)]": "[(30, 4)]",
     "not fit or holes or lost >= length":
        "inputs.shape != targets.shape or torch.equal(inputs, targets)"},
    "You miss nearly every mistake. If you look at shapes, or at whether targets differ from "
    "inputs: many wrong targets do. Which token should each one be?")
right.mistake("ignores_what_is_lost", {" or holes or lost >= length": ""},
    "You miss tokens that are never a target. The text asks for that, too: which numbers should "
    "come up among the targets?")
right.mistake("asks_for_one_order",
    {"inputs[:, :1] + torch.arange(length)":
        "torch.arange((tokens - 1) // length * length).view(-1, length)",
     " or holes or lost >= length": ""},
    "You turn away rows that are right. If they overlap, begin later or come in another order, "
    "that does not matter: what does the text ask of a row, and of all together?")
right.mistake("tries_one_length", {"(1, 3, 4, 8)": "[4]"},
    "You miss mistakes that need another length. If you try one only: short rows, rows of one "
    "token and long ones each have their own.")
right.mistake("tries_one_number_of_tokens", {"range(17, 42)": "[24]"},
    "You miss mistakes that depend on what is left over. If every text of yours has the same rest "
    "when cut into rows: try neighbouring numbers of tokens.")
right.mistake("looks_at_the_first_row",
    {"targets.unique()": "(inputs + 1).unique()",
     "torch.equal(inputs, run) and torch.equal(targets, run + 1)":
        "torch.equal(inputs[0], run[0]) and torch.equal(targets[0], run[0] + 1)"},
    "You miss rows that are wrong beyond the first. Compare each row of the batch.")
right.mistake("looks_at_the_ends_of_a_row",
    {"targets.unique()": "(inputs + 1).unique()",
     "fit =": "ends = [0, -1]\n        fit =",
     "torch.equal(inputs, run) and torch.equal(targets, run + 1)":
        "torch.equal(inputs[:, ends], run[:, ends]) and torch.equal(targets[:, ends], run[:, "
        "ends] + 1)"},
    "You miss columns that are wrong in the middle. If you look at the ends of a row only: compare "
    "all of it.")
right.mistake("repeats_few_symbols",
    {"torch.arange(tokens), length": "torch.arange(tokens) % 2, length",
     "not fit or holes or lost >= length":
        "not torch.equal(1 - inputs, targets) or (inputs[:, 1:] == inputs[:, :-1]).any()"},
    "You miss what only one kind of token shows, or cannot tell where a token is from. In a text "
    "of few symbols many wrong targets are right by chance: let each token be there once.")
right.mistake("compares_with_the_input_only",
    {"torch.equal(inputs, run) and torch.equal(targets, run + 1)":
        "torch.equal(inputs + 1, targets)",
     " or holes or lost >= length": ""},
    "If you ask only whether each target is larger by one than its input: that holds for inputs "
    "that are in no order, too, and where tokens are lost.")
right.mistake("wants_every_token", {"lost >= length": "lost > 0"},
    "You turn away right models that leave tokens over. Fewer than `length` may be, at the end or "
    "at the beginning.")
right.mistake("counts_what_is_lost", {" or holes": ""},
    "You miss a token that is lost in the middle. If you only count how many are lost, or only "
    "look at the first target and at the last one: which numbers between them never come up?")
right.mistake("loses_a_whole_row", {"lost >=": "lost >"},
    "As many tokens as a row has may be lost for you. Fewer are allowed: from so many, one more "
    "row can be made.")
right.mistake("counts_the_first_token", {"lost >=": "lost + 1 >="},
    "You count one lost token too many. The first of the text can be no target, and is not lost; "
    "the last one can be no input.")
right.mistake("allows_losses_at_each_end",
    {"lost >= length": "max(reached[0] - 1, tokens - 1 - reached[-1]) >= length"},
    "You miss losses that are small at each end and too large together. Fewer than `length` tokens "
    "may be lost in all, before the first target and behind the last one.")
right.mistake("looks_at_the_end_only", {"lost >= length": "tokens - 1 - reached[-1] >= length"},
    "You miss tokens that are lost before the first target. If you only look at the end of the "
    "text: what is lost at its beginning counts, too.")
right.mistake("asks_for_the_first_token", {"lost >= length": "reached[0] != 1 or lost >= length"},
    "You turn away rows that begin late. Fewer than `length` tokens may be left over at the "
    "beginning of the text, too.")
right.mistake("looks_for_holes_only", {" or lost >= length": ""},
    "You miss tokens that are lost at an end. If you look for those only that are lost between two "
    "others: from so many as may be lost before the first target or behind the last one, another "
    "row could be made.")
