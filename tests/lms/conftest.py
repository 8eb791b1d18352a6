"""These tests start stock nbgrader too, and make gradebooks with it, as in an activated .venv."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def activated() -> Iterator[None]:
    """Stock nbgrader finds `alembic` on the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
        yield
