"""Known mistakes of `witness`."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .witness import exercise


def drawn(length: int, symbols: int, rows: int = 150) -> Int[Tensor, "rows length"]:
    return torch.randint(symbols, (rows, length))


def moved(model, texts: Int[Tensor, "rows n"], at: slice = slice(None)) -> Float[Tensor, " rows"]:
    """Of each text, by how much its last token moves the logits of those before it."""
    longer, shorter = (model(x).clamp(min=-1e6) for x in (texts, texts[:, :-1]))
    return (longer[:, :-1] - shorter)[:, at].abs().amax((1, 2))


def found(model, texts, least=2, by=1e-3, at=slice(None)):
    """The first beginning, of `least` tokens or more, whose last token shows; None if none does."""
    for n in range(least, texts.size(1) + 1):
        shows = moved(model, texts[:, :n], at) > by
        if shows.any():
            return texts[shows][:1, :n]
    return None


@exercise.base
def right(model, length, symbols):
    return found(model, drawn(length, symbols))


@exercise.base
def by_hand(model, length, symbols):
    texts = drawn(length, symbols)
    for n in range(2, length + 1):
        longer, shorter = model(texts[:, :n])[:, :-1], model(texts[:, : n - 1])
        gap = (longer.clamp(min=-1e6) - shorter.clamp(min=-1e6)).abs().amax((1, 2))
        shows = gap > 1e-3
        if shows.any():
            return texts[shows][:1, :n]
    return None


# fmt: off
@exercise.misconception(
    "Your text goes on after the token that shows it. The last token has to be the one that "
    "does: cut off what comes after."
)
def returns_the_whole_text(model, length, symbols):
    texts = drawn(length, symbols)
    for n in range(1, length):
        gap = (model(texts)[:, :n].clamp(min=-1e6) - model(texts[:, :n]).clamp(min=-1e6)).abs()
        shows = gap.amax((1, 2)) > 1e-3
        if shows.any():
            return texts[shows][:1]
    return None


right.mistake("leaves_out_the_last_token",
    {"return found(model, drawn(length, symbols))":
        "text = found(model, drawn(length, symbols))\n"
        "    return None if text is None else text[:, :-1]"},
    "Your text is one token too short: you gave back what was cut, without the token that "
    "shows it.")
right.mistake("never_returns_none",
    {"return found(model, drawn(length, symbols))":
        "texts = drawn(length, symbols)\n"
        "    text = found(model, texts)\n"
        "    return texts[-1:] if text is None else text"},
    "You give back a text for right models, too. Where no text of many shows anything, "
    "return None.")
right.mistake("knows_a_text_by_heart",
    {"found(model, drawn(length, symbols))": "torch.arange(length)[None] % symbols"},
    "Your text is always the same one. What shows the defect of one model does not show that of "
    "another: try texts on the model that you are given.")
right.mistake("draws_and_does_not_try",
    {"found(model, drawn(length, symbols))": "torch.randint(symbols, (1, length))"},
    "Your texts often show nothing. If you draw a text and do not try it: a random one shows some "
    "defects, rarely others. Draw many, and look for one that does.")


@exercise.misconception(
    "You miss models for which the length itself matters. If you change the last token instead of "
    "taking it away: what do positions that are counted from the end do then?"
)
def changes_the_last_token(model, length, symbols):
    texts = drawn(length, symbols)
    for n in range(2, length + 1):
        text, other = texts[:, :n], texts[:, :n].clone()
        other[:, -1] = (other[:, -1] + 1) % symbols
        one, two = (model(x)[:, :-1].clamp(min=-1e6) for x in (text, other))
        shows = (one - two).abs().amax((1, 2)) > 1e-3
        if shows.any():
            return text[shows][:1]
    return None


right.mistake("cuts_the_end_of_long_texts", {"symbols))": "symbols), least=length)"},
    "You miss what only shorter texts show. If you take away the last token of texts of `length` "
    "tokens only: try each length from 2 on.")
right.mistake("tries_short_texts_only",
    {"drawn(length, symbols)": "torch.cartesian_prod(*[torch.arange(symbols)] * 3)"},
    "You miss what only longer texts show. If you try all short ones: there are `symbols ** "
    "length` long ones, and a few hundred of them, drawn at random, are enough.")
right.mistake("tries_one_text", {"symbols))": "symbols, rows=1))"},
    "You miss what few texts show. If you try one or two, you need luck: give the model some "
    "hundreds of them in one batch.")
right.mistake("tries_repeated_tokens",
    {"drawn(length, symbols)": "torch.arange(symbols)[:, None].expand(-1, length)"},
    "You miss what different tokens show. If your texts repeat one token, it comes as no surprise: "
    "draw tokens at random.")
right.mistake("compares_one_position", {"symbols))": "symbols), at=slice(-1, None))"},
    "You miss what changes further back. If you compare the position before the last one only: all "
    "earlier ones have logits, too.")
right.mistake("calls_a_lot_nothing", {"symbols))": "symbols), by=0.4)"},
    "You miss small differences. If you allow too much: the text says how small rounding is and "
    "how large a mistake. Put your bound between the two.")
right.mistake("takes_rounding_for_a_defect", {"symbols))": "symbols), by=4e-6)"},
    "You give back a text for a right model that rounds. The text says by how much logits may "
    "differ because of that. If you compare bits, allow for it.")
by_hand.mistake("subtracts_infinities",
    {"longer.clamp(min=-1e6) - shorter.clamp(min=-1e6)": "longer - shorter",
     "gap > 1e-3": "~(gap < 1e-3)"},
    "You give back a text for a right model in which one symbol is never predicted. Minus infinity "
    "less minus infinity is NaN, and no comparison with NaN is True.")
by_hand.mistake("returns_every_text_found", {"[:1, :n]": "[:, :n]"},
    "You give back all texts that show it. One is asked for, as a batch of one row.")
right.mistake("drops_the_batch_axis",
    {"return found(model, drawn(length, symbols))":
        "text = found(model, drawn(length, symbols))\n"
        "    return None if text is None else text[0]"},
    "Your text has no batch axis. A model takes a batch of texts, if only of one: its shape is (1, "
    "n).")
right.mistake("says_whether_there_is_one", {"symbols))": "symbols)) is not None"},
    "You say whether there is such a text. That was another exercise: here, give one back.")
right.mistake("returns_the_logits",
    {"return found(model, drawn(length, symbols))":
        "text = found(model, drawn(length, symbols))\n"
        "    return None if text is None else model(text)"},
    "You give back other numbers than whole ones, such as what the model said about the text. "
    "Asked for are the tokens, int64.")
right.mistake("stops_before_the_longest", {"symbols))": "symbols)[:, :-1])"},
    "You miss what few of the longest texts show. If `range(2, length)` is what you try: it ends "
    "before them. If you try few texts: try some hundreds.")
by_hand.mistake("lost_in_nan",
    {"longer.clamp(min=-1e6) - shorter.clamp(min=-1e6)": "longer - shorter"},
    "You miss texts where a logit is minus infinity. If it is so in both calls, the difference is "
    "NaN, and so is the largest one, which is not larger than anything: compare before you "
    "subtract.")
right.mistake("compares_probabilities",
    {"model, drawn": "lambda tokens: model(tokens).softmax(-1), drawn"},
    "You miss a number that is added to all logits. If you compare probabilities, the softmax "
    "takes it out again: compare the logits.")
right.mistake("begins_with_three_tokens", {"symbols))": "symbols), least=3)"},
    "Two tokens are never tried: the shortest text whose last token can change anything has two.")
by_hand.mistake("compares_what_is_finite",
    {"(longer.clamp(min=-1e6) - shorter.clamp(min=-1e6))":
        "(longer - shorter).nan_to_num(0, 0, 0)"},
    "A logit that is minus infinity in one call only is left out of the comparison. Leave out what "
    "is infinite in both.")
right.mistake("finds_nothing", {"found(model, drawn(length, symbols))": "None"},
    "You return None for a model that has such a text. Give it some hundreds of random texts, of "
    "every length, and compare all logits: which of these do you leave out?")
