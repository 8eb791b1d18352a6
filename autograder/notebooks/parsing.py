"""A cell's text as Python, as far as it is Python. It is parsed here and never run.

How much of it is bounded, since the parser's time and memory are the grader's own.
"""

import ast
import contextlib
import warnings
from collections.abc import Callable, Collection
from typing import TypeVar

from autograder.calls.magics import without_magics

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
