"""`make check` runs what costs nothing: a test that hides what it uses is found out."""

import os
import subprocess
import sys
from pathlib import Path

import costs
import pytest

PLUGIN = "import costs\n\ndef pytest_configure(config):\n    config.pluginmanager.register(costs)\n"
# What a test does that asked for nothing.
HIDDEN = {
    "sandbox": "subprocess.run(['/nowhere/bwrap', '--unshare-all'])",
    "unconfined": "subprocess.run(['/nowhere/python', '-m', 'autograder.confined.worker'])",
    "nbgrader": "sqlite3.connect(':memory:gradebook.db')",
    "kernel": "subprocess.Popen(['/nowhere/python', '-m', 'ipykernel_launcher'])",
    "book": "subprocess.call(['bash', '-c', 'cd nowhere && python book/build.py'])",
}
HEAD = "import sqlite3, subprocess\nfrom contextlib import suppress\n"
TEST = "def test_it({fixture}):\n    with suppress(OSError):\n        {does}\n"
FIXTURE = "import pytest\n\n@pytest.fixture\ndef {name}():\n    pass\n\n"


def outcome(folder: Path, text: str, *options: str) -> tuple[int, str]:
    """What pytest says of a file with this text, with our markers and nothing else of ours."""
    (folder / "conftest.py").write_text(PLUGIN)
    (folder / "test_it.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(folder), *options]
    environment = os.environ | {"PYTHONPATH": str(Path(costs.__file__).parent)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                          check=False)  # fmt: skip
    return done.returncode, done.stdout


def test_whoever_uses_what_costs_without_a_fixture_that_says_so_fails(tmp_path: Path) -> None:
    tests = [TEST.replace("test_it", f"test_{name}").format(fixture="", does=does)
             for name, does in HIDDEN.items()]  # fmt: skip
    status, said = outcome(tmp_path, HEAD + "\n".join(tests))
    assert status == 1 and f"{len(HIDDEN)} failed" in said
    for name in HIDDEN:
        assert f"without a fixture that says so: {name}." in said


def test_who_asks_for_the_fixture_is_marked_and_passes(tmp_path: Path) -> None:
    marked = FIXTURE.format(name="sandbox") + TEST.format(fixture="sandbox", does=HIDDEN["sandbox"])
    plain = "def test_that():\n    pass\n"
    status, said = outcome(tmp_path, f"{HEAD}{marked}\n{plain}", "-m", "sandbox and costly")
    assert status == 0 and "1 passed, 1 deselected" in said


def test_pytest_lists_every_cost_with_a_sentence(pytestconfig: pytest.Config) -> None:
    lines = pytestconfig.getini("markers")
    assert {f"{name}: {does}" for name, does in costs.COSTS.items()} <= set(lines)
