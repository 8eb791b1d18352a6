"""An exception, or a value of any make, in a few plain words.

Both may be a learner's own, whose names and texts are whatever they like: raising, not texts,
without end but for the limit.
"""

import linecache
import traceback
from typing import Any

from autograder.calls.observation import LINE, LINES, MESSAGE, NAME, Failure

CELL = "<cell "


def describe(error: BaseException) -> Failure:
    """The exception at the deepest line of the learner's own, without our frames.

    A part of it that cannot be read is left out.
    """
    line, source = _place(error)
    return Failure(type_name(type(error)), _message(error), line, source[:LINE])


def type_name(kind: type) -> str:
    """The name that a class was given, whatever its metaclass says."""
    return text(type.__dict__["__name__"].__get__(kind), NAME)


def text(value: Any, limit: int) -> str:
    """At most `limit` characters as a plain string; "" for what is no string."""
    return str.__getitem__(value, slice(limit)) if issubclass(type(value), str) else ""


def _message(error: BaseException) -> str:
    try:
        return text(error.msg if isinstance(error, SyntaxError) else str(error), MESSAGE)
    except BaseException:  # its author may raise anything here; the exception itself is what counts
        return ""


def _place(error: BaseException) -> tuple[int, str]:
    """The line within the learner's cell, 0 where there is none, and what is written there."""
    try:
        if isinstance(error, SyntaxError):
            line = error.lineno if type(error.lineno) is int else 0
            return min(max(line, 0), LINES), text(error.text, LINE).strip()
        frames = traceback.extract_tb(error.__traceback__)
        mine = [frame for frame in frames if _is_learners(frame.filename)]
        line = mine[-1].lineno or 0
        return line, linecache.getline(mine[-1].filename, line).strip()
    except BaseException:  # as above, or none of the lines is the learner's
        return 0, ""


def _is_learners(filename: str) -> bool:
    """Cells that we executed, and the names that IPython gives to cells."""
    return filename.startswith((CELL, "<ipython-input")) or "ipykernel_" in filename
