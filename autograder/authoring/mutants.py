"""Right code with one mistake in it; a mutant that the grader accepts shows a missing case."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.authoring.operators import DETACH, mutations
from autograder.exercise.spec import NO_WORDS


@dataclass(frozen=True)
class Mutant:
    """The source of a mutant; `name` says which line became which: "NAME: `before` → `after`"."""

    name: str
    source: str


def mutants(
    name: str, source: str, cut: bool = True, confused: Mapping[str, str] = NO_WORDS.confused
) -> list[Mutant]:
    """All mutants of the last definition of `source`, none twice; `name` is whose source it is.

    cut: also those in which a gradient is cut off. confused: names that are exchanged.
    """
    made = {ast.unparse(ast.parse(source)): ""}
    for text in _changed(source, confused):
        if text not in made:
            made[text] = _named(name, next(iter(made)), text)
    if not cut:
        known = next(iter(made)).count(f".{DETACH}(")
        made = {text: title for text, title in made.items() if text.count(f".{DETACH}(") <= known}
    return [Mutant(title, text) for text, title in _numbered(made).items() if title]


def _changed(source: str, confused: Mapping[str, str]) -> Iterator[str]:
    """The source with each mutation of each node, one at a time."""
    tree = ast.parse(source)
    for _ in mutated(tree.body[-1], confused):
        yield ast.unparse(tree)


def mutated(own: ast.AST, confused: Mapping[str, str]) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield each node of a definition with what replaces it until the next one is asked for.

    What the definition says about itself, such as its signature, is left alone.
    """
    fixed = {id(part) for definition in ast.walk(own) for part in _signature(definition)}
    for parent in [*ast.walk(own)]:
        for holder, key, node in _children(parent):
            if id(node) not in fixed:
                for new in [*mutations(node, confused)]:
                    holder[key] = new
                    yield node, new
                holder[key] = node


def _children(parent: ast.AST) -> Iterator[tuple[Any, Any, ast.AST]]:
    """Each child, with the list or the fields that hold it, and its place there."""
    for name, value in ast.iter_fields(parent):
        if isinstance(value, ast.AST):
            yield vars(parent), name, value
        elif isinstance(value, list):
            yield from ((value, index, node) for index, node in enumerate(value)
                        if isinstance(node, ast.AST))  # fmt: skip


def _signature(node: ast.AST) -> Iterator[ast.AST]:
    """Return what a definition says about itself, with all that it consists of."""
    parts: list[ast.AST | None] = []
    if isinstance(node, ast.FunctionDef):
        parts = [node.args, node.returns, *node.decorator_list]
    elif isinstance(node, ast.ClassDef):
        parts = [*node.bases, *node.decorator_list]
    elif isinstance(node, ast.AnnAssign):
        parts = [node.annotation]
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
        parts.append(node.body[0])
    for part in filter(None, parts):
        yield from ast.walk(part)


def _named(name: str, before: str, after: str) -> str:
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    old, new = next((a, b) for a, b in pairs if a != b)
    return f"{name}: `{old.strip()}` → `{new.strip()}`"


def _numbered(titles: dict[str, str]) -> dict[str, str]:
    """Titles that occur again, as where a function has the same line twice, get a number."""
    seen: dict[str, int] = {}
    result = {}
    for text, title in titles.items():
        seen[title] = seen.get(title, 0) + 1
        result[text] = f"{title} ({seen[title]})" if seen[title] > 1 else title
    return result
