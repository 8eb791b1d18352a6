"""Known mistakes of `cache_consistent`."""

import torch

from .cache_consistent import exercise
from .comparing import near, near_where_finite  # noqa: F401


def several_texts(length, symbols, rows=12, count=1):
    return [torch.randint(symbols, (rows, length)) for _ in range(count)]


def plans_of(length):
    """Sizes of pieces: all cuts in two, single tokens, and pieces of two and three."""
    two = [[cut, length - cut] for cut in range(1, length)]
    return [*two, [1] * length, [2] * (length // 2), [3, 1, 3, 2]]


@exercise.base
def right(model, length, symbols):
    for text in several_texts(length, symbols):
        whole = model(text, None)[0]
        for sizes in plans_of(length):
            cache, start = None, 0
            for size in sizes:
                at = slice(start, start + size)
                logits, after = model(text[:, at], cache)
                again, _ = model(text[:, at], cache)
                if not all(near(found, whole[:, at]) for found in (logits, again)):
                    return False
                cache, start = after, start + size
    return True


# fmt: off
right.mistake("says_the_opposite", {"return False": "return True", "return True": "return False"},
    "Your function returns False for right models, and True for wrong ones. Read its name as a "
    "question: is the model cache-consistent?")
right.mistake("asks_for_equal_bits", {"near": "torch.equal"},
    "You reject right models, such as those that round. By how much may two right results differ "
    "in float32? If you compare bits, allow for that.")
right.mistake("one_token_at_a_time", {"plans_of(length)": "[[1] * length]"},
    "You miss models that are wrong where a piece has several tokens. If you feed only one token "
    "at a time, note that a prompt may also come in pieces.")
right.mistake("cuts_in_two_halves",
    {"(length, symbols)": "(length, symbols, count=8)",
     "plans_of(length)": "[[length // 2, length - length // 2]]"},
    "You miss models that are wrong in some pieces only. If you only cut into two halves, try "
    "other sizes, too, and more than two pieces.")
right.mistake("never_a_third_piece",
    {"plans_of(length)": "[[cut, length - cut] for cut in range(1, length)]"},
    "You miss models that lose older content of the cache. If you cut every text in two, note "
    "that a third piece needs what the first one left.")
right.mistake("uses_each_cache_once", {"again, _ = model(text[:, at], cache)": "again = logits"},
    "You miss models that change a cache that they were given. If you use each cache once, note "
    "that two continuations of the same beginning use it twice.")
right.mistake("tries_one_row", {"(length, symbols)": "(length, symbols, rows=1, count=5)"},
    "You miss models that are wrong in one row of a batch only. If you try one text at a time, "
    "use a batch of several instead, and compare all rows.")
right.mistake("forgets_the_cache", {"= after": "= None"},
    "You reject every model, or nearly every one. If you pass `None` with each piece, the piece "
    "has no past. Pass the cache that the previous call returned.")


@exercise.misconception(
    "You miss models that are wrong in the same way however a text is cut. If you compare two "
    "ways to use the cache, compare with all tokens in one call instead."
)
def compares_pieces_with_pieces(model, length, symbols):
    torch.manual_seed(1)
    for _ in range(3):
        text, found = torch.randint(symbols, (4, length)), []
        for step in (1, 2):
            cache, logits = None, []
            for piece in text.split(step, dim=1):
                out, cache = model(piece, cache)
                logits.append(out)
            found.append(torch.cat(logits, dim=1))
        if not near(*found):
            return False
    return True


right.mistake("tries_short_texts",
    {"(length, symbols)": "(4, symbols, count=8)",
     "plans_of(length)": "[[1, 3], [2, 2], [3, 1], [1, 1, 1, 1], [1, 2, 1]]"},
    "You miss mistakes that happen only late in a text. How long may a text be? If yours are "
    "shorter than `length`, the later positions are not tested.")
right.mistake("compares_the_likeliest",
    {"for text": "torch.manual_seed(1)\n    for text",
     "near(found, whole[:, at])": "torch.equal(found.argmax(-1), whole[:, at].argmax(-1))"},
    "You miss small differences. If you compare the most likely symbols, note that a logit can "
    "change without another one becoming the largest.")
right.mistake("compares_the_last_position",
    {"near(found, whole[:, at])": "near(found[:, -1], whole[:, at][:, -1])"},
    "You miss mistakes before the end of a piece. If you compare its last position only, note "
    "that the earlier positions have logits, too.")
right.mistake("stumbles_over_infinity",
    {"near(found, whole[:, at])": "(found - whole[:, at]).abs().max() < 1e-3"},
    "You reject a model in which one symbol is never predicted. Minus infinity minus minus "
    "infinity is NaN, and no comparison with NaN is True.")


@exercise.misconception(
    "You reject models whose cache looks different. A cache may be a state, a dictionary or the "
    "tokens. Only the model's output counts."
)
def looks_into_the_cache(model, length, symbols):
    cache = model(torch.randint(symbols, (4, 3)), None)[1]
    grown = model(torch.randint(symbols, (4, 2)), cache)[1]
    is_list = isinstance(cache, tuple) and isinstance(grown, tuple)
    return is_list and cache[0].size(1) == 3 and grown[0].size(1) == 5


right.mistake("compares_beginnings", {"plans_of(length)": "[[size] for size in range(1, length)]"},
    "You miss every mistake with a cache. If you ask whether the beginning of a text is right "
    "without the rest, that needs no cache. Continue from the cache, and compare the next logits.")
right.mistake("compares_probabilities",
    {"near(found, whole[:, at])": "near(found.softmax(-1), whole[:, at].softmax(-1))"},
    "You miss a number that is added to all logits. If you compare probabilities, the softmax "
    "removes it. Compare the logits.")
right.mistake("compares_what_is_finite", {"near": "near_where_finite"},
    "You leave out a logit that is minus infinity in one call only. Leave out only logits that "
    "are infinite in both.")
right.mistake("never_cuts_in_two", {"plans_of(length)": "plans_of(length)[length - 1 :]"},
    "You miss a long second piece. Cut the text in two at each place, including early ones, where "
    "the second piece is longer than the cache.")
right.mistake("never_in_uneven_pieces", {"plans_of(length)": "plans_of(length)[:-1]"},
    "You miss a long piece between two others. Which of the ways to cut that the text of the "
    "exercise lists have such a piece?")
right.mistake("never_in_pieces_of_two",
    {"plans_of(length)": "[sizes for sizes in plans_of(length) if sizes[:2] != [2, 2]]"},
    "You miss a piece of two tokens after other pieces of two. Also cut the whole text into "
    "pieces of two.")
right.mistake("never_token_by_token",
    {"plans_of(length)": "[sizes for sizes in plans_of(length) if sizes[:2] != [1, 1]]"},
    "You miss a single token in the middle of a text. Also feed the whole text token by token, as "
    "a model does when it writes.")
