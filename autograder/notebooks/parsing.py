"""A cell's text as Python, as far as it is Python. It is parsed here and never run.

How much of it is bounded, since the parser's time and memory are the grader's own.
"""

import ast
import contextlib
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

from autograder.common.cell import without_magics
from autograder.common.libraries import oldest_python

DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
CELL_LIMIT = 20_000  # characters of a cell that is parsed

T = TypeVar("T")


def quietly(parse: Callable[[str], T], source: str) -> T | None:
    """Return what `parse` makes of a text, if need be without IPython's lines; None if nothing."""
    if len(source) > CELL_LIMIT:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for prepare in (str, without_magics):
            with contextlib.suppress(Exception):  # above all SyntaxError and RecursionError
                return parse(prepare(source))
    return None


def first_line(node: ast.stmt) -> int:
    """Return the number of a statement's first line, its decorators included."""
    decorators = node.decorator_list if isinstance(node, DEFINITION) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def without(names: Collection[str], source: str) -> str:
    """Return the text with blank lines for the functions and classes of these names."""
    tree, lines = quietly(ast.parse, source), source.split("\n")
    for node in tree.body if tree else []:
        if isinstance(node, DEFINITION) and node.name in names:
            first, end = first_line(node) - 1, node.end_lineno or node.lineno
            lines[first:end] = [""] * (end - first)
    return "\n".join(lines)


def from_definition(name: str, source: str) -> str:
    """Cut a text with other words above it to what begins with the definition; "" without one."""
    found = re.search(rf"^(def|class)[ \t]+{name}\b", source, re.MULTILINE)
    return source[found.start() :].split("\n```", maxsplit=1)[0] if found else ""


def defines_nothing(name: str, source: str) -> bool:
    """Tell whether a text is a function or class of this name in which nothing is written.

    It may be a stub whose comment or docstring was edited, or that was cut down to `pass`.
    """
    tree = quietly(ast.parse, source)
    body = [node for node in tree.body if not _does_nothing(node)] if tree else []
    named = len(body) == 1 and isinstance(body[0], DEFINITION) and body[0].name == name
    return named and _is_blank(body[0])


def _is_blank(node: ast.stmt) -> bool:
    """Tell whether a definition holds nothing, or only definitions that hold nothing."""
    inner = node.body if isinstance(node, DEFINITION) else []
    return all(_does_nothing(part) or _is_blank(part) for part in inner) and bool(inner)


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise):
        return "NotImplementedError" in ast.unparse(node)
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant or isinstance(node, ast.Pass)


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
    """Tell whether a version of Python, "" where it is not known, may be later than this one."""
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
    """Comment out what only a newer Python reads in a cell, and return the lines that this hit.

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
    """Return the line at which Python stops to read; -1 where it reads all, or cannot say."""
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
    """Return where the top-level statement of line `at` begins and ends, with its decorators."""
    first = at = min(at, len(lines) - 1)
    while first and (GOES_ON.match(lines[first]) or lines[first - 1].startswith("@")):
        first -= 1
    end = at + 1
    while end < len(lines) and (GOES_ON.match(lines[end]) or lines[end - 1].startswith("@")):
        end += 1
    return first, end
