"""The text of a function or class: as it runs alone, and with some of it changed by a mistake."""

import ast
import inspect
import keyword
import re
import sys
import textwrap
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.common import source_location
from autograder.common.cell import GIVEN

Definition = ast.FunctionDef | ast.ClassDef


def source_as(target: Callable[..., Any], name: str, text: str = "") -> str:
    """Return its source without decorators, under another name, with what it needs of its chapter.

    Above it come the functions and classes of the same chapter that it names, and those that they
    name, the furthest first. text: of its definition, where no file holds it.
    """
    own = parsed(text or source(target))
    others = [parsed(source(other)) for other in _used(target, own)]
    own.name = name
    return "\n\n\n".join(map(ast.unparse, [*others, own]))


def _used(target: Any, own: Definition) -> list[Any]:
    """Return what `target` needs of its chapter, in an order in which it can be defined."""
    seen, needed = [target], []

    def visit(module: str, definition: Definition) -> None:
        for other in _named(module, definition):
            if other not in seen:
                seen.append(other)
                visit(other.__module__, parsed(source(other)))
                needed.append(other)

    visit(target.__module__, own)
    return needed


def _named(module: str, definition: Definition) -> list[Any]:
    """Return the functions and classes of the same chapter that a definition in `module` names."""
    known, package = vars(sys.modules[module]), module.rpartition(".")[0]
    nodes = ast.walk(definition)
    names = dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))
    return [known[name] for name in names if package and _is_of(known.get(name), package)]


def _is_of(value: Any, package: str) -> bool:
    """Tell whether it is defined in the chapter itself; the notebook has what that is given."""
    defined = inspect.isfunction(value) or inspect.isclass(value)
    own = defined and value.__module__.startswith(f"{package}.")
    return own and Path(inspect.getfile(value)).parent.name != GIVEN


def parsed(text: str) -> Definition:
    """Return the function or class that a text defines, without its decorators."""
    definition = ast.parse(text).body[0]
    assert isinstance(definition, Definition)
    definition.decorator_list = []
    return definition


@lru_cache(maxsize=1024)  # of a class, Python finds the source by parsing its whole file
def source(target: Any) -> str:
    """Return the text of a function or class as it is written, with its decorators."""
    return textwrap.dedent(inspect.getsource(target))


Compiled = Callable[..., Any]


def changed(base: Compiled, name: str, changes: Mapping[str, str]) -> tuple[Compiled, str]:
    """Return the function or class `name` that the changes make of `base`, and its text.

    It sees what `base` sees: it is compiled in the same module. Raises ValueError, which goes on
    after the name of the mistake, where a change does not fit.
    """
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError("needs a name as functions have it")
    text = _replaced(_undecorated(base), changes)
    try:
        tree = ast.parse(text)
        tree.body[0] = parsed(text)
    except SyntaxError as error:
        raise ValueError(f"is no Python: {error.msg} in `{(error.text or '').strip()}`") from error
    return _compiled(base, name, tree), text


def _undecorated(base: Compiled) -> str:
    """Return the text of a definition from `def` or `class` on."""
    text = source(base)
    return "".join(text.splitlines(keepends=True)[parsed(text).lineno - 1 :])


def _replaced(text: str, changes: Mapping[str, str]) -> str:
    """Look for each change in the text of the base, not in what another one put there."""
    if not changes:
        raise ValueError("changes nothing")
    for old, new in changes.items():
        if old == new:
            raise ValueError(f"changes {old!r} into the same")
        if (count := text.count(old)) != 1:
            raise ValueError(f"changes {old!r}, which its base has {count} times instead of once")
    parts = "|".join(map(re.escape, changes))
    after, count = re.subn(parts, lambda found: changes[found[0]], text)
    if count != len(changes):
        raise ValueError("has changes that overlap")
    return after


def _compiled(base: Compiled, name: str, tree: ast.Module) -> Compiled:
    (definition,) = tree.body
    assert isinstance(definition, Definition)
    definition.name = name
    made: dict[str, Any] = {}
    code = compile(tree, str(source_location.file_of(base)), "exec")
    exec(code, vars(sys.modules[base.__module__]), made)
    return made[name]
