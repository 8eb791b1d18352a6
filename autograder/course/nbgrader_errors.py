"""Errors that nbgrader prints become one line instead of a traceback."""

import logging

BESIDE = ("[SQL: ", "[parameters: ", "(Background on this error")  # below an error of SQLAlchemy


def quiet(log: logging.Logger) -> list[str]:
    """Keep what a converter of nbgrader would print about errors, in the list that is returned."""
    said: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    log.handlers, log.propagate = [handler], False
    return said


def reason(said: list[str], error: BaseException) -> str:
    """The last line of the last traceback in what was said, else the error."""
    tracebacks = [text for text in said if text.startswith("Traceback")] or [str(error)]
    lines = [line for line in tracebacks[-1].strip().splitlines() if not line.startswith(BESIDE)]
    return lines[-1]
