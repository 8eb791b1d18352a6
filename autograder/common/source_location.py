"""These functions find a place in an author's files, and write it as "FILE, line N"."""

import ast
import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any


def of_error(error: Exception, path: Path) -> str:
    """Return the last line that ran in the file or beside it; the file alone where none did."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent == path.parent]
    return f"{own[-1].filename}, line {own[-1].lineno}" if own else str(path)


def of_definition(target: Callable[..., Any]) -> str:
    """Return the first line of a function or class, its decorator."""
    return f"{file_of(target)}, line {inspect.getsourcelines(target)[1]}"


def of_statement() -> str:
    """Return the author's statement that called the function of ours which calls this one."""
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename}, line {frame.f_lineno}"


def file_of(target: Callable[..., Any]) -> Path:
    return Path(inspect.getsourcefile(target) or "")


def of_text(path: Path, text: str) -> str:
    """Return the first line of a file that has the text as a string; else the file alone."""
    strings = (
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value == text
    )
    line = min((node.lineno for node in strings), default=0)
    return f"{path}, line {line}" if line else str(path)
