"""Known mistakes of `prefix_consistent`."""

import torch

from .comparing import near, near_where_finite  # noqa: F401
from .prefix_consistent import exercise


def some_texts(length, symbols, rows=5):
    """A few texts of random tokens."""
    return [torch.randint(symbols, (rows, length)) for _ in range(4)]


@exercise.base
def right(model, length, symbols):
    for text in some_texts(length, symbols):
        whole = model(text)
        if not all(near(model(text[:, :n]), whole[:, :n]) for n in range(1, length)):
            return False
    return True


# fmt: off
right.mistake("says_the_opposite",
    {"return False\n    return True": "return True\n    return False"},
    "Your function returns False for right models, and True for wrong ones. Read its name as a "
    "question: is the model prefix-consistent?")
right.mistake("asks_for_equal_bits", {"near": "torch.equal"},
    "You reject right models, such as those that round. By how much may two right results differ "
    "in float32? If you compare bits, allow for that.")
right.mistake("changes_and_never_cuts",
    {"model(text[:, :n])":
        "model((text + (torch.arange(length) >= n) * torch.randint(1, symbols, (5, length))) % "
        "symbols)[:, :n]"},
    "You miss models for which the length itself matters. If you change later tokens without "
    "cutting anything off, what happens to positions that are counted from the end?")
right.mistake("cuts_in_the_middle", {"range(1, length)": "[length // 2]"},
    "You miss models that look ahead at one position only. If you cut in the middle only, note "
    "that tokens on the same side of the cut are in both texts.")
right.mistake("cuts_the_last_token", {"range(1, length)": "[length - 1]"},
    "You miss models that look ahead somewhere before the end. If you only remove the last token, "
    "cut at every place instead.")
right.mistake("tries_short_texts", {"(length": "(length - 4", "1, length": "1, length - 4"},
    "You miss mistakes that only long texts show. How long may a text be? If yours are shorter "
    "than `length`, the later positions are not tested.")
right.mistake("tries_one_row", {"(length, symbols)": "(length, symbols, rows=1) * 2"},
    "You miss models that are wrong in one row of a batch only. If you try one text at a time, or "
    "look at one row, use a batch of several instead, and compare all rows.")
right.mistake("compares_the_last_position", {", whole[:, :n]": "[:, -1], whole[:, n - 1]"},
    "You miss changes before the last position of a prefix. If you compare that one position "
    "only, note that the earlier ones have logits, too.")
right.mistake("leaves_out_the_last_position",
    {"near(model(text[:, :n]), whole[:, :n]) for n in range(1, length)":
        "near(model(text[:, :n])[:, :-1], whole[:, : n - 1]) for n in range(2, length)"},
    "You miss models that treat the end of a text in a special way. If you leave out the last "
    "position of the prefix, compare it, too.")
right.mistake("compares_the_likeliest",
    {"for text": "torch.manual_seed(1)\n    for text",
     "(length, symbols)": "(length, symbols)[:1]",
     "near(model(text[:, :n]), whole[:, :n])":
        "torch.equal(model(text[:, :n]).argmax(-1), whole[:, :n].argmax(-1))"},
    "You miss small differences. If you compare the most likely symbols, note that a logit can "
    "change without another one becoming the largest.")
right.mistake("allows_too_much", {"whole[:, :n]": "whole[:, :n], 0.15"},
    "Your bound is too wide. The text says how small rounding is and how large a mistake is. Put "
    "your bound between the two. If you average differences, a single position hardly shows.")
right.mistake("adds_differences_with_their_signs",
    {"near(model(text[:, :n]), whole[:, :n])":
        "(model(text[:, :n]) - whole[:, :n]).nan_to_num().mean().abs() <= 1e-3"},
    "You miss a model in which one logit gains what another loses. If you add or average signed "
    "differences, take their absolute values first.")
right.mistake("repeats_one_token",
    {"text in some_texts(length, symbols)": "token in range(symbols)",
     "whole =": "text = torch.full((5, length), token)\n        whole ="},
    "You miss models that look at the following tokens. If your texts repeat one token, the "
    "future looks like the past. Draw tokens at random.")
right.mistake("stumbles_over_infinity",
    {"near(model(text[:, :n]), whole[:, :n])":
        "(model(text[:, :n]) - whole[:, :n]).abs().max() < 1e-3"},
    "You reject a model in which one symbol is never predicted. Minus infinity minus minus "
    "infinity is NaN, and no comparison with NaN is True.")
right.mistake("changes_the_batch",
    {"near(model(text[:, :n]), whole[:, :n])":
        "near(model(text[row : row + 1, :n])[0], whole[row, :n])",
     "in range(1, length)": "in range(1, length) for row in range(3)"},
    "You reject models whose rows depend on each other. That is another question. Keep the rows "
    "of the batch as they are, and change only the length.")
right.mistake("cuts_at_every_second_place", {"1, length": "2, length, 2"},
    "You miss prefixes of odd or of even length. If you cut at every other place, the remaining "
    "places are not tested.")
right.mistake("looks_at_the_shape",
    {"all(near(model(text[:, :n]), whole[:, :n]) for n in range(1, length))":
        "(whole.shape == (5, length, symbols) and not whole.isnan().any())"},
    "You accept every model. If you look at the shape, or at whether the numbers are finite, note "
    "that neither says what a logit depends on.")
right.mistake("asks_whether_anything_changes",
    {"if not all":
        "other = torch.cat([text[:, :1], torch.randint(symbols, (5, length - 1))], dim=1)\n"
        "        if not near",
     "(near(model(text[:, :n]), whole[:, :n]) for n in range(1, length))": "(model(other), whole)"},
    "You reject every model that looks at its tokens. If you ask whether the logits change when "
    "tokens do, note that they should when the past changes. What must they not depend on?")
right.mistake("leaves_out_the_longest_beginning", {"1, length": "1, length - 1"},
    "You never try the longest prefix: `range(1, length - 1)` ends at length - 2. The longest "
    "prefix is the text without its last token.")
right.mistake("begins_with_two_tokens", {"1": "2"},
    "You never try the shortest prefix, a single token. The first position must not depend on "
    "later tokens either.")
right.mistake("compares_what_is_finite", {"near": "near_where_finite"},
    "You leave out a logit that is minus infinity in one call only. Leave out only logits that "
    "are infinite in both.")
right.mistake("compares_probabilities",
    {"model(text)": "model(text).softmax(-1)", "n]), whole": "n]).softmax(-1), whole"},
    "You miss a number that is added to all logits. If you compare probabilities, the softmax "
    "removes it. Compare the logits.")
right.mistake("never_draws_the_first_token",
    {"(length, symbols)": "(length, symbols - 1)",
     "model(text)": "model(text + 1)",
     "text[:, :n]": "text[:, :n] + 1"},
    "You miss mistakes that involve token 0. If you draw with `torch.randint(1, symbols, …)`, "
    "note that tokens are from 0 to symbols - 1.")
