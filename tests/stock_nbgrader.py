"""Stock nbgrader as in an activated .venv, and a course to collect into."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from platform_zips import ROSTER

from autograder.common.files import REPOSITORY


@pytest.fixture(scope="session", autouse=True)
def activated() -> Iterator[None]:
    """Stock nbgrader finds `alembic` on the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
        yield


@pytest.fixture(scope="module")
def roster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gradebook that knows the students of `platform_zips`."""
    path = tmp_path_factory.mktemp("roster") / "gradebook.db"
    with Gradebook(f"sqlite:///{path}") as book:
        for student, (first, last, number) in ROSTER.items():
            book.add_student(student, first_name=first, last_name=last, lms_user_id=number)
    return path


@pytest.fixture
def course(roster: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a course with that gradebook, in which nbgrader's commands run."""
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    shutil.copy(roster, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
