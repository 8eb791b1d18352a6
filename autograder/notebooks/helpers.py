"""A solution may use imports, functions, classes and constants of the student's other cells.

Variables are not among it: a function that reads one works in the student's notebook only, and
`other_cells.py` says so. Text is parsed here and never run; how much of it is bounded, since the
parser's time and memory are the grader's own.
"""

import ast
import builtins
import keyword
import re
import symtable
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from autograder.common.cell import sent_elsewhere
from autograder.notebooks.parsing import CELL_LIMIT, DEFINITION, first_line, quietly, readable
from autograder.notebooks.submission import SubmittedCell

PYTHON = frozenset(dir(builtins)) | {"__name__"}
MODULES = frozenset({"torch", "math", "np", "numpy"})
# Parts of what they offer that draw numbers, have weights that do, read files or change a state.
CHANGING = frozenset({
    "nn", "random", "bernoulli", "multinomial", "normal", "poisson", "dropout", "empty",
    "empty_like", "empty_strided", "load", "loadtxt", "fromfile", "compile", "manual_seed", "seed",
})  # fmt: skip


def constants(node: ast.stmt, known: Set[str]) -> set[str]:
    """Return the names that a statement sets to a constant, which may be built from `known` names.

    An `if` sets one where its test is constant and all that its branches do is to set some.
    """
    if isinstance(node, ast.If) and _is_constant(node.test, known):
        branches = [constants(statement, known) for statement in (*node.body, *node.orelse)]
        return set().union(*branches) if all(branches) else set()
    if not isinstance(node, ast.Assign | ast.AnnAssign) or not _is_constant(node.value, known):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {part.id for target in targets for part in _plain(target) if isinstance(part, ast.Name)}


def set_once(trees: Iterable[ast.Module]) -> frozenset[str]:
    """Return the names that one statement sets, and no other, outside functions and classes."""
    times = Counter(name for tree in trees for node in tree.body for name in _sets(node))
    return frozenset(name for name, count in times.items() if count == 1)


def _sets(node: ast.stmt) -> Iterator[str]:
    """Return the names that a statement sets; those in the branches of an `if` once for all."""
    if isinstance(node, DEFINITION):
        return iter([node.name])
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    names = [part.id for part in parts if not isinstance(part.ctx, ast.Load)]
    return iter(set(names) if isinstance(node, ast.If) else names)


def _plain(target: ast.expr) -> list[ast.expr]:
    """Return the parts of `a` or `a, b`."""
    return target.elts if isinstance(target, ast.Tuple) else [target]


def _is_constant(value: ast.expr | None, known: Set[str]) -> bool:
    """Tell whether a value is a function, or is made by what makes the same of the same."""
    if value is None:
        return False
    if isinstance(value, ast.Lambda):
        return True
    parts = list(ast.walk(value))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    repeats = all(_repeats(part.func) for part in parts if isinstance(part, ast.Call))
    return repeats and not names - known - PYTHON - MODULES


def _repeats(function: ast.expr) -> bool:
    """Tell whether it is Python's own, of torch, math or numpy, or a method of what is made."""
    if isinstance(function, ast.Name):
        return function.id in PYTHON
    while isinstance(function, ast.Attribute):
        if function.attr in CHANGING or function.attr.startswith("rand"):
            return False
        function = function.value
    return not isinstance(function, ast.Name) or function.id in MODULES


TOTAL_LIMIT = 200_000  # characters of a notebook that are searched for helpers
STATEMENT_LIMIT = 50
HEADING = "# From your other cells:"
NOT_NAMES = PYTHON.union(keyword.kwlist)
BINDING = re.compile(  # the start of a statement that may bind a name, as far as its names reach
    r"^(?:def|class|async)\b[^(:\n]*"
    r"|^(?:for|with)\b[^:\n]*"
    r"|^(?:try:[ \t]*\n[ \t]+)?(?:import|from)\b(?:[^(\n\\]|\\\n?)*(?:\([^)]{0,2000})?"
    r"|^(?:(?:if|elif|else)\b[^\n]*:[ \t]*\n[ \t]+)?\w+(?:[ \t]*[=,][ \t]*\w+)*[ \t]*[:=]",
    re.MULTILINE,
)
STAR = "*"  # `from ... import *`
IMPORT = (ast.Import, ast.ImportFrom)
FUTURE = re.compile(r"^from __future__ import [\w ,]+$", re.MULTILINE)
WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, order=True)
class Statement:
    """A top-level statement: the position of its cell, its first line, its text."""

    cell: int
    line: int
    text: str


