"""Errors of nbgrader and its gradebook become a sentence each; a lock is waited for."""

import logging
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from nbgrader.api import InvalidEntry
from sqlalchemy import make_url
from sqlalchemy.exc import DatabaseError, DBAPIError, InternalError, OperationalError

from autograder.common.errors import CourseError

PATIENCE = 60  # seconds for which a locked gradebook is waited for
LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, "55P03", "40P01"}  # two are PostgreSQL's
RESTORE = (
    "Put back a copy of it, or move it away; then write the marks that it lacks with "
    "`attn grade CHAPTER`. Only a copy has the marks that were given by hand."
)
UPGRADE = "is of an older nbgrader. Bring it up to date with `nbgrader db upgrade`."
READ_ONLY = "may not be written. Make it and its folder writable for you, then run this again."
WRONG: dict[object, str] = {
    **dict.fromkeys(
        LOCKED,
        "is locked by another program. Close what has it open, such as a "
        "database browser, then run this again.",
    ),
    sqlite3.SQLITE_NOTADB: f"is no gradebook: it is not an SQLite database. {RESTORE}",
    sqlite3.SQLITE_CORRUPT: f"is damaged: it was cut short or overwritten. {RESTORE}",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened. Make it and its folder readable and writable for "
    "you, then run this again.",
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_FULL: "cannot be written, because its disk is full. Free some space, then run "
    "this again.",
    "42P01": UPGRADE,  # PostgreSQL lacks a table
    "42703": UPGRADE,  # or a column
}
Result = TypeVar("Result")


class GradebookError(CourseError):
    """The gradebook cannot be used, whatever was to be read or written there."""


class Locked(GradebookError):
    """Another program has the gradebook locked."""


def place(url: str) -> str:
    """Return the file of a gradebook, or the address of its server without the password."""
    parsed = make_url(url)
    return str(parsed.database if parsed.drivername.startswith("sqlite") else parsed)


def file_of(url: str) -> Path | None:
    """Return the file of a gradebook, which may not be there; None for one that a server keeps."""
    return Path(place(url)) if make_url(url).drivername.startswith("sqlite") else None


@contextmanager
def naming_the_fault(url: str) -> Iterator[None]:
    """Raise GradebookError for what is wrong with the gradebook, and not with what is asked."""
    try:
        yield
    except (DBAPIError, InvalidEntry) as error:
        cause = error.__context__ if isinstance(error, InvalidEntry) else error
        if not isinstance(cause, DBAPIError) or not _is_of_the_gradebook(cause):
            raise
        kind = Locked if _code(cause) in LOCKED else GradebookError
        raise kind(f"The gradebook {place(url)} {_what(cause)}") from error


def patiently(url: str, act: Callable[[], Result]) -> Result:
    """Return what `act` returns, which is called again while another program has the lock.

    Raises GradebookError where it cannot be used, or is still locked after `PATIENCE` seconds.
    """
    end, waits = time.monotonic() + PATIENCE, False
    while True:
        try:
            with naming_the_fault(url):
                return act()
        except Locked:
            if time.monotonic() > end:
                raise
        if not waits:
            print(
                f"The gradebook {place(url)} is locked by another program. Waiting for it, for "
                f"{PATIENCE} seconds at most.",
                file=sys.stderr,
            )
        waits = True
        time.sleep(0.1)


def _is_of_the_gradebook(error: DBAPIError) -> bool:
    whole = isinstance(error, OperationalError | InternalError) or type(error) is DatabaseError
    return whole or str(_code(error)).startswith("42")  # a table, column or right is not there


def _code(error: DBAPIError) -> object:
    """SQLite's number of an error, or the server's code; None where there is neither."""
    number = getattr(error.orig, "sqlite_errorcode", None)
    return getattr(error.orig, "sqlstate", None) if number is None else number & 0xFF


def _what(error: DBAPIError) -> str:
    said, *_ = [*str(error.orig).splitlines(), ""]
    if said.startswith(("no such table", "no such column")):  # which SQLite has no number for
        return UPGRADE
    return WRONG.get(_code(error), f"cannot be used: {said}. Mend that, then run this again.")


BESIDE = ("[SQL: ", "[parameters: ", "(Background on this error")  # below an error of SQLAlchemy


def quiet(log: logging.Logger) -> list[str]:
    """Keep what a converter of nbgrader would print about errors, in the list that is returned."""
    said: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    log.handlers, log.propagate = [handler], False
    return said


def reason(said: list[str], error: BaseException) -> str:
    """Return the last line of the last traceback in what was said, else the error."""
    tracebacks = [text for text in said if text.startswith("Traceback")] or [str(error)]
    lines = [line for line in tracebacks[-1].strip().splitlines() if not line.startswith(BESIDE)]
    return lines[-1]
