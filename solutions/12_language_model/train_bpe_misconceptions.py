"""Known mistakes of `train_bpe`."""

import re
from collections import Counter
from itertools import pairwise

from .train_bpe import exercise


def cut(text):
    return re.split(r"(?=[ \n])", text)


def merged(parts, pair, token):
    out: list[int] = []
    for part in parts:
        if out and (out[-1], part) == pair:
            out[-1] = token
        else:
            out.append(part)
    return out


def smallest_of_the_most(counts):
    return min(counts, key=lambda pair: (-counts[pair], pair))


def pairs_of(word):
    return pairwise(word)


def learned(
    words, merges, best=smallest_of_the_most, first=256, merge=merged, least=1, pairs=pairs_of
):
    made = []
    for number in range(merges):
        counts = Counter(pair for word in words for pair in pairs(word))
        if not counts or max(counts.values()) < least:
            break
        made.append(best(counts))
        words = [merge(word, made[-1], first + number) for word in words]
    return made


@exercise.misconception(
    "You join tokens across words. Cut the text before every space and every line break, and "
    "count and merge inside each word only."
)
def across_words(text, merges):
    return learned([list(text.encode())], merges)


@exercise.misconception(
    "Of pairs that occur equally often you take the one that comes first in the text. Which one "
    "does the text of the exercise ask for?"
)
def first_of_equals(text, merges):
    words = [list(word.encode()) for word in cut(text)]
    return learned(words, merges, lambda counts: counts.most_common(1)[0][0])


@exercise.misconception(
    "Of pairs that occur equally often you take the largest. `max` over (count, pair) does "
    "that; the smallest pair is asked for."
)
def largest_of_equals(text, merges):
    words = [list(word.encode()) for word in cut(text)]
    return learned(words, merges, lambda counts: max(counts, key=lambda pair: (counts[pair], pair)))


@exercise.misconception(
    "You count each different word once. A word that occurs five times counts five times."
)
def every_word_once(text, merges):
    return learned([list(word.encode()) for word in dict.fromkeys(cut(text))], merges)


@exercise.misconception(
    "The spaces and line breaks are gone from your words: `text.split()` drops them. They are "
    "bytes of the text as any other."
)
def without_spaces(text, merges):
    return learned([list(word.encode()) for word in text.split()], merges)


@exercise.misconception(
    "Your words end with the space that follows them. A word begins with the space before it."
)
def space_at_the_end(text, merges):
    words = [list(word.encode()) for word in re.split(r"(?<=[ \n])", text)]
    return learned(words, merges)


@exercise.misconception("You cut before spaces only. A line break begins a word, too.")
def cuts_at_spaces_only(text, merges):
    words = [list(word.encode()) for word in re.split("(?= )", text)]
    return learned(words, merges)


@exercise.misconception(
    "You begin with characters and their numbers. Begin with the bytes of the text in UTF-8: a "
    "letter such as é has two."
)
def of_characters(text, merges):
    return learned([list(map(ord, word)) for word in cut(text)], merges)


@exercise.misconception(
    "All your merges are pairs of bytes: you counted once, at the beginning. Merge the first "
    "pair everywhere, then count again."
)
def counts_once(text, merges):
    counts = Counter(pair for word in cut(text) for pair in pairs_of(word.encode()))
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:merges]


@exercise.misconception(
    "You stop while there are still pairs: one that occurs once is merged, too. When is no pair "
    "left?"
)
def stops_at_one(text, merges):
    return learned([list(word.encode()) for word in cut(text)], merges, least=2)


@exercise.misconception(
    "In a row of equal tokens you merge from the right. Of three equal ones the first two "
    "become one."
)
def from_the_right(text, merges):
    def backwards(word, pair, token):
        return merged(word[::-1], pair[::-1], token)[::-1]

    return learned([list(word.encode()) for word in cut(text)], merges, merge=backwards)


@exercise.misconception(
    "Your new tokens are off by one. The bytes are 0 to 255: which number is free for the first "
    "merge?"
)
def numbers_from_257(text, merges):
    return learned([list(word.encode()) for word in cut(text)], merges, first=257)


@exercise.misconception(
    "You count a pair at places that do not overlap. In a row of three equal tokens the pair "
    "stands at two places; count both."
)
def without_overlaps(text, merges):
    def apart(word):
        found, last = [], None
        for at, pair in enumerate(pairs_of(word)):
            if last is not None and last[0] == at - 1 and last[1] == pair:
                last = None
            else:
                found.append(pair)
                last = (at, pair)
        return found

    return learned([list(word.encode()) for word in cut(text)], merges, pairs=apart)
