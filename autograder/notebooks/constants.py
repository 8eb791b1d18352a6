"""Which statements of a student's cells set a constant: the same each time, whatever ran before."""

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Iterator, Set

from autograder.notebooks.parsing import DEFINITION

PYTHON = frozenset(dir(builtins)) | {"__name__"}
MODULES = frozenset({"torch", "math", "np", "numpy"})
# Parts of what they offer that draw numbers, have weights that do, read files or change a state.
CHANGING = frozenset({
    "nn", "random", "bernoulli", "multinomial", "normal", "poisson", "dropout", "empty",
    "empty_like", "empty_strided", "load", "loadtxt", "fromfile", "compile", "manual_seed", "seed",
})  # fmt: skip


def constants(node: ast.stmt, known: Set[str]) -> set[str]:
    """The names that a statement sets to a constant, which may be made of `known` names.

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
    """The names that one statement sets, and no other, where no function or class is entered."""
    times = Counter(name for tree in trees for node in tree.body for name in _sets(node))
    return frozenset(name for name, count in times.items() if count == 1)


def _sets(node: ast.stmt) -> Iterator[str]:
    """The names that a statement sets; those in the branches of an `if` once for all."""
    if isinstance(node, DEFINITION):
        return iter([node.name])
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    names = [part.id for part in parts if not isinstance(part.ctx, ast.Load)]
    return iter(set(names) if isinstance(node, ast.If) else names)


def _plain(target: ast.expr) -> list[ast.expr]:
    """What `a` or `a, b` is made of."""
    return target.elts if isinstance(target, ast.Tuple) else [target]


def _is_constant(value: ast.expr | None, known: Set[str]) -> bool:
    """Whether a value is a function, or is made by what makes the same of the same."""
    if value is None:
        return False
    if isinstance(value, ast.Lambda):
        return True
    parts = list(ast.walk(value))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    repeats = all(_repeats(part.func) for part in parts if isinstance(part, ast.Call))
    return repeats and not names - known - PYTHON - MODULES


def _repeats(function: ast.expr) -> bool:
    """Whether it is Python's own, or of torch, math or numpy, or a method of what is made here."""
    if isinstance(function, ast.Name):
        return function.id in PYTHON
    while isinstance(function, ast.Attribute):
        if function.attr in CHANGING or function.attr.startswith("rand"):
            return False
        function = function.value
    return not isinstance(function, ast.Name) or function.id in MODULES
