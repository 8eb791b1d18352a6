"""Right code with one mistake in it; a mutant that the grader accepts shows a missing case."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.calls.vocabulary import NO_WORDS
from autograder.course.operators import DETACH, mutations


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
    for changed in _changed(source, confused):
        text = ast.unparse(changed)
        if text not in made:
            made[text] = _named(name, next(iter(made)), text)
    if not cut:
        known = next(iter(made)).count(f".{DETACH}(")
        made = {text: title for text, title in made.items() if text.count(f".{DETACH}(") <= known}
    return [Mutant(title, text) for text, title in _numbered(made).items() if title]


def _changed(source: str, confused: Mapping[str, str]) -> Iterator[ast.Module]:
    """A tree for each mutation of each node."""
    for index in range(len(_nodes(ast.parse(source)))):
        number = 0
        while True:
            tree = ast.parse(source)  # anew: a mutation may hold parts of the tree
            node = _nodes(tree)[index]
            choices = list(mutations(node, confused))
            if number == len(choices):
                break
            yield _replaced(tree, node, choices[number])
            number += 1


def _nodes(tree: ast.Module) -> list[ast.AST]:
    """What may be changed in the last definition: the bodies, without signatures and docstrings."""
    own = tree.body[-1]
    fixed = {id(part) for definition in ast.walk(own) for part in _signature(definition)}
    return [node for node in ast.walk(own) if node is not own and id(node) not in fixed]


def _signature(node: ast.AST) -> Iterator[ast.AST]:
    """What a definition says about itself, with all that it consists of."""
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


def _replaced(tree: ast.Module, old: ast.AST, new: ast.AST) -> ast.Module:
    _Replacing(old, new).visit(tree)
    return ast.fix_missing_locations(tree)


class _Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST):
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


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
