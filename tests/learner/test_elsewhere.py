"""What a learner uses where it is not Linux: nothing of Unix, and any encoding, will do."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import elsewhere
import learners
import pytest

UNLOCK = "unlock 01_toy --yes --root {}"


@pytest.fixture(scope="module")
def found(toy_root, tmp_path_factory):
    """What each step printed and how it ended, from one process that is as on Windows."""
    root = tmp_path_factory.mktemp("elsewhere")
    for part in ("solutions", "exercises"):
        shutil.copytree(toy_root / part, root / part, ignore=learners.FRESH)
    folder = root / "exercises" / "01_toy"
    words = ["status", "--help", "check 01_toy.ipynb", UNLOCK.format(root)]
    command = [sys.executable, "-X", "warn_default_encoding", "-W", "ignore::EncodingWarning",
               elsewhere.__file__, *words]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return {line.partition(" --")[0]: step for line, step in json.loads(done.stdout).items()}


def test_what_is_hidden_is_there_on_linux_and_gone_in_the_test():
    """Else a name that is spelt wrong would hide nothing."""
    for module, names in elsewhere.NAMES.items():
        assert not [name for name in names.split() if not hasattr(module, name)]


def test_a_check_passes_and_fails_with_a_card(found):
    printed, ended = found["right"]
    assert (printed, ended) == ("+ normalise: all 2 cases pass, 2 points\n", None)
    printed, ended = found["wrong"]
    assert "x normalise: 0 of 2 cases pass" in printed and "You summed over another axis" in printed
    assert ended.startswith("CheckFailed: ")


def test_progress_is_shown_in_the_notebook_and_in_a_terminal_of_few_signs(found):
    printed, _ = found["status()"]
    assert "+ normalise: 2 points, passes" in printed and "o average" in printed
    printed, ended = found["status"]
    assert ended == 0
    assert "1 of 3" in printed and "01_toy: Next is `average`" in printed


def test_the_commands_are_listed_and_a_clean_run_says_where_it_runs(found):
    assert found["--help"][1] == 0 and "status" in found["--help"][0]
    printed, ended = found["check 01_toy.ipynb"]
    assert ended == 2
    assert "attn check: This needs Linux, such as WSL 2 on Windows." in printed


def test_a_clone_gives_the_worked_solution(found):
    printed, ended = found["unlock 01_toy"]
    assert ended == 0
    assert "return values / values.sum" in Path(printed.strip()).read_text("utf-8")
