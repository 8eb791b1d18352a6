"""What of a learner's cells does not work where they are graded, as sentences for the learner."""

import ast
import sys
from collections.abc import Iterator
from contextlib import suppress

from autograder.calls.cell import SETUP, Cell
from autograder.calls.magics import without_magics
from autograder.calls.observation import Failure
from autograder.sandbox.worker import IMPORTS

LIBRARIES = frozenset({"torch", "IPython", *(name.split(".")[0] for name in IMPORTS)})
HAS = "the grader has torch, numpy, jaxtyping, matplotlib, IPython and Python's own library"


def said_by_running(cell: Cell, failure: Failure) -> str:
    """That a statement failed."""
    where = f"`{failure.source}`" if failure.source else f"line {failure.line}"
    why = f"{failure.type}: {failure.message}".rstrip(": .")
    return f"In the cell {_name(cell)}, {where} does not work: {why}."


def said_by_reading(cell: Cell) -> Iterator[str]:
    """Which libraries the grader may not have, and which lines it passes over."""
    python = _as_python(cell.source)
    for name in sorted(_imported(python) - LIBRARIES - sys.stdlib_module_names):
        yield f"The cell {_name(cell)} imports {name}; {HAS}."
    for line, kept in zip(cell.source.split("\n"), python.split("\n"), strict=False):
        if line != kept:
            yield f"In the cell {_name(cell)}, `{line.strip()}` is for IPython and does nothing."


def _name(cell: Cell) -> str:
    return "with the imports" if cell.name.startswith(SETUP) else cell.name


def _as_python(source: str) -> str:
    """The text that is run: without the lines for IPython alone, if it is no Python with them."""
    try:
        ast.parse(source)
    except Exception:
        return without_magics(source)
    return source


def _imported(source: str) -> set[str]:
    """The top-level packages that a text imports anywhere; none if it is not Python."""
    names = set[str]()
    with suppress(Exception):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    return names
