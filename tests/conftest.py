"""What several tests need: a small course, a warm sandbox, the built book, one browser."""

import functools
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import book_site
import pytest
import widget_pages
from browser import chromium
from nbformat import NotebookNode
from serve import serving

from autograder.course.course import Course
from autograder.course.release import release
from autograder.course.simulate import make_class, write_class
from autograder.course.solutions import load
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.bubblewrap import SandboxUnavailable
from autograder.sandbox.sandbox import Sandbox

HERE = Path(__file__).parent
CORES = sorted(os.sched_getaffinity(0))
SLOWEST = ("test_course", "test_processors", "test_teaching", "test_nbgrader", "test_cluster",
           "test_interruptions", "test_outputs", "test_lab", "test_pages", "test_class_report",
           "test_odd_notebooks")  # fmt: skip


def pytest_configure() -> None:
    """Where tests run side by side, each process keeps to a core of its own.

    Grading then starts one process there, not one for each core: for a small class, to start
    another takes longer than to grade.
    """
    side = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if side:
        os.sched_setaffinity(0, {CORES[int(side) % len(CORES)]})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slowest files first, so that no core waits at the end; a file keeps to one process."""
    slow = {f"{name}.py": place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: slow.get(item.path.name, len(slow)))


@pytest.fixture(scope="session")
def toy_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A released course with three exercises: a function, one that builds on it, and a class."""
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(HERE / "toy_course", root, dirs_exist_ok=True)
    release(Course(root), "01_toy")
    return root


@pytest.fixture(scope="session")
def toy(toy_root: Path) -> Chapter:
    return load(toy_root, "01_toy")


@pytest.fixture
def released(toy_root: Path) -> NotebookNode:
    """The notebook of the small course as its learners get it."""
    return Course(toy_root).released("01_toy")


@pytest.fixture
def handed_in(toy: Chapter, toy_root: Path, tmp_path: Path, sandbox: Sandbox) -> Path:
    """The small course with a class of three whose submissions were not graded yet."""
    root = shutil.copytree(toy_root, tmp_path / "class")
    write_class(Course(root), toy, make_class(toy, 3, seed=3), seed=3)
    return root


@pytest.fixture(scope="session")
def html() -> Path:
    """The folder of the built pages."""
    return book_site.build()


@pytest.fixture(scope="session")
def pages(html: Path) -> dict[str, Any]:
    """Each built page, parsed, by its path."""
    return book_site.pages(html)


@pytest.fixture(scope="session")
def address(html: Path) -> Iterator[str]:
    """Of the served book."""
    with serving(html) as root:
        yield root


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for all tests of a process: Playwright cannot be started twice in one."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """Its pages share a cache, as a reader's do."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script("localStorage.mode = localStorage.theme = 'light'")
    yield context
    context.close()


@pytest.fixture(scope="module")
def sites(browser: Any, html: Path) -> Iterator[Callable[..., Any]]:
    """Opens the page of a widget, as widget_pages.opened says."""
    with widget_pages.opened(browser, html) as page_of:
        yield page_of


@pytest.fixture
def widget(sites: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a widget as a reader finds it who has just come."""
    return functools.partial(widget_pages.fresh, sites)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as box:
        try:
            box.check()
        except SandboxUnavailable as error:
            pytest.skip(str(error))
        yield box


@pytest.fixture
def all_cores() -> Iterator[None]:
    """For what is about several processes that grade."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, CORES)
    yield
    os.sched_setaffinity(0, own)
