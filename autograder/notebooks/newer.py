"""Notebooks of a newer Python than this one: what of a cell it cannot read, and why."""

import ast
import re
import sys
from collections.abc import Iterator

from autograder.common.libraries import oldest_python
from autograder.common.magics import without_magics
from autograder.notebooks.parsing import CELL_LIMIT

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
STATEMENTS = 10  # of a cell that are left out
GOES_ON = re.compile(r"[\s)\]}#]|$|(?:elif|else|except|finally)\b")  # no new statement
NEW = re.compile(  # what Python has learned since 3.11, by its looks
    r"""
    ^[ \t]*(?:def|class|async[ ]def)[ ]+\w+\[   # parameters of a type, since 3.12
    | ^[ \t]*type[ ]+\w+[ ]*[=\[]               # names of types, since 3.12
    | ^[ \t]*except[ ]+[\w.]+[ ]*,              # exceptions without parentheses, since 3.14
    | \b[tT][rR]?["']                           # templates, since 3.14
    | \b(?:[fF][rR]?|[rR][fF])(?:               # in braces of a text, since 3.12:
        "[^"\n]*\{[^{}"\n]*+(?:"[^\n]*\}|\\|\n[^{}"]*+\})    # its own quotes, \\, a new line
        | '[^'\n]*\{[^{}'\n]*+(?:'[^\n]*\}|\\|\n[^{}']*+\}))
    """,
    re.MULTILINE | re.VERBOSE,
)


def may_be_newer(python: str) -> bool:
    """Whether a version of Python, "" where it is not known, may be later than this one."""
    return not python or tuple(map(int, python.split("."))) > sys.version_info[:2]


def for_a_later_python(source: str) -> Iterator[str]:
    """That a cell needs a later Python than all that the course is for, as a sentence."""
    found, oldest = NEW.search(source) if len(source) <= CELL_LIMIT else None, oldest_python()
    if found and oldest:
        line = found[0].split("\n")[0].strip()
        yield (
            f"Python {oldest}, with which this may be graded, cannot read what stands at `{line}`: "
            "write it as an earlier Python reads it."
        )


def readable(source: str) -> tuple[str, list[str]]:
    """A cell in which what only a newer Python reads is a comment, and the lines that became one.

    As it was where that does not help: an error in every Python stays what it is.
    """
    lines, left_out = source.split("\n"), list[str]()
    if len(source) > CELL_LIMIT or not NEW.search(source):  # to parse takes ten times as long
        return source, []
    for _ in range(STATEMENTS):
        at = _refused("\n".join(lines))
        if at < 0:
            return "\n".join(lines), left_out
        first, end = _statement(lines, at)
        if not NEW.search("\n".join(lines[first:end])):
            break
        left_out += lines[first:end]
        lines[first:end] = [f"# {line}" for line in lines[first:end]]
    return source, []


def _refused(source: str) -> int:
    """The index of the line at which Python stops to read; -1 where it reads all, or cannot say."""
    refused = -1
    for prepare in (str, without_magics):
        try:
            ast.parse(prepare(source))
            return -1
        except SyntaxError as error:
            refused = max(error.lineno or 0, 1) - 1
        except Exception:  # too deep for the parser, or with a byte that no text has
            return -1
    return refused


def _statement(lines: list[str], at: int) -> tuple[int, int]:
    """Where the top-level statement that holds line `at` begins and ends, with its decorators."""
    first = at = min(at, len(lines) - 1)
    while first and (GOES_ON.match(lines[first]) or lines[first - 1].startswith("@")):
        first -= 1
    end = at + 1
    while end < len(lines) and (GOES_ON.match(lines[end]) or lines[end - 1].startswith("@")):
        end += 1
    return first, end
