"""A solution may work only in the learner's notebook; this says so before it is graded."""

import ast
import re
from collections.abc import Collection
from contextlib import suppress

from autograder.common.cell import without_magics
from autograder.notebooks.helpers import bound
from autograder.notebooks.other_cells import OtherCells
from autograder.notebooks.parsing import DEFINITION, HERE, for_a_later_python
from autograder.notebooks.submission import Submission, SubmittedCell

MOST = 3  # sentences on a card
KEPT = (*DEFINITION, ast.Import, ast.ImportFrom)
SETUP = re.compile(r"^[ \t]*from autograder import\b.*\bcheck\b", re.MULTILINE)


def only_here(name: str, exercises: Collection[str], run: list[str]) -> list[str]:
    """Return a sentence for each such thing that the cell of an exercise uses.

    run: all cells that were run so far, as they were written.
    """
    cells = _latest(run)
    own = next((at for at in reversed(range(len(cells))) if name in bound(cells[at])), None)
    if own is None:
        return []
    submission = Submission([SubmittedCell("code", "", cell) for cell in cells], python=HERE)
    setup = [cell for cell in cells if SETUP.search(cell)]
    others = OtherCells(submission, setup, frozenset(exercises))
    kept, words = _definitions(cells[own])
    lacks = others.whole(name, kept, own).lacks
    named = words - (bound(cells[own]) - bound(kept))
    told = [sentence for lacking, sentence in lacks.items() if lacking in named]
    return list(dict.fromkeys([*for_a_later_python(cells[own]), *told]))[:MOST]


def _latest(cells: list[str]) -> list[str]:
    """Leave out cells that were run again since, as they were or after an edit."""
    latest, seen = list[str](), set[str]()
    for cell in reversed(cells):
        names = bound(cell) or {cell}
        if not names <= seen:
            latest.append(cell)
        seen |= names
    return latest[::-1]


def _definitions(source: str) -> tuple[str, set[str]]:
    """Return the imports, functions and classes of a cell, and the words in all but the imports.

    What else is there, such as a demonstration, may fail and costs nothing.
    """
    kept, words = list[str](), set[str]()
    with suppress(Exception):
        for node in ast.parse(without_magics(source)).body:
            if isinstance(node, KEPT):
                kept.append(ast.unparse(node))
            if isinstance(node, DEFINITION):
                words |= set(re.findall(r"\w+", kept[-1]))
    return "\n".join(kept), words
