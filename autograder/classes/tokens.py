"""Python text as the tokens that stay when someone renames, reformats and comments anew."""

import builtins
import keyword
import tokenize
from collections.abc import Iterator
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
    """The tokens of a text; of one that breaks off or is not Python, those before the place.

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
    """The tokens of each logical line without layout; lines of nothing but text are docstrings."""
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
