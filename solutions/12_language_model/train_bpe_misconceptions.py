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
    "Of pairs that occur equally often you compare the second tokens first. The smaller first "
    "token decides, and the second one only where the first ones are equal."
)
def ties_by_the_second_token(text, merges):
    words = [list(word.encode()) for word in cut(text)]
    return learned(words, merges, lambda counts: min(counts, key=lambda p: (-counts[p], *p[::-1])))


@exercise.misconception(
    "Of pairs that occur equally often you compare the first tokens only. Where these are equal, "
    "the smaller second one decides."
)
def ties_by_the_first_token_only(text, merges):
    words = [list(word.encode()) for word in cut(text)]
    return learned(words, merges, lambda counts: min(counts, key=lambda p: (-counts[p], p[0])))


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
    "The spaces and line breaks are gone from your words: `re.split` drops what it finds. A "
    "lookahead, `(?=...)`, finds the place before them and drops nothing."
)
def drops_what_it_cuts_at(text, merges):
    return learned([list(word.encode()) for word in re.split(r"[ \n]", text)], merges)


@exercise.misconception(
    "You change the text before you count: capital letters are other bytes than small ones."
)
def lower_case(text, merges):
    return learned([list(word.encode()) for word in cut(text.lower())], merges)


@exercise.misconception(
    "Blanks at the ends of the text are missing. They are bytes of their words as any other."
)
def strips_the_text(text, merges):
    return learned([list(word.encode()) for word in cut(text.strip())], merges)


@exercise.misconception(
    r"You change the ends of lines before you count: `\r\n` and `\n` are different bytes."
)
def other_ends_of_lines(text, merges):
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return learned([list(word.encode()) for word in cut(text)], merges)


@exercise.misconception(
    "You write letters in another way before you count, as with a letter and an accent joined to "
    "one character. These are other bytes."
)
def joins_letters_and_accents(text, merges):
    text = text.replace("e\u0301", "\u00e9")  # as NFC does
    return learned([list(word.encode()) for word in cut(text)], merges)


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


@exercise.misconception(
    "Of pairs that occur equally often you take the one whose bytes come first. It is the numbers "
    "of the two tokens that are compared."
)
def ties_by_bytes(text, merges):
    words, made = [list(word.encode()) for word in cut(text)], []
    spelled = {byte: bytes([byte]) for byte in range(256)}
    for token in range(256, 256 + merges):
        counts = Counter(pair for word in words for pair in pairs_of(word))
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], [spelled[part] for part in pair]))
        spelled[token] = spelled[best[0]] + spelled[best[1]]
        made.append(best)
        words = [merged(word, best, token) for word in words]
    return made


@exercise.misconception(
    "A pair that stands in a word at several places counts once there. Count every place."
)
def counts_a_pair_once_a_word(text, merges):
    words = [list(word.encode()) for word in cut(text)]
    return learned(words, merges, pairs=lambda word: dict.fromkeys(pairs_of(word)))


@exercise.misconception(
    r"You cut the text before other characters, too, as `\s` does. Only a space and a line break "
    "begin a word: a tab is a byte like others."
)
def cuts_at_tabs(text, merges):
    return learned([list(word.encode()) for word in re.split(r"(?=\s)", text)], merges)


@exercise.misconception(
    "Several spaces in a row stand in one word. A word begins before every space."
)
def joins_spaces_in_a_row(text, merges):
    words = [list(word.encode()) for word in re.split(r"(?<![ \n])(?=[ \n])", text)]
    return learned(words, merges)


@exercise.misconception(
    "You merge a pair at its first place in a word only. Merge it at every place."
)
def merges_the_first_place_only(text, merges):
    def first(word, pair, token):
        at = next((at for at, two in enumerate(pairs_of(word)) if two == pair), None)
        return word if at is None else [*word[:at], token, *word[at + 2 :]]

    return learned([list(word.encode()) for word in cut(text)], merges, merge=first)


@exercise.misconception(
    "Your pairs hold what tokens spell. A merge is a pair of numbers, such as (108, 256)."
)
def pairs_of_bytes(text, merges):
    spelled = [bytes([byte]) for byte in range(256)]
    made = learned([list(word.encode()) for word in cut(text)], merges)
    for left, right in made:
        spelled.append(spelled[left] + spelled[right])
    return [(spelled[left], spelled[right]) for left, right in made]
