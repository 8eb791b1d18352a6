"""What a test needs that takes long: markers from its fixtures, and that nothing else is started.

A fixture of a cost's name, wherever in a test's fixtures, marks the test with it; each test that
has a mark has `costly` too, and `make check` runs all others. One that starts a program of such a
cost, or opens a gradebook, and asked for none of these fixtures, fails.
"""

import os
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

COSTS = {
    "sandbox": "runs submissions in bubblewrap",
    "unconfined": "runs submissions in a sandbox's worker where bubblewrap need not be",
    "browser": "opens pages in Chromium",
    "kernel": "runs cells in a Jupyter kernel, or starts a server of Jupyter's",
    "nbgrader": "runs a command of nbgrader's, makes a release or opens a gradebook",
    "book": "builds the book, unless it is built already",
    "processes": "starts Python again and again, or lets processes race",
    "operators": "calls every operator and module of torch",
    "worst_case": "gives a reader every text that is bad for it: minutes of processor time",
}
COSTLY = "needs one of: " + ", ".join(COSTS)
PROGRAMS = {
    "bwrap": "sandbox", "autograder.confined.worker": "unconfined", "run-driver": "browser",
    "ipykernel_launcher": "kernel", "jupyter": "kernel", "nbgrader": "nbgrader",
    "alembic": "nbgrader", "jupyter-book": "book", "build.py": "book",
}  # fmt: skip
ATTN = {"grade": "sandbox", "selftest": "sandbox", "explain": "sandbox", "accept": "sandbox",
        "viva": "sandbox", "watch": "sandbox",
        "release": "nbgrader"}  # fmt: skip

_started: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    """`pytest --markers` lists them, and a misspelt one is refused."""
    for name, does in {**COSTS, "costly": COSTLY}.items():
        config.addinivalue_line("markers", f"{name}: {does}")
    sys.addaudithook(_notice)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for name in COSTS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(name)
            item.add_marker("costly")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    _started.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    result = yield
    if _started and item.get_closest_marker("costly") is None:
        names = ", ".join(sorted(_started))
        pytest.fail(f"It used what costs, without a fixture that says so: {names}.", pytrace=False)
    return result


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Where the time went: the files whose tests took longest, on whatever process they were."""
    spent: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                spent[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section("seconds of the ten longest files")
    for name, seconds in spent.most_common(10):
        terminalreporter.write_line(f"{seconds:7.1f} {name}")


def _notice(event: str, arguments: tuple[Any, ...]) -> None:
    """Python tells each audit hook of what it is about to do."""
    if event == "subprocess.Popen":
        _started.update(_costs(list(_words(arguments[1]))))
    elif event == "sqlite3.connect" and "gradebook.db" in str(arguments[0]):
        _started.add("nbgrader")


def _words(command: Any) -> Iterator[str]:
    """The words of a command and of a shell's line, but not of a text that Python is given."""
    parts = [command] if isinstance(command, str | bytes | Path) else command
    parts = [os.fsdecode(part) for part in parts]
    if Path(parts[0]).name.startswith("python") and "-c" in parts:
        parts = parts[: parts.index("-c")]
    for part in parts:
        yield from (Path(word).name for word in part.split())


def _costs(words: list[str]) -> Iterator[str]:
    ours = "autograder.cli" in words or "attn" in words
    yield from (PROGRAMS[word] for word in words if word in PROGRAMS)
    yield from (ATTN[word] for word in words if ours and word in ATTN)
