"""A cell's text as Python, as far as it is Python. It is parsed here and never run.

How much of it is bounded, since the parser's time and memory are the grader's own.
"""

import ast
import contextlib
import re
import warnings
from collections.abc import Callable, Collection
from typing import TypeVar

from autograder.common.magics import without_magics

DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
CELL_LIMIT = 20_000  # characters of a cell that is parsed

T = TypeVar("T")


def quietly(parse: Callable[[str], T], source: str) -> T | None:
    """What `parse` makes of a text, without IPython's lines where need be; None if nothing."""
    if len(source) > CELL_LIMIT:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for prepare in (str, without_magics):
            with contextlib.suppress(Exception):  # above all SyntaxError and RecursionError
                return parse(prepare(source))
    return None


def first_line(node: ast.stmt) -> int:
    """The number of a statement's first line, its decorators included."""
    decorators = node.decorator_list if isinstance(node, DEFINITION) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def without(names: Collection[str], source: str) -> str:
    """The text with blank lines for the functions and classes of these names."""
    tree, lines = quietly(ast.parse, source), source.split("\n")
    for node in tree.body if tree else []:
        if isinstance(node, DEFINITION) and node.name in names:
            first, end = first_line(node) - 1, node.end_lineno or node.lineno
            lines[first:end] = [""] * (end - first)
    return "\n".join(lines)


def from_definition(name: str, source: str) -> str:
    """Of a text with other words above it, what begins with the definition; "" without one."""
    found = re.search(rf"^(def|class)[ \t]+{name}\b", source, re.MULTILINE)
    return source[found.start() :].split("\n```", maxsplit=1)[0] if found else ""


def defines_nothing(name: str, source: str) -> bool:
    """Whether a text is a function or class of this name in which nothing is written.

    Such as a stub whose comment or docstring was edited, or that was cut down to `pass`.
    """
    tree = quietly(ast.parse, source)
    body = [node for node in tree.body if not _does_nothing(node)] if tree else []
    named = len(body) == 1 and isinstance(body[0], DEFINITION) and body[0].name == name
    return named and _is_blank(body[0])


def _is_blank(node: ast.stmt) -> bool:
    """Whether a definition holds nothing, or only definitions that hold nothing."""
    inner = node.body if isinstance(node, DEFINITION) else []
    return all(_does_nothing(part) or _is_blank(part) for part in inner) and bool(inner)


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise):
        return "NotImplementedError" in ast.unparse(node)
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant or isinstance(node, ast.Pass)
