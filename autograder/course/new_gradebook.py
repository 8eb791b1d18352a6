"""A new gradebook without `alembic`, which nbgrader starts by name to ask for the tables' version.

That takes seconds, and fails where .venv was not activated.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from nbgrader import api
from nbgrader.dbutil import ALEMBIC_DIR


def spare_alembic() -> None:
    """From now on, in a process that is nbgrader's own."""
    api.get_alembic_version = _newest_version


@contextmanager
def without_alembic() -> Iterator[None]:
    """While it lasts, in a process that may have another use for nbgrader."""
    stock = api.get_alembic_version
    spare_alembic()
    try:
        yield
    finally:
        api.get_alembic_version = stock


def _newest_version() -> str:
    from alembic.script import ScriptDirectory  # which is needed for a new gradebook only

    return str(ScriptDirectory(ALEMBIC_DIR).get_current_head())
