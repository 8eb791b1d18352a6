"""A mistake as a difference: a right implementation in whose text little is changed."""

import ast
import keyword
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from autograder.common import source_location
from autograder.exercise import definitions

Compiled = Callable[..., Any]


def changed(base: Compiled, name: str, changes: Mapping[str, str]) -> tuple[Compiled, str]:
    """The function or class `name` that the changes make of `base`, and its text.

    It sees what `base` sees: it is compiled in the same module. Raises ValueError, which goes on
    after the name of the mistake, where a change does not fit.
    """
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError("needs a name as functions have it")
    text = _replaced(_undecorated(base), changes)
    try:
        tree = ast.parse(text)
        tree.body[0] = definitions.parsed(text)
    except SyntaxError as error:
        raise ValueError(f"is no Python: {error.msg} in `{(error.text or '').strip()}`") from error
    return _compiled(base, name, tree), text


def _undecorated(base: Compiled) -> str:
    """The text of a definition from `def` or `class` on."""
    text = definitions.source(base)
    return "".join(text.splitlines(keepends=True)[definitions.parsed(text).lineno - 1 :])


def _replaced(text: str, changes: Mapping[str, str]) -> str:
    """Each change is looked for in the text of the base, not in what another one put there."""
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
    assert isinstance(definition, definitions.Definition)
    definition.name = name
    made: dict[str, Any] = {}
    code = compile(tree, str(source_location.file_of(base)), "exec")
    exec(code, vars(sys.modules[base.__module__]), made)
    return made[name]
