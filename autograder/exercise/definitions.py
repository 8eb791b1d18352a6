"""The source of a function or class, with what it uses of its chapter: a text that runs alone."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.common.cell import GIVEN

Definition = ast.FunctionDef | ast.ClassDef


def source_as(target: Callable[..., Any], name: str, text: str = "") -> str:
    """Its source without decorators, under another name; beyond its chapter it needs only imports.

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
    """The functions and classes of the same chapter that a definition in `module` names."""
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
    """The function or class that a text defines, without its decorators."""
    definition = ast.parse(text).body[0]
    assert isinstance(definition, Definition)
    definition.decorator_list = []
    return definition


@lru_cache(maxsize=1024)  # of a class, Python finds the source by parsing its whole file
def source(target: Any) -> str:
    """The text of a function or class as it is written, with its decorators."""
    return textwrap.dedent(inspect.getsource(target))
