"""Opens nbgrader's gradebook. One that cannot be used is refused before nbgrader writes in it."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from nbgrader import api
from nbgrader.api import Base, Gradebook
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import Connection, create_engine, event, inspect, text

from autograder.course.nbgrader_errors import (
    READ_ONLY,
    RESTORE,
    UPGRADE,
    GradebookError,
    file_of,
    naming_the_fault,
    patiently,
    place,
)

LOCK_TIMEOUT = "5s"  # SQLite's own, which a server does not have


@contextmanager
def opened(url: str, course_id: str) -> Iterator[Gradebook]:
    """A gradebook, made where there is none.

    Raises GradebookError where it cannot be used, now or in what is done with it.
    """
    book = patiently(url, partial(_open, url, course_id))
    with naming_the_fault(url), closing(book):
        yield book


def refuse(url: str) -> None:
    """Raise GradebookError for a gradebook that cannot be used. It need not be there yet."""
    patiently(url, partial(_refuse, url))


def refuse_unwritable(url: str) -> None:
    """Raise GradebookError where a gradebook that is a file may be read at most."""
    file = file_of(url)
    for path in (file, file.parent) if file else ():
        if path.exists() and not os.access(path, os.W_OK):
            raise GradebookError(f"The gradebook {file} {READ_ONLY}")


def _open(url: str, course_id: str) -> Gradebook:
    _refuse(url)
    with without_alembic():
        book = Gradebook(url, course_id)
    if book.engine.dialect.name == "postgresql":
        event.listen(book.engine, "begin", _wait_for_locks_as_sqlite_does)
    return book


def _refuse(url: str) -> None:
    file = file_of(url)
    if file and file.is_dir():
        raise GradebookError(f"{file} is a folder where the gradebook should be. {RESTORE}")
    if file and not file.exists():
        return  # SQLite would make it
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            _refuse_tables(url, connection)
    finally:
        engine.dispose()


def _refuse_tables(url: str, connection: Connection) -> None:
    tables = set(inspect(connection).get_table_names())
    if tables and tables.isdisjoint(Base.metadata.tables) and file_of(url):
        raise GradebookError(
            f"{place(url)} is no gradebook: it is a database of another program. {RESTORE}"
        )
    if "alembic_version" in tables:
        for version in connection.scalars(text("SELECT version_num FROM alembic_version")):
            _refuse_version(url, version)


def _refuse_version(url: str, version: str) -> None:
    """Refuse what nbgrader's migrations cannot lead on from: each is named after its version."""
    migrations = [*Path(ALEMBIC_DIR, "versions").glob("*.py")]
    if any(f"down_revision = '{version}'" in path.read_text("utf-8") for path in migrations):
        raise GradebookError(f"The gradebook {place(url)} {UPGRADE}")
    if not any(path.name.startswith(f"{version}_") for path in migrations):
        raise GradebookError(
            f"The gradebook {place(url)} is of a newer nbgrader than the one installed here, which "
            f"does not know its version {version}. Install that nbgrader, then run this again."
        )


def _wait_for_locks_as_sqlite_does(connection: Connection) -> None:
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")


def skip_alembic_version_check() -> None:
    """From now on, in a process that is nbgrader's own."""
    api.get_alembic_version = _newest_version


@contextmanager
def without_alembic() -> Iterator[None]:
    """While it lasts, in a process that may have another use for nbgrader."""
    stock = api.get_alembic_version
    skip_alembic_version_check()
    try:
        yield
    finally:
        api.get_alembic_version = stock


def _newest_version() -> str:
    from alembic.script import ScriptDirectory  # which is needed for a new gradebook only

    return str(ScriptDirectory(ALEMBIC_DIR).get_current_head())
