"""A solution with what it has of its notebook's other cells, and why it lacks the rest here.

What runs in the student's notebook may not run where it is graded: variables, files, libraries and
a newer Python are there only.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from autograder.common.cell import without_magics
from autograder.common.libraries import has, is_graded_with
from autograder.notebooks.helpers import Helpers, bound, undefined
from autograder.notebooks.parsing import CELL_LIMIT, HERE, may_be_newer, readable
from autograder.notebooks.submission import Submission

SELF = ""  # as a name: the cell itself
NAMES, NAME, LINE = 20, 60, 100  # how many names are explained; characters of what is repeated
HELPED = "What it uses of other cells was put above it"
TO_LOOK_AT = "a person should look at it"
VERSIONS = f"The notebook was written with Python {{}}, and it is graded with Python {HERE}"
A_LATER = "3.12 or later"  # where the notebook does not say
SET = (
    "`{0}` is set in another cell. Of other cells only functions, classes, imports and constants "
    "are there when this is graded: set `{0}` in the cell of {1}."
)
LIBRARY = (
    "{} is not installed where this is graded: there are only {}, and of your files only the "
    "notebook. Write what you need of it in the notebook."
)
FILE = (
    "`{}` is not defined in the notebook, and `{}` does nothing where this is graded: of your "
    "files only the notebook is there. Write what you need in the notebook."
)
FILES = re.compile(r"^[ \t]*((?:from[ \t]+([.\w]+)[ \t]+import[ \t]*\*|%(?:run|load)\b).*)", re.M)
IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]", re.M)


@dataclass(frozen=True)
class Whole:
    """A solution with what it has of other cells, and what the teacher should know of that.

    notes: beginnings of sentences that end with the name of the exercise.
    lacks: by name, a sentence on why it is not there; by SELF, why the cell itself cannot be read.
    """

    source: str
    notes: list[str] = field(default_factory=list)
    lacks: dict[str, str] = field(default_factory=dict)


class OtherCells:
    """The cells of a notebook, to be asked what a solution has of them."""

    def __init__(self, submission: Submission, setup: list[str], exercises: frozenset[str]):
        """Take the same as Helpers does."""
        self.newer = may_be_newer(submission.python)
        self.helpers = Helpers(submission.cells, setup, exercises, self.newer)
        self.brought = brought(setup)
        self.versions = VERSIONS.format(submission.python or A_LATER)

    def whole(self, name: str, source: str, position: int) -> Whole:
        """Return the solution of an exercise, which stands in the cell at `position`."""
        source, notes, lacks = self._as_read_here(name, source)
        complete = self.helpers.above(source, position)
        if complete != source:
            notes.append(HELPED)
        names = undefined(complete) - self.helpers.known if self._may_lack(complete) else ()
        for lacking in sorted(names)[:NAMES]:
            if sentence := self._why(lacking, name):
                lacks[lacking] = sentence
            if sentence.startswith(self.versions):
                notes.append(f"{sentence.rstrip('.')}; {TO_LOOK_AT}")
        return Whole(complete, notes, self._of_libraries(complete) | lacks)

    def _as_read_here(self, name: str, source: str) -> tuple[str, list[str], dict[str, str]]:
        """Return the source without what only a newer Python reads, notes on it, what it lacks."""
        read, left_out = readable(source) if self.newer else (source, [])
        if not left_out:
            return source, [], {}
        if name in bound(read):
            sentence = f"{self.versions}, which cannot read `{left_out[0][:LINE]}`."
            lacks = dict.fromkeys(_defined(left_out), sentence)
            return read, [f"{sentence.rstrip('.')}; that was left out"], lacks
        sentence = f"{self.versions}, which cannot read this cell."
        return source, [f"{sentence.rstrip('.')}; {TO_LOOK_AT}"], {SELF: sentence}

    def _may_lack(self, source: str) -> bool:
        """Tell whether to look closer, which takes ten times as long."""
        return bool(self._files or self._unread) or self.helpers.may_help(source)

    def _why(self, lacking: str, exercise: str) -> str:
        """Say why a name is not there that the notebook has, as a sentence; "" if it has none."""
        if lacking in self._unread:
            return f"{self.versions}, which cannot read the cell of `{lacking[:NAME]}`."
        if self.helpers.is_bound(lacking):
            return SET.format(lacking[:NAME], exercise)
        return FILE.format(lacking[:NAME], self._files[0][:LINE]) if self._files else ""

    @cached_property
    def _unread(self) -> frozenset[str]:
        """The names that cells define in statements that this Python cannot read."""
        return frozenset(name for *_, lines in self.helpers.searched for name in _defined(lines))

    @cached_property
    def _files(self) -> list[str]:
        """The lines by which the notebook takes names from a file that is not there."""
        found = (
            place for _, source, _ in self.helpers.searched for place in FILES.finditer(source)
        )
        return [place[1] for place in found if not (place[2] and self._has(_top(place[2])))]

    def _of_libraries(self, source: str) -> dict[str, str]:
        """Say why what a text imports may not be there, by module and by its name in the text."""
        return {
            name[:NAME]: LIBRARY.format(module[:NAME], has(self.brought))
            for bound_name, module in imported(source)
            if not self._has(module)
            for name in (bound_name, module)
        }

    def _has(self, module: str) -> bool:
        return is_graded_with(module) or module in self.brought


def _defined(lines: list[str]) -> set[str]:
    """Return the names that lines define, by their looks."""
    found = (re.match(r"(?:(?:async +)?def +|class +|type +)?(\w+)", line) for line in lines)
    return {place[1] for place in found if place}


def brought(setup: Iterable[str]) -> list[str]:
    """Return the libraries beside those of every course that the cells with the imports import."""
    modules = {module for source in setup for _, module in imported(source)}
    return sorted(module for module in modules if not is_graded_with(module))


def imported(source: str) -> Iterator[tuple[str, str]]:
    """Yield each name that a text imports anywhere, with the top-level module it comes from."""
    if len(source) > CELL_LIMIT or not IMPORT.search(source):
        return
    try:
        nodes = list(ast.walk(ast.parse(without_magics(source))))
    except Exception:
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or _top(alias.name), _top(alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + _top(node.module or "")
            for alias in node.names:
                yield alias.asname or alias.name, module


def _top(module: str) -> str:
    return module.partition(".")[0]
