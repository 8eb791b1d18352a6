"""What several tests need: a small course, a warm sandbox, the built book, one browser."""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import book_site
import costs
import nbclient
import nbformat
import opening_page
import pytest
import spread
import tracing_page
import widget_pages
from browser import chromium
from hypothesis import settings
from nbformat import NotebookNode
from serve import serving

from autograder.authoring.simulate import make_class, write_class
from autograder.chapters.solutions import load
from autograder.course.course import Course
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.bubblewrap import SandboxUnavailable
from autograder.sandbox.sandbox import Sandbox

HERE = Path(__file__).parent
CORES = sorted(os.sched_getaffinity(0))
TOY = HERE / "toy_course"
PATIENCE = 180_000  # milliseconds


def pytest_configure(config: pytest.Config) -> None:
    """No property has a time limit. Where tests run side by side, each process keeps to a core.

    Grading then starts one process there, not one for each core: for a small class, to start
    another takes longer than to grade.
    """
    side = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if side:
        os.sched_setaffinity(0, {CORES[int(side) % len(CORES)]})
    settings.register_profile("any machine", deadline=None)
    settings.load_profile("any machine")
    for plugin in (costs, spread):
        config.pluginmanager.register(plugin)


@pytest.fixture(scope="session")
def toy() -> Chapter:
    """A chapter with three exercises: a function, one that builds on it, and a class."""
    return load(TOY, "01_toy")


@pytest.fixture
def released() -> NotebookNode:
    """The notebook of that chapter as its learners get it."""
    return nbformat.read(TOY / "exercises" / "01_toy" / "01_toy.ipynb", as_version=4)


@pytest.fixture(scope="session")
def toy_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with that chapter, released, and with another that was not."""
    root = tmp_path_factory.mktemp("course")
    built = shutil.ignore_patterns("*.ipynb", "*.safetensors", "__pycache__")
    shutil.copytree(TOY / "solutions", root / "solutions", ignore=built)
    shutil.copytree(TOY / "exercises", root / "exercises")
    return root


@pytest.fixture
def handed_in(toy: Chapter, toy_root: Path, tmp_path: Path, sandbox: Sandbox) -> Path:
    """The small course with a class of three whose submissions were not graded yet."""
    root = shutil.copytree(toy_root, tmp_path / "class")
    write_class(Course(root), toy, make_class(toy, 3, seed=3), seed=3)
    return root


@pytest.fixture(scope="session")
def nbgrader() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command of nbgrader's in a folder, as in an activated .venv."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def run(folder: Path, *words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "nbgrader", *map(str, words)]
        return subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path},
                              capture_output=True, text=True, check=check)  # fmt: skip

    return run


@pytest.fixture(scope="session")
def processes() -> Callable[..., subprocess.Popen[str]]:
    """Starts another Python."""

    def start(*words: object, **how: Any) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, *map(str, words)], text=True, **how)

    return start


@pytest.fixture(scope="session")
def kernel() -> Callable[..., nbclient.NotebookClient]:
    """Runs the cells of a notebook as Jupyter does, in a folder."""

    def client(notebook: NotebookNode, folder: Path, **how: Any) -> nbclient.NotebookClient:
        resources = {"metadata": {"path": str(folder)}}
        return nbclient.NotebookClient(notebook, resources=resources, **how)

    return client


@pytest.fixture(scope="session")
def book() -> Path:
    """The folder of the built pages. Where they cannot be built, one test says so."""
    if book_site.build():
        pytest.skip("The book was not built; test_the_book_is_built says why.")
    return book_site.HTML


@pytest.fixture(scope="session")
def pages(book: Path) -> dict[str, Any]:
    """Each built page, parsed, by its path."""
    return book_site.pages(book)


@pytest.fixture(scope="session")
def address(book: Path) -> Iterator[str]:
    """Of the served book."""
    with serving(book) as root:
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
        for opens in ("new_context", "new_page"):
            setattr(running, opens, patient(getattr(running, opens)))
        yield running
        running.close()


def patient(opens: Callable[..., Any]) -> Callable[..., Any]:
    """What it opens waits for minutes: on a slow machine a page may take more than 30 seconds."""

    def opened(**options: Any) -> Any:
        new = opens(**options)
        new.set_default_timeout(PATIENCE)
        return new

    return opened


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """Its pages share a cache, as a reader's do."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800},
        service_workers="block",  # nothing is fetched beside what a page asks for
    )
    context.add_init_script("localStorage.mode = localStorage.theme = 'light'")
    yield context
    context.close()


@pytest.fixture(scope="module")
def sites(browser: Any, book: Path) -> Iterator[Callable[..., Any]]:
    """Opens the page of a widget, as widget_pages.opened says."""
    with widget_pages.opened(browser, book) as page_of:
        yield page_of


@pytest.fixture(scope="module")
def opening(browser: Any, book: Path) -> Iterator[Callable[..., Any]]:
    """Opens the landing page, as opening_page.opened says."""
    with opening_page.opened(browser, book) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def shared_opening(opening: Callable[..., Any]) -> Any:
    return opening(viewport={"width": 1280, "height": 1000})


@pytest.fixture
def landing(shared_opening: Any) -> Any:
    """The landing page as a reader finds it who has just come."""
    return opening_page.fresh(shared_opening)


@pytest.fixture(scope="module")
def tracing(browser: Any, book: Path) -> Iterator[Callable[..., Any]]:
    """Opens the path of a text, as tracing_page.opened says."""
    with tracing_page.opened(browser, book) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def shared_trace(tracing: Callable[..., Any]) -> Any:
    return tracing(viewport={"width": 1280, "height": 1000})


@pytest.fixture
def trace(shared_trace: Any) -> Any:
    """The path of a text as a reader finds it who has just come."""
    return tracing_page.fresh(shared_trace)


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


@pytest.fixture(scope="session")
def unconfined() -> Iterator[Sandbox]:
    """A worker that runs submissions without bubblewrap."""
    with Sandbox(confined=False) as box:
        yield box


@pytest.fixture
def all_cores() -> Iterator[None]:
    """For what is about several processes that grade."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, CORES)
    yield
    os.sched_setaffinity(0, own)


@pytest.fixture
def root(toy_root, tmp_path):
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    return tmp_path


@pytest.fixture
def folder(root):
    return root / "solutions" / "01_toy"
