"""One class for all that looks at how grading goes, and what comes of it when nothing happens."""

import shutil
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from spread import once
from whole_runs import STUDENTS, outcome, start

from autograder.authoring.simulate import make_class, write_class
from autograder.course.course import Course
from autograder.grading.session import Session, use
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox

# Nobody is finished before the endless loop is, so a run can be caught in the middle.
ACCIDENTS = ("stub", "exception", "colab", "infinite loop")


@pytest.fixture(scope="session")
def submitted(toy: Chapter, toy_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class whose submissions were handed in and not graded yet."""
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("submitted") / "class")
    write_class(Course(root), toy, make_class(toy, STUDENTS, seed=8, accidents=ACCIDENTS), seed=8)
    return root


@pytest.fixture
def class_root(submitted: Path, tmp_path: Path) -> Path:
    return shutil.copytree(submitted, tmp_path / "class")


@pytest.fixture(scope="session")
def alone(
    submitted: Path, tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox
) -> tuple[Any, ...]:
    """What is left of the class when it is graded on this computer and nothing disturbs it."""

    def graded(root: Path) -> None:
        shutil.copytree(submitted, root, dirs_exist_ok=True)
        assert start(root).wait(timeout=300) == 0

    return outcome(once(tmp_path_factory, "alone", graded))


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Submissions are judged here, where a fault can be planted."""

    @contextmanager
    def executor(root: Path, seed: str, confined: bool, device: str = "cpu") -> Iterator[Executor]:
        graded_by = Session(root, seed, confined, device)
        use(graded_by)
        with ThreadPoolExecutor(1) as pool:
            yield pool
        graded_by.stop()

    monkeypatch.setattr("autograder.grading.attempts.local_executor", executor)
