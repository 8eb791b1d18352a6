"""A notebook is given code of another chapter, so that an exercise may build on it.

A cell with `given: 05_multi_head/MultiHeadAttention` is empty in the text of its chapter. Its code
is the file of this name in the folder `given` of that chapter, written once for all notebooks.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.common.cell import GIVEN, SETUP

NAME = re.compile(r"(\d\d_\w+)/([A-Za-z_]\w{0,50})", re.ASCII)


def file_of(folder: Path, name: str) -> Path:
    """Return the file of what the chapter in `folder` is given by this name; it may not exist."""
    chapter, _, what = name.partition("/")
    return folder.parent / chapter / GIVEN / f"{what}.py"


def files(text: NotebookNode, folder: Path) -> list[Path]:
    """Return all files that a chapter is given."""
    named = [cell.metadata[GIVEN] for cell in text.cells if GIVEN in cell.metadata]
    return [file_of(folder, name) for name in named]


def fill(text: NotebookNode, folder: Path) -> None:
    """Put the code into the cells; it is run before every answer, as the imports are."""
    for cell in text.cells:
        if GIVEN in cell.metadata:
            cell.source = file_of(folder, cell.metadata[GIVEN]).read_text("utf-8").strip()
            cell.metadata["role"] = SETUP


def slips(name: Any, source: str, folder: Path) -> Iterator[str]:
    """Yield what is wrong with such a cell of the chapter in `folder`."""
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        yield f"`given` is {name!r}. Name a chapter and what it gives: 05_multi_head/{name}."
        return
    if source.strip():
        yield f"the cell has code, and `given: {name}` brings other. Keep one of them."
    path = file_of(folder, name)
    if not path.is_file():
        yield f"`given: {name}` needs {path}, which does not exist."
    elif path.stem not in _defined(path):
        yield f"{path} defines no function or class {path.stem}. Define it."


def _defined(path: Path) -> set[str]:
    """Return the names that a file defines; none where it is no Python."""
    try:
        body = ast.parse(path.read_text("utf-8")).body
    except (SyntaxError, UnicodeDecodeError):
        return set()
    return {str(getattr(node, "name", "")) for node in body}
