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
    "Your function returns False for right targets, and True for wrong ones. Read its name as a "
    "question: are the targets shifted?")
right.mistake("leaves_out_the_last_column",
    {"targets.unique()": "(inputs + 1).unique()",
     "torch.equal(targets, run + 1)": "torch.equal(inputs[:, 1:], targets[:, :-1])"},
    "You miss mistakes in the last column. If you compare `targets[:, :-1]` with `inputs[:, 1:]`, "
    "what should the last target of a row be, and how can you know it?")
right.mistake("looks_at_the_shape",
    {"[(n, size) for n in range(17, 42) for size in (1, 3, 4, 8)]": "[(30, 4)]",
     "not fit or holes or lost >= length":
        "inputs.shape != targets.shape or torch.equal(inputs, targets)"},
    "You miss nearly every mistake. If you look at shapes, or at whether targets differ from "
    "inputs, note that many wrong targets do. Which token should each one be?")
right.mistake("ignores_what_is_lost", {" or holes or lost >= length": ""},
    "You miss tokens that are never a target. The text asks for that, too. Which numbers should "
    "occur among the targets?")
right.mistake("asks_for_one_order",
    {"inputs[:, :1] + torch.arange(length)":
        "torch.arange((tokens - 1) // length * length).view(-1, length)",
     " or holes or lost >= length": ""},
    "You reject rows that are right. If they overlap, begin later or come in another order, that "
    "does not matter. What does the text require of a row, and of all rows together?")
right.mistake("tries_one_length", {"(1, 3, 4, 8)": "[4]"},
    "You miss mistakes that occur at other lengths. If you try only one length, note that short "
    "rows, rows of one token and long rows each have their own mistakes.")
right.mistake("tries_one_number_of_tokens", {"range(17, 42)": "[24]"},
    "You miss mistakes that depend on the remainder. If all your texts leave the same remainder "
    "when cut into rows, try neighbouring numbers of tokens.")
right.mistake("looks_at_the_first_row",
    {"targets.unique()": "(inputs + 1).unique()",
     "torch.equal(inputs, run) and torch.equal(targets, run + 1)":
        "torch.equal(inputs[0], run[0]) and torch.equal(targets[0], run[0] + 1)"},
    "You miss wrong rows after the first. Compare each row of the batch.")
right.mistake("looks_at_the_ends_of_a_row",
    {"targets.unique()": "(inputs + 1).unique()",
     "fit =": "ends = [0, -1]\n        fit =",
     "torch.equal(inputs, run) and torch.equal(targets, run + 1)":
        "torch.equal(inputs[:, ends], run[:, ends]) and torch.equal(targets[:, ends], run[:, "
        "ends] + 1)"},
    "You miss columns that are wrong in the middle. If you look only at the ends of a row, "
    "compare all of it instead.")
right.mistake("repeats_few_symbols",
    {"torch.arange(tokens), length": "torch.arange(tokens) % 2, length",
     "not fit or holes or lost >= length":
        "not torch.equal(1 - inputs, targets) or (inputs[:, 1:] == inputs[:, :-1]).any()"},
    "You miss mistakes that only one token shows, or cannot tell where a token came from. In a "
    "text of few symbols many wrong targets are right by chance. Let each token occur once.")
right.mistake("compares_with_the_input_only",
    {"torch.equal(inputs, run) and torch.equal(targets, run + 1)":
        "torch.equal(inputs + 1, targets)",
     " or holes or lost >= length": ""},
    "If you ask only whether each target is larger by one than its input, note that this also "
    "holds for inputs in any order, and where tokens are lost.")
right.mistake("wants_every_token", {"lost >= length": "lost > 0"},
    "You reject code that is right but leaves tokens over. Fewer than `length` tokens may be left "
    "over, at the end or at the beginning.")
right.mistake("counts_what_is_lost", {" or holes": ""},
    "You miss a token that is lost in the middle. If you only count the lost tokens, or look only "
    "at the first and the last target, which numbers between them never occur?")
right.mistake("loses_a_whole_row", {"lost >=": "lost >"},
    "You allow as many lost tokens as a row has. Fewer are allowed: that many tokens would give "
    "one more row.")
right.mistake("counts_the_first_token", {"lost >=": "lost + 1 >="},
    "You count one lost token too many. The first token of the text cannot be a target, so it is "
    "not lost. The last one cannot be an input.")
right.mistake("allows_losses_at_each_end",
    {"lost >= length": "max(reached[0] - 1, tokens - 1 - reached[-1]) >= length"},
    "You miss losses that are small at each end but too large together. Fewer than `length` "
    "tokens may be lost in total, before the first target and after the last one.")
right.mistake("looks_at_the_end_only", {"lost >= length": "tokens - 1 - reached[-1] >= length"},
    "You miss tokens that are lost before the first target. If you only look at the end of the "
    "text, note that losses at its beginning count, too.")
right.mistake("asks_for_the_first_token", {"lost >= length": "reached[0] != 1 or lost >= length"},
    "You reject rows that begin late. Fewer than `length` tokens may be left over at the "
    "beginning of the text, too.")
right.mistake("looks_for_holes_only", {" or lost >= length": ""},
    "You miss tokens that are lost at an end. If you only look for tokens lost between two "
    "others, how many may be lost before the first target and after the last one?")
