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


@exercise.misconception(
    "Your text is one token too short: you gave back what was cut, without the token that shows it."
)
def leaves_out_the_last_token(model, length, symbols):
    text = found(model, drawn(length, symbols))
    return None if text is None else text[:, :-1]


@exercise.misconception(
    "You give back a text for right models, too. Where no text of many shows anything, return None."
)
def never_returns_none(model, length, symbols):
    texts = drawn(length, symbols)
    text = found(model, texts)
    return texts[-1:] if text is None else text


@exercise.misconception(
    "Your text is always the same one. What shows the defect of one model does not show that of "
    "another: try texts on the model that you are given."
)
def knows_a_text_by_heart(model, length, symbols):
    return torch.arange(length)[None] % symbols


@exercise.misconception(
    "Your texts often show nothing. If you draw a text and do not try it: a random one shows "
    "some defects, rarely others. Draw many, and look for one that does."
)
def draws_and_does_not_try(model, length, symbols):
    return torch.randint(symbols, (1, length))


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


@exercise.misconception(
    "You miss what only shorter texts show. If you take away the last token of texts of `length` "
    "tokens only: try each length from 2 on."
)
def cuts_the_end_of_long_texts(model, length, symbols):
    return found(model, drawn(length, symbols), least=length)


@exercise.misconception(
    "You miss what only longer texts show. If you try all short ones: there are `symbols ** "
    "length` long ones, and a few hundred of them, drawn at random, are enough."
)
def tries_short_texts_only(model, length, symbols):
    return found(model, torch.cartesian_prod(*[torch.arange(symbols)] * 3))


@exercise.misconception(
    "You miss what few texts show. If you try one or two, you need luck: give the model some "
    "hundreds of them in one batch."
)
def tries_one_text(model, length, symbols):
    return found(model, drawn(length, symbols, rows=1))


@exercise.misconception(
    "You miss what different tokens show. If your texts repeat one token, it comes as no surprise:"
    " draw tokens at random."
)
def tries_repeated_tokens(model, length, symbols):
    return found(model, torch.arange(symbols)[:, None].expand(-1, length))


@exercise.misconception(
    "You miss what changes further back. If you compare the position before the last one only: all"
    " earlier ones have logits, too."
)
def compares_one_position(model, length, symbols):
    return found(model, drawn(length, symbols), at=slice(-1, None))


@exercise.misconception(
    "You miss small differences. If you allow too much: the text says how small rounding is and"
    " how large a mistake. Put your bound between the two."
)
def calls_a_lot_nothing(model, length, symbols):
    return found(model, drawn(length, symbols), by=0.4)


@exercise.misconception(
    "You give back a text for a right model that rounds. The text says by how much logits may "
    "differ because of that. If you compare bits, allow for it."
)
def takes_rounding_for_a_defect(model, length, symbols):
    return found(model, drawn(length, symbols), by=4e-6)


@exercise.misconception(
    "You give back a text for a right model in which one symbol is never predicted. Minus infinity"
    " less minus infinity is NaN, and no comparison with NaN is True."
)
def subtracts_infinities(model, length, symbols):
    texts = drawn(length, symbols)
    for n in range(2, length + 1):
        gap = (model(texts[:, :n])[:, :-1] - model(texts[:, : n - 1])).abs().amax((1, 2))
        if not (gap < 1e-3).all():
            return texts[~(gap < 1e-3)][:1, :n]
    return None


@exercise.misconception(
    "You give back all texts that show it. One is asked for, as a batch of one row."
)
def returns_every_text_found(model, length, symbols):
    texts = drawn(length, symbols)
    for n in range(2, length + 1):
        shows = moved(model, texts[:, :n]) > 1e-3
        if shows.any():
            return texts[shows, :n]
    return None


@exercise.misconception(
    "Your text has no batch axis. A model takes a batch of texts, if only of one: its shape is (1,"
    " n)."
)
def drops_the_batch_axis(model, length, symbols):
    text = found(model, drawn(length, symbols))
    return None if text is None else text[0]


@exercise.misconception(
    "You say whether there is such a text. That was another exercise: here, give one back."
)
def says_whether_there_is_one(model, length, symbols):
    return found(model, drawn(length, symbols)) is not None


@exercise.misconception(
    "You give back other numbers than whole ones, such as what the model said about the text. "
    "Asked for are the tokens, int64."
)
def returns_the_logits(model, length, symbols):
    text = found(model, drawn(length, symbols))
    return None if text is None else model(text)


@exercise.misconception(
    "You miss what few of the longest texts show. If `range(2, length)` is what you try: it ends "
    "before them. If you try few texts: try some hundreds."
)
def stops_before_the_longest(model, length, symbols):
    return found(model, drawn(length, symbols)[:, :-1])


@exercise.misconception(
    "You miss texts where a logit is minus infinity. If it is so in both calls, the difference "
    "is NaN, and so is the largest one, which is not larger than anything: compare before you "
    "subtract."
)
def lost_in_nan(model, length, symbols):
    texts = drawn(length, symbols)
    for n in range(2, length + 1):
        gap = (model(texts[:, :n])[:, :-1] - model(texts[:, : n - 1])).abs().amax((1, 2))
        if bool((gap > 1e-3).any()):
            return texts[gap > 1e-3][:1, :n]
    return None


@exercise.misconception(
    "You miss a number that is added to all logits. If you compare probabilities, the softmax "
    "takes it out again: compare the logits."
)
def compares_probabilities(model, length, symbols):
    return found(lambda tokens: model(tokens).softmax(-1), drawn(length, symbols))


@exercise.misconception(
    "Two tokens are never tried: the shortest text whose last token can change anything has two."
)
def begins_with_three_tokens(model, length, symbols):
    return found(model, drawn(length, symbols), least=3)


@exercise.misconception(
    "A logit that is minus infinity in one call only is left out of the comparison. Leave out what "
    "is infinite in both."
)
def compares_what_is_finite(model, length, symbols):
    texts = drawn(length, symbols)
    for n in range(2, length + 1):
        gap = model(texts[:, :n])[:, :-1] - model(texts[:, : n - 1])
        shows = (gap.nan_to_num(0, 0, 0).abs() > 1e-3).any(2).any(1)
        if shows.any():
            return texts[shows][:1, :n]
    return None


@exercise.misconception(
    "You return None for a model that has such a text. Give it some hundreds of random texts, of "
    "every length, and compare all logits: which of these do you leave out?"
)
def finds_nothing(model, length, symbols):
    return None
