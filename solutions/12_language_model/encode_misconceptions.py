"""Known mistakes of `encode`."""

import re

import torch

from .encode import exercise


def replaced(parts, pair, token):
    out: list[int] = []
    for part in parts:
        if out and (out[-1], part) == tuple(pair):
            out[-1] = token
        else:
            out.append(part)
    return out


def replaced_once(parts, pair, token):
    for at in range(len(parts) - 1):
        if (parts[at], parts[at + 1]) == tuple(pair):
            return [*parts[:at], token, *parts[at + 2 :]]
    return parts


@exercise.base
def right(text, merges):
    tokens = []
    for word in re.split(r"(?=[ \n])", text):
        parts = list(word.encode())
        for number, pair in enumerate(merges):
            parts = replaced(parts, pair, 256 + number)
        tokens += parts
    return torch.tensor(tokens, dtype=torch.int64)


# fmt: off
right.mistake("across_words", {'re.split(r"(?=[ \\n])", text)': "[text]"},
    "You merge across words. The merges were learned within words. Cut the text before every "
    "space and line break first.")


@exercise.misconception(
    "You take the longest token that fits at each place. Apply the merges in the order in which "
    "they were learned, which may give another result."
)
def longest_match(text, merges):
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    numbers = {piece: at for at, piece in reversed(list(enumerate(pieces)))}
    tokens = []
    for word in re.split(r"(?=[ \n])", text):
        rest = word.encode()
        while rest:
            size = next(n for n in range(len(rest), 0, -1) if rest[:n] in numbers)
            tokens.append(numbers[rest[:size]])
            rest = rest[size:]
    return torch.tensor(tokens)


@exercise.misconception(
    "You merge whichever pair comes first from the left. The pair that was learned earliest goes "
    "first, wherever it is."
)
def leftmost_pair(text, merges):
    numbers = {tuple(pair): 256 + at for at, pair in enumerate(merges)}
    tokens = []
    for word in re.split(r"(?=[ \n])", text):
        parts, at = list(word.encode()), 0
        while at < len(parts) - 1:
            pair = (parts[at], parts[at + 1])
            if pair in numbers:
                parts[at : at + 2], at = [numbers[pair]], 0
            else:
                at += 1
        tokens += parts
    return torch.tensor(tokens)


right.mistake("last_merge_first", {"enumerate(merges)": "reversed(list(enumerate(merges)))"},
    "You apply the merges from the last to the first. Later ones build on earlier ones.")
right.mistake("first_place_only", {"replaced(parts": "replaced_once(parts"},
    "You replace each pair once per word. A merge applies at every place where its pair occurs.")
right.mistake("from_the_right",
    {"replaced(parts, pair, 256 + number)":
        "replaced(parts[::-1], pair[::-1], 256 + number)[::-1]"},
    "In a row of equal tokens you merge from the right. Of three equal tokens, the first two "
    "become one.")
right.mistake("not_lossless", {'re.split(r"(?=[ \\n])", text)': "text.split()"},
    "Spaces and line breaks are missing from your tokens, so the text cannot be recovered from "
    "them.")
right.mistake("of_characters", {"list(word.encode())": "list(map(ord, word))"},
    "You begin with the numbers of the characters. Begin with the bytes of the text in UTF-8, "
    "where a letter such as é has two.")
right.mistake("drops_other_letters", {"encode()": 'encode("ascii", "ignore")'},
    "Letters outside ASCII are missing from your tokens, so the text cannot be recovered from "
    "them.")
right.mistake("numbers_from_257", {"256": "257"},
    "The numbers of your merged tokens are off by one. The first merge gives the token 256, the "
    "second 257.")
right.mistake("space_at_the_end", {"(?=[ \\n])": "(?<=[ \\n])"},
    "Your words end with the space after them. A word begins with the space before it.")
right.mistake("cuts_at_spaces_only", {"(?=[ \\n])": "(?= )"},
    "You cut only before spaces. A line break begins a word, too.")
right.mistake("cuts_at_tabs", {"(?=[ \\n])": "(?=\\s)"},
    "You cut the text before other characters, too, as `\\s` does. Only a space and a line break "
    "begin a word. A tab is a byte like others.")
right.mistake("strips_the_text", {", text)": ", text.strip())"},
    "White space at the ends of the text is missing from your tokens. It consists of bytes like "
    "any others.")
right.mistake("other_ends_of_lines",
    {", text)": ', text.replace("\\r\\n", "\\n").replace("\\r", "\\n"))'},
    "You change the line endings: `\\r\\n` and `\\n` are different bytes. Leave them as they are.")
right.mistake("with_a_start", {"tensor(tokens": "tensor([0, *tokens]"},
    "You put a start token before your tokens. Return only those of the text.")
