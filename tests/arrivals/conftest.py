"""A small course whose students hand in through an exchange, and what they hand in."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from handing_in import hand_in
from learners import RIGHT, notebook, save
from nbformat import NotebookNode

from autograder.chapters.course_root import CONFIG
from autograder.course.course import NO_CONFIG
from autograder.sandbox.sandbox import Sandbox


@pytest.fixture
def root(toy_root: Path, tmp_path: Path, sandbox: Sandbox, nbgrader: Any) -> Path:
    """The course, released to its exchange; nobody has handed in anything."""
    root = shutil.copytree(toy_root, tmp_path / "class")
    exchange = tmp_path / "exchange"
    for name in ("inbound", "outbound", "feedback"):
        (exchange / "toys" / name).mkdir(parents=True)
    exchange.chmod(0o777)
    shutil.copytree(toy_root / "exercises" / "01_toy", exchange / "toys" / "outbound" / "01_toy")
    (root / CONFIG).write_text(
        f"{NO_CONFIG.read_text()}\nc.CourseDirectory.course_id = 'toys'\n"
        f"c.Exchange.root = {str(exchange)!r}\nc.ExchangeCollect.check_owner = False\n"
    )
    return root


@pytest.fixture
def submit(root: Path, released: NotebookNode, tmp_path: Path) -> Callable[..., Path]:
    """Hands in for a student; returns the page that the student will fetch."""

    def submit(student: str, normalise: str = RIGHT["normalise"]) -> Path:
        work = tmp_path / "work" / "students"
        folder = work / student / "01_toy"
        folder.mkdir(parents=True, exist_ok=True)
        save(notebook(released, {**RIGHT, "normalise": normalise}), folder / "01_toy.ipynb")
        page = hand_in(tmp_path / "exchange", "toys", "01_toy", work, student)
        return tmp_path / "exchange" / "toys" / "feedback" / page

    return submit
