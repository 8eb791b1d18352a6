"""The source of a function or class, with what it uses of its chapter: a text that runs alone."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.calls.cell import GIVEN

Definition = ast.FunctionDef | ast.ClassDef


def source_as(target: Callable[..., Any], name: str) -> str:
    """Its source without decorators, under another name; beyond its chapter it needs only imports.

    Above it come the functions and classes of the same chapter that it names, and those that they
    name, the furthest first.
    """
    own = _definition(target)
    own.name = name
    return "\n\n\n".join(map(ast.unparse, [*map(_definition, _used(target)), own]))


def _used(target: Any) -> list[Any]:
    """What `target` needs of its chapter, in an order in which it can be defined."""
    seen, needed = [target], []

    def visit(definition: Any) -> None:
        for other in _named(definition):
            if other not in seen:
                seen.append(other)
                visit(other)
                needed.append(other)

    visit(target)
    return needed


def _named(target: Any) -> list[Any]:
    """The functions and classes of the same chapter that its definition names."""
    module = vars(sys.modules[target.__module__])
    nodes = ast.walk(_definition(target))
    names = dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))
    package = target.__module__.rpartition(".")[0]
    return [module[name] for name in names if package and _is_of(module.get(name), package)]


def _is_of(value: Any, package: str) -> bool:
    """Whether it is defined in the chapter itself; what that is given the notebook has."""
    defined = inspect.isfunction(value) or inspect.isclass(value)
    own = defined and value.__module__.startswith(f"{package}.")
    return own and Path(inspect.getfile(value)).parent.name != GIVEN


def _definition(target: Any) -> Definition:
    definition = ast.parse(_source(target)).body[0]
    assert isinstance(definition, Definition)
    definition.decorator_list = []
    return definition


@lru_cache(maxsize=1024)  # of a class, Python finds the source by parsing its whole file
def _source(target: Any) -> str:
    return textwrap.dedent(inspect.getsource(target))
