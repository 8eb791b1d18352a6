"""An exception, or a value of any make, in a few plain words.

Both may be a learner's own, whose names and texts are whatever they like: raising, not texts,
without end but for the limit.
"""

import inspect
import linecache
from collections.abc import Callable
from types import CodeType, TracebackType
from typing import Any

from autograder.exercise.observation import LINE, LINES, MESSAGE, NAME, Failure

CELL = "<cell "
GIVEN = ("<specimen>", "<model>")  # sources that are the author's
# Whose code raised, where it is neither the learner's cell nor another: something that the cell
# was given, or what calls the cell and uses what comes back.
AN_INPUT, THE_CHECK = "what it was given", "the check"


def describe(error: BaseException, own: Callable[..., Any] | None = None) -> Failure:
    """Return the exception at the deepest line of the learner's own, without our frames.

    own: what was called; the line is one of its cell, where that is known. A part of the exception
    that cannot be read is left out.
    """
    line, source, within = _place(error, _home(own))
    return Failure(type_name(type(error)), _message(error), line, source[:LINE], within[:NAME])


def _home(own: Any) -> set[str]:
    """Return the file names of the cell in which a function or a class was written."""
    try:
        parts = [own, *vars(own).values()] if inspect.isclass(own) else [own]
        codes = [part.__code__ for part in parts if inspect.isfunction(part)]
        return {code.co_filename for code in codes if _is_learners(code.co_filename)}
    except BaseException:  # it may be of any make
        return set()


def type_name(kind: type) -> str:
    """Return the name that a class was given, whatever its metaclass says."""
    return text(type.__dict__["__name__"].__get__(kind), NAME)


def text(value: Any, limit: int) -> str:
    """At most `limit` characters as a plain string; "" for what is no string."""
    return str.__getitem__(value, slice(limit)) if issubclass(type(value), str) else ""


def _message(error: BaseException) -> str:
    try:
        return text(error.msg if isinstance(error, SyntaxError) else str(error), MESSAGE)
    except BaseException:  # its author may raise anything here; the exception itself is what counts
        return ""


def _place(error: BaseException, home: set[str]) -> tuple[int, str, str]:
    """The line within the learner's cell, 0 where there is none, what is written there, and what
    else raised: a function of another cell, AN_INPUT or THE_CHECK."""
    try:
        if isinstance(error, SyntaxError):
            line = error.lineno if type(error.lineno) is int else 0
            return min(max(line, 0), LINES), text(error.text, LINE).strip(), ""
        frames = [
            frame
            for frame in _frames(error.__traceback__)
            if _is_learners(frame[0]) or frame[0] in GIVEN
        ]
        learners = [frame for frame in frames if frame[0] not in GIVEN]
        if not learners:
            return 0, "", THE_CHECK if frames else ""
        file, line, _ = ([frame for frame in learners if frame[0] in home] or learners)[-1]
        last, _, name = frames[-1]
        within = AN_INPUT if last in GIVEN else "" if last == file else text(name, NAME)
        return line, linecache.getline(file, line).strip(), within
    except BaseException:  # an exception may lie about its lines, or none of them is the learner's
        return 0, "", ""


def _frames(trace: TracebackType | None) -> list[tuple[str, int, str]]:
    """File name, line and function of each frame, the outermost first."""
    frames = []
    while trace is not None:
        code: CodeType = trace.tb_frame.f_code
        frames.append((code.co_filename, trace.tb_lineno or 0, code.co_qualname))
        trace = trace.tb_next
    return frames


def _is_learners(filename: str) -> bool:
    """Cells that we executed, and the names that IPython gives to cells."""
    return filename.startswith((CELL, "<ipython-input")) or "ipykernel_" in filename