class Helpers:
    """The definitions, imports and constants of a notebook's code cells."""

    def __init__(
        self,
        cells: list[SubmittedCell],
        setup: list[str],
        exercises: frozenset[str],
        newer: bool = False,
    ):
        """`setup` are the texts of the cells that run before every solution.

        newer: what only a newer Python reads is left out of the cells.
        """
        self.cells, self.setup, self.newer = cells, frozenset(setup), newer
        self.known = exercises.union(*map(bound, setup))

    def above(self, source: str, position: int) -> str:
        """Return a solution that stands at `position`, with what it needs of other cells above it.

        As it is if it needs nothing, or if the two are not Python together.
        """
        if not self.may_help(source):  # to parse takes ten times as long
            return source
        lacking = undefined(source) - self.known
        needed = [statement.text for statement in self._needed(position, lacking)]
        first = FUTURE.findall(source)  # which has to stay at the top
        whole = "\n".join([*first, HEADING, *needed, "", FUTURE.sub("", source)])
        return whole if needed and quietly(_symbols, whole) is not None else source

    def may_help(self, source: str) -> bool:
        """Tell whether a text has names that other cells bind or may bind, by their looks."""
        return STAR in self._offered or not self._offered.isdisjoint(WORD.findall(source))

    def is_bound(self, name: str) -> bool:
        """Tell whether a cell binds a name, to whatever."""
        return any(name in bound(source) for _, source, _ in self.searched)

    def _needed(self, position: int, names: Iterable[str]) -> list[Statement]:
        """Return the statements that bind `names` and, in turn, what those statements use.

        Of several, the last one above the cell at `position` counts, else the first one below.
        """
        waiting, chosen = sorted(names), set[Statement]()
        asked = set(waiting)
        while waiting and len(chosen) < STATEMENT_LIMIT:
            bindings = self._bindings.get(waiting.pop()) or self._bindings.get(STAR, [])
            nearest = min(bindings, key=_nearness(position), default=None)
            if nearest is None or nearest in chosen:  # one statement may bind very many names
                continue
            chosen.add(nearest)
            more = undefined(nearest.text) - self.known - asked
            asked |= more
            waiting += sorted(more)
        return sorted(chosen)

    @cached_property
    def searched(self) -> list[tuple[int, str, list[str]]]:
        """Position and source of the code cells, as many as are looked at, and lines left out."""
        searched, length = [], 0
        for position, cell in enumerate(self.cells):
            if self._is_searched(cell):
                length += len(cell.source)
                read = readable(cell.source) if self.newer else (cell.source, [])
                searched.append((position, *read))
            if length > TOTAL_LIMIT:
                break
        return searched

    def _is_searched(self, cell: SubmittedCell) -> bool:
        code = cell.kind == "code" and len(cell.source) <= CELL_LIMIT
        return code and cell.source not in self.setup and not sent_elsewhere(cell.source)

    @cached_property
    def _offered(self) -> frozenset[str]:
        """The names that the cells bind, by their looks, and some more."""
        texts = [text for _, source, _ in self.searched for text in BINDING.findall(source)]
        words = frozenset(word for text in texts for word in WORD.findall(text))
        return (words - self.known - NOT_NAMES).union(STAR for text in texts if STAR in text)

    @cached_property
    def _bindings(self) -> dict[str, list[Statement]]:
        """The statements that may help, by the name that each binds."""
        bindings: dict[str, list[Statement]] = {}
        cells = [(at, source, quietly(ast.parse, source)) for at, source, _ in self.searched]
        parsed = [(position, source, tree) for position, source, tree in cells if tree]
        once, known = set_once(tree for *_, tree in parsed), set(self.known)
        for position, source, tree in parsed:
            lines = source.split("\n")
            for node in tree.body:
                names = _helping(node, known)
                known.update(names & once)  # in the order of the cells, as they were run
                for name in names:
                    bindings.setdefault(name, []).append(_statement(position, node, lines))
        return bindings


@lru_cache(maxsize=256)
def undefined(source: str) -> frozenset[str]:
    """Return the global names that a text uses and nowhere binds; none if it is not Python."""
    table = quietly(_symbols, source)
    used = {
        symbol.get_name()
        for scope in _scopes(table)
        for symbol in scope.get_symbols()
        if symbol.is_global() and symbol.is_referenced()
    }
    return frozenset(used) - _bound(table) - PYTHON


@lru_cache(maxsize=256)
def bound(source: str) -> frozenset[str]:
    """Return the global names that a text binds."""
    return _bound(quietly(_symbols, source))


def _bound(table: symtable.SymbolTable | None) -> frozenset[str]:
    symbols = table.get_symbols() if table else []
    return frozenset(s.get_name() for s in symbols if s.is_assigned() or s.is_imported())


def _scopes(table: symtable.SymbolTable | None) -> Iterator[symtable.SymbolTable]:
    waiting = [table] if table else []
    while waiting:
        scope = waiting.pop()
        yield scope
        waiting += scope.get_children()


def _nearness(position: int) -> Callable[[Statement], tuple[bool, int, int]]:
    """Return a sort key: first what stands above a position, the lowest first; then the rest."""

    def key(at: Statement) -> tuple[bool, int, int]:
        below = at.cell > position
        return (below, at.cell, at.line) if below else (below, -at.cell, -at.line)

    return key


def _statement(position: int, node: ast.stmt, lines: list[str]) -> Statement:
    first = first_line(node)
    return Statement(position, first, "\n".join(lines[first - 1 : node.end_lineno]))


def _helping(node: ast.stmt, known: Set[str]) -> set[str]:
    """Return the names that a statement binds to something that may help elsewhere."""
    if isinstance(node, DEFINITION):
        return {node.name}
    if isinstance(node, IMPORT):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    if isinstance(node, ast.Try) and all(isinstance(part, IMPORT) for part in node.body):
        return set().union(*(_helping(part, known) for part in node.body))
    return constants(node, known)


def _symbols(source: str) -> symtable.SymbolTable:
    return symtable.symtable(source, "cell", "exec")
