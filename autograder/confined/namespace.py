"""Run a cell as IPython does, where nobody sits in front of it and much is refused."""

import __future__

import ast
import asyncio
import inspect
import linecache
from collections.abc import Coroutine
from types import CodeType
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from autograder.common.cell import without_magics, without_timing
from autograder.confined.failures import CELL, describe
from autograder.exercise.observation import Failure


def fresh_namespace() -> dict[str, Any]:
    """Return the names that a cell finds before any other was run, beside Python's own."""
    return {"__name__": "__main__", "display": _nothing, "get_ipython": _IPython}


def run_cell(name: str, source: str, namespace: dict[str, Any]) -> Failure | None:
    """Execute a cell as a notebook would; returns the first failure in it, or None.

    A statement that fails costs only itself: it may ask for what is refused here, or for a variable
    of a cell that is not run. Only an exit, which asks for the end, ends the cell.
    """
    filename = f"{CELL}{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        statements = _statements(source, filename)
    except BaseException as error:
        return describe(error)
    codes = [code for code in statements if isinstance(code, CodeType)]
    awaits = any(code.co_flags & inspect.CO_COROUTINE for code in codes)
    run = _in_a_loop if awaits else _at_once
    return run(_executed(statements, namespace))


def _statements(source: str, filename: str) -> list[CodeType | SyntaxError]:
    """Leave a cell that is Python as it stands so. Read one that is for IPython as it does.

    If that fails, what only IPython understands is left out, line by line.
    """
    for prepare in (str, _as_ipython_reads, without_magics):
        try:
            return _compiled(prepare(source), filename)
        except Exception as error:
            refused = error
    raise refused


def _as_ipython_reads(source: str) -> str:
    """Return the text with calls of `get_ipython()` for the lines that only IPython understands."""
    cell = without_timing(source)
    blank = len(cell) - len(cell.lstrip("\n"))  # which IPython takes away
    return "\n" * blank + str(TransformerManager().transform_cell(cell))


def _compiled(source: str, filename: str) -> list[CodeType | SyntaxError]:
    """Compile its statements one by one, as IPython does, each with the `__future__` above it.

    In the place of one that is none, such as a `return` in no function, stands its error.
    """
    flags, compiled = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, list[CodeType | SyntaxError]()
    for node in ast.parse(source, filename).body:
        try:
            code = compile(ast.Module([node], []), filename, "exec", flags, dont_inherit=True)
            flags |= code.co_flags & __future__.annotations.compiler_flag
            compiled.append(code)
        except SyntaxError as error:
            compiled.append(error)
    return compiled


async def _executed(
    statements: list[CodeType | SyntaxError], namespace: dict[str, Any]
) -> Failure | None:
    first = None
    for code in statements:
        if isinstance(code, SyntaxError):
            first = first or describe(code)
            continue
        try:
            awaited = eval(code, namespace)
            if awaited is not None:
                await awaited
        except Exception as error:
            first = first or describe(error)
        except BaseException as error:  # SystemExit too: a cell must not end the run
            return first or describe(error)
    return first


def _at_once(cell: Coroutine[Any, Any, Failure | None]) -> Failure | None:
    """Run a cell that awaits nothing."""
    try:
        cell.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("a cell without `await` has waited")


def _in_a_loop(cell: Coroutine[Any, Any, Failure | None]) -> Failure | None:
    """Run a cell that awaits; tasks that it leaves behind end with it."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(cell)


class _Loop(asyncio.SelectorEventLoop):
    """An event loop without the sockets by which threads and signals wake it; all are refused."""

    _csock = None

    def _make_self_pipe(self) -> None: ...

    def _close_self_pipe(self) -> None: ...


class _IPython:
    """`get_ipython()` returns one of these: whatever it is asked to do, it does nothing."""

    def __getattr__(self, name: str) -> Any:
        return _nothing


def _nothing(*_: Any, **__: Any) -> None: ...
