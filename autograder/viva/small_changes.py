"""Small changes to a student's code that keep its names, comments and layout."""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from autograder.authoring.mutants import mutated

LINES, WIDTH = 60, 110  # of code that fits on a sheet; a change is at most LONGEST lines
LONGEST = 3
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
ADDED = re.compile(r"\.(?:detach|float|squeeze)\(\)|\.mT\b")  # which few people add by mistake
UNNATURAL = re.compile(r"~~|-0\b|not not")  # which nobody writes: it gives away what was changed


@dataclass(frozen=True)
class Change:
    """One small change. first, last: the lines that it replaces, from 1. lines: what stands there.

    source: the whole code with the change in it. likely: somebody may make it by mistake.
    """

    first: int
    last: int
    lines: tuple[str, ...]
    source: str
    likely: bool


@dataclass(frozen=True)
class Code:
    """A student's answer to an exercise. own: the last definition with the exercise's name."""

    source: str
    own: ast.FunctionDef | ast.ClassDef

    @classmethod
    def of(cls, source: str, exercise: str) -> "Code | None":
        """Return None for what is not Python or does not define the exercise at its top level.

        Also for signs that Python or a printer takes for the end of a line, or for nothing.
        """
        if not source.replace("\n", "").replace("\t", "").isprintable():
            return None
        tree = parsed(source)
        named = [one for one in tree.body if getattr(one, "name", "") == exercise] if tree else []
        own = named[-1] if named else None
        return cls(source, own) if isinstance(own, ast.FunctionDef | ast.ClassDef) else None

    @property
    def shown(self) -> list[tuple[int, str]]:
        """Number and text of its lines, without what docstrings say and without empty lines."""
        lines, hidden = self.source.split("\n"), set[int]()
        for said in _docstrings(parsed(self.source) or self.own):
            first, last = said.lineno, said.end_lineno or said.lineno
            before, after = _around(lines, said)
            if not before.strip() and not after.strip():
                lines[first - 1] = f'{before}"""…"""'
                hidden |= {*range(first + 1, last + 1)}
        numbered = enumerate(lines, 1)
        return [(at, line) for at, line in numbered if at not in hidden and line.strip()]

    @property
    def fits(self) -> bool:
        """Tell whether all of it can be shown on a sheet."""
        shown = self.shown
        return len(shown) <= LINES and all(
            len(text) <= WIDTH and text.isprintable() for _, text in shown
        )


def parsed(source: str) -> ast.Module | None:
    """Return the syntax tree, None for what is not Python. Warnings of Python are not shown."""
    with warnings.catch_warnings(action="ignore"), suppress(*NO_PYTHON):
        return ast.parse(source)
    return None


def _docstrings(tree: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            yield node.body[0]


def _around(lines: list[str], node: Any) -> tuple[str, str]:
    """Return what stands before and after a node in its lines. A tree's columns count bytes."""
    before = lines[node.lineno - 1].encode()[: node.col_offset].decode()
    return before, lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()


def changes(code: Code, confused: Mapping[str, str]) -> list[Change]:
    """Return all small changes of the code that a sheet can show, none twice.

    confused: names that the course says are easily confused; see `Vocabulary`.
    """
    tree = parsed(code.source)
    assert tree, "a Code is Python"
    same = ast.unparse(tree)
    own = next(one for one in reversed(tree.body) if getattr(one, "name", "") == code.own.name)
    found: dict[str, Change] = {}
    for node, new in mutated(own, confused):
        wanted = ast.unparse(tree)
        made = None if wanted in {same, *found} else _written(code.source, node, new)
        if made and _unparsed(made.source) == wanted and _can_be_shown(made):
            found[wanted] = made
    return list(found.values())


def _written(source: str, node: ast.AST, new: ast.AST) -> Change | None:
    """Replace `node` by `new`, and keep the rest of the text unchanged."""
    old, new = _narrowed(node, new)
    if not hasattr(old, "end_lineno"):
        return None
    text = _text(source, new)
    bare = _replaced(source, old, text)
    if not isinstance(new, ast.expr):
        return bare
    # What binds less than what stood there needs parentheses; a name or a number needs none.
    guarded = _replaced(source, old, f"({text})")
    wanted = _unparsed(guarded.source)
    loose = _replaced(source, old, text, within=True)
    simple = isinstance(new, ast.Name | ast.Constant | ast.Attribute | ast.Call | ast.Subscript)
    fitting = [one for one in (loose, bare) if _unparsed(one.source) == wanted]
    told = (fitting[0] if simple else fitting[-1]) if fitting else guarded
    made_up = isinstance(new, ast.Constant) and not isinstance(old, ast.Constant)
    return replace(told, likely=told.likely and not made_up)


def _text(source: str, new: ast.AST) -> str:
    """Return a part of the code as its author wrote it, and anything else as Python writes it."""
    plain = ast.unparse(new)
    written = ast.get_source_segment(source, new) if hasattr(new, "end_lineno") else None
    return written if written and _unparsed(written) == plain else plain


def _narrowed(old: ast.AST, new: ast.AST) -> tuple[ast.AST, ast.AST]:
    """Return the smallest part of a node that differs and stands somewhere in the text."""
    if type(old) is not type(new):
        return old, new
    differing = [pair for pair in _pairs(old, new) if not _equal(*pair)]
    if len(differing) == 1:
        a, b = differing[0]
        if isinstance(a, ast.stmt | ast.expr) and isinstance(b, ast.stmt | ast.expr):
            return _narrowed(a, b)
    return old, new


def _pairs(old: ast.AST, new: ast.AST) -> Iterator[tuple[object, object]]:
    """Yield the parts of two nodes of one type side by side."""
    for name in old._fields:
        a, b = getattr(old, name, None), getattr(new, name, None)
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            yield from zip(a, b, strict=True)
        else:
            yield a, b


def _equal(a: object, b: object) -> bool:
    if isinstance(a, ast.AST) and isinstance(b, ast.AST):
        return ast.dump(a) == ast.dump(b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return a == b


def _replaced(source: str, old: Any, text: str, within: bool = False) -> Change:
    """Replace the text of a node; `within`: with the parentheses right around it, if any."""
    lines, first, last = source.split("\n"), old.lineno, old.end_lineno
    before, after = _around(lines, old)
    if within and before.endswith("(") and after.startswith(")"):
        before, after = before[:-1], after[1:]
    now = (before + text.replace("\n", "\n" + " " * old.col_offset) + after).split("\n")
    was = "\n".join(lines[first - 1 : last])
    added = len(ADDED.findall("\n".join(now))) > len(ADDED.findall(was))
    whole = "\n".join([*lines[: first - 1], *now, *lines[last:]])
    return Change(first, last, tuple(now), whole, not added)


def _unparsed(source: str) -> str | None:
    """Return the code in one form for all that reads the same, or None if it is not Python."""
    tree = parsed(source)
    return ast.unparse(tree) if tree else None


def _can_be_shown(change: Change) -> bool:
    return len(change.lines) <= LONGEST and all(
        len(line) <= WIDTH and line.isprintable() and not UNNATURAL.search(line)
        for line in change.lines
    )
