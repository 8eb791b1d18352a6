"""Known mistakes of `encode`."""

import re

import torch

from .encode import exercise


def cut(text):
    return re.split(r"(?=[ \n])", text)


def replaced(parts, pair, token):
    out: list[int] = []
    for part in parts:
        if out and (out[-1], part) == tuple(pair):
            out[-1] = token
        else:
            out.append(part)
    return out


def encoded(words, merges, merge=replaced, first=256):
    tokens = []
    for word in words:
        parts = word
        for number, pair in enumerate(merges):
            parts = merge(parts, pair, first + number)
        tokens += parts
    return torch.tensor(tokens, dtype=torch.int64)


@exercise.misconception(
    "You merge across words. The merges were learned inside words: cut the text before every "
    "space and line break first."
)
def across_words(text, merges):
    return encoded([list(text.encode())], merges)


@exercise.misconception(
    "You take the longest token that fits at each place. Apply the merges in the order in which "
    "they were learned; the result may be another."
)
def longest_match(text, merges):
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    numbers = {piece: at for at, piece in reversed(list(enumerate(pieces)))}
    tokens = []
    for word in cut(text):
        rest = word.encode()
        while rest:
            size = next(n for n in range(len(rest), 0, -1) if rest[:n] in numbers)
            tokens.append(numbers[rest[:size]])
            rest = rest[size:]
    return torch.tensor(tokens)


@exercise.misconception(
    "You merge whichever pair you meet first from the left. The pair that was learned earliest "
    "goes first, wherever it stands."
)
def leftmost_pair(text, merges):
    numbers = {tuple(pair): 256 + at for at, pair in enumerate(merges)}
    tokens = []
    for word in cut(text):
        parts, at = list(word.encode()), 0
        while at < len(parts) - 1:
            pair = (parts[at], parts[at + 1])
            if pair in numbers:
                parts[at : at + 2], at = [numbers[pair]], 0
            else:
                at += 1
        tokens += parts
    return torch.tensor(tokens)


@exercise.misconception(
    "You apply the merges from the last to the first. Later ones are built on earlier ones."
)
def last_merge_first(text, merges):
    tokens = []
    for word in cut(text):
        parts = list(word.encode())
        for number in reversed(range(len(merges))):
            parts = replaced(parts, merges[number], 256 + number)
        tokens += parts
    return torch.tensor(tokens)


@exercise.misconception(
    "You replace each pair once in a word. A merge applies at every place where its pair stands."
)
def first_place_only(text, merges):
    def once(parts, pair, token):
        for at in range(len(parts) - 1):
            if (parts[at], parts[at + 1]) == tuple(pair):
                return [*parts[:at], token, *parts[at + 2 :]]
        return parts

    return encoded([list(word.encode()) for word in cut(text)], merges, once)


@exercise.misconception(
    "In a row of equal tokens you merge from the right. Of three equal ones the first two "
    "become one."
)
def from_the_right(text, merges):
    def backwards(parts, pair, token):
        return replaced(parts[::-1], pair[::-1], token)[::-1]

    return encoded([list(word.encode()) for word in cut(text)], merges, backwards)


@exercise.misconception(
    "Spaces and line breaks are missing from your tokens, so the text cannot be had back from them."
)
def not_lossless(text, merges):
    return encoded([list(word.encode()) for word in text.split()], merges)


@exercise.misconception(
    "You begin with the numbers of the characters. Begin with the bytes of the text in UTF-8: a "
    "letter such as é has two."
)
def of_characters(text, merges):
    return encoded([list(map(ord, word)) for word in cut(text)], merges)


@exercise.misconception(
    "Letters outside ASCII are missing from your tokens, so the text cannot be had back from them."
)
def drops_other_letters(text, merges):
    return encoded([list(word.encode("ascii", "ignore")) for word in cut(text)], merges)


@exercise.misconception(
    "Your replaced tokens are off by one. The first merge makes the token 256, the second 257."
)
def numbers_from_257(text, merges):
    return encoded([list(word.encode()) for word in cut(text)], merges, first=257)


@exercise.misconception(
    "A word begins with the space before it. Your words end with the space after them."
)
def space_at_the_end(text, merges):
    return encoded([list(word.encode()) for word in re.split(r"(?<=[ \n])", text)], merges)


@exercise.misconception("You cut before spaces only. A line break begins a word, too.")
def cuts_at_spaces_only(text, merges):
    return encoded([list(word.encode()) for word in re.split("(?= )", text)], merges)


@exercise.misconception(
    r"You cut the text before other characters, too, as `\s` does. Only a space and a line break "
    "begin a word: a tab is a byte like others."
)
def cuts_at_tabs(text, merges):
    return encoded([list(word.encode()) for word in re.split(r"(?=\s)", text)], merges)


@exercise.misconception(
    "Blanks at the ends of the text are missing from your tokens. They are bytes as any other."
)
def strips_the_text(text, merges):
    return encoded([list(word.encode()) for word in cut(text.strip())], merges)


@exercise.misconception(
    r"The ends of lines are others in your tokens: `\r\n` and `\n` are different bytes. Leave them "
    "as they are."
)
def other_ends_of_lines(text, merges):
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return encoded([list(word.encode()) for word in cut(text)], merges)


@exercise.misconception("A start stands before your tokens. Return those of the text alone.")
def with_a_start(text, merges):
    tokens = encoded([list(word.encode()) for word in cut(text)], merges)
    return torch.cat([torch.zeros(1, dtype=torch.int64), tokens])
