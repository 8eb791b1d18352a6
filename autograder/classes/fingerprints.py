"""Fingerprints of an answer: those tokens that stay when someone renames, reformats, comments anew.

They are chosen by winnowing. S. Schleimer, D. S. Wilkerson, A. Aiken: Winnowing: Local Algorithms
for Document Fingerprinting. SIGMOD 2003, pages 76-85.
"""

import builtins
import hashlib
import keyword
import tokenize
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

LONGEST, WIDEST = 10_000, 500  # characters of an answer, and of a line, that are looked at
KEPT = frozenset(keyword.kwlist) | frozenset(dir(builtins))
LAYOUT = (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER)
OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
NAME, TEXT = "name", "text"


class Token(NamedTuple):
    """A token as it is whoever writes it, and from where to where it stands in the source."""

    text: str
    start: int
    end: int


def tokens(source: str) -> list[Token]:
    """Return the tokens of a text; of one that breaks off or is not Python, those before the place.

    Comments, docstrings, layout and the student's own names are gone. What stays is what the
    libraries call things: keywords, builtins, attributes, names of arguments.
    """
    lines = source[:LONGEST].split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    return [
        Token(text, starts[at.start[0] - 1] + at.start[1], starts[at.end[0] - 1] + at.end[1])
        for line in _logical(line[:WIDEST] + "\n" for line in lines)
        for text, at in zip(_normalised(line), line, strict=True)
    ]


def _logical(lines: Iterator[str]) -> Iterator[list[tokenize.TokenInfo]]:
    """Yield the tokens of each logical line without layout; lines of text alone are docstrings."""
    line: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(lines.__next__):
            if token.type == tokenize.NEWLINE:
                yield from _unless_docstring(line)
                line = []
            elif token.type not in LAYOUT and token.string.strip():
                line.append(token)
    except (tokenize.TokenError, SyntaxError):
        pass
    yield from _unless_docstring(line)


def _unless_docstring(line: list[tokenize.TokenInfo]) -> Iterator[list[tokenize.TokenInfo]]:
    if any(token.type != tokenize.STRING for token in line):
        yield line


def _normalised(line: list[tokenize.TokenInfo]) -> Iterator[str]:
    depth = 0
    words = ["", "", *(token.string for token in line), ""]  # each has two before it, one after
    for place, token in enumerate(line, 2):
        if token.string in OPENING:
            depth += 1
        elif token.string in CLOSING:
            depth -= 1
        if token.type == tokenize.NAME:
            argument = depth > 0 and words[place + 1] == "="
            yield _name(token.string, words[place - 2 : place], argument)
        elif token.type in (tokenize.OP, tokenize.NUMBER):
            yield token.string
        else:
            yield TEXT


def _name(word: str, before: list[str], argument: bool) -> str:
    of_library = before[1] == "." and before[0] != "self"
    return word if of_library or argument or word in KEPT else NAME


GRAM = 8  # tokens; nothing shorter is ever found
WINDOW = 4  # grams; whatever is shared by GRAM + WINDOW - 1 tokens or more is always found


@lru_cache(maxsize=1024)  # many answers are the same to the letter
def grams(source: str) -> tuple[int, ...]:
    """Return a 64-bit number for every GRAM tokens in a row, in order."""
    texts = [token.text for token in tokens(source)]
    joined = (" ".join(texts[at : at + GRAM]) for at in range(len(texts) - GRAM + 1))
    return tuple(_number(gram) for gram in joined)


def _number(gram: str) -> int:
    """Return a number that is the same in every process, so that a report can be made again."""
    return int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big")


def fingerprints(source: str, obvious: Collection[int]) -> dict[int, set[int]]:
    """Return the chosen grams that are not obvious, each with the tokens at which it begins.

    The smallest of every WINDOW neighbours is chosen, of equals the last. What is obvious is
    passed over before, so that it cannot hide what stands beside it.
    """
    numbers = grams(source)
    chosen: dict[int, set[int]] = {}
    for start in range(max(1, len(numbers) - WINDOW + 1)):
        places = range(start, min(start + WINDOW, len(numbers)))
        free = [(numbers[place], -place) for place in places if numbers[place] not in obvious]
        if free:
            gram, place = min(free)
            chosen.setdefault(gram, set()).add(-place)
    return chosen


def covered(starts: Iterable[int]) -> frozenset[int]:
    """Return the tokens of the grams that begin at `starts`."""
    return frozenset(token for start in starts for token in range(start, start + GRAM))


def own(source: str, obvious: Collection[int]) -> frozenset[int]:
    """Return the tokens of a text that lie in a gram that is not obvious."""
    return covered(at for at, gram in enumerate(grams(source)) if gram not in obvious)
