"""What a learner has solved: kept beside the notebook by `check`, shown by `status`."""

import json
import re
import shutil
from pathlib import Path

import learners
import nbformat
import pytest
from learners import RIGHT

from autograder import CheckFailed, check
from autograder.cli import main
from autograder.common.cell import Cell
from autograder.common.files import PROGRESS
from autograder.judging.budget import Budget, Limits
from autograder.judging.grader import Grader
from autograder.learner.progress import read
from autograder.learner.status import Status


@pytest.fixture
def folder(toy_root, tmp_path, monkeypatch):
    shutil.copytree(toy_root / "exercises" / "01_toy", tmp_path / "01_toy", ignore=learners.FRESH)
    monkeypatch.chdir(tmp_path / "01_toy")
    return tmp_path / "01_toy"


def normalise(values):
    return values / values.sum(-1, keepdim=True)


def wrong():
    def normalise(values):
        return values

    return normalise


def kept(folder):
    return {name: (entry.passed, entry.points) for name, entry in read(folder).items()}


def test_a_check_keeps_passed_points_and_when_in_plain_json(folder):
    check(normalise)
    found = json.loads((folder / PROGRESS).read_text())
    assert list(found) == ["normalise"]
    assert (found["normalise"]["passed"], found["normalise"]["points"]) == (True, 2)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", found["normalise"]["when"])


def test_the_last_check_counts(folder):
    check(normalise)
    with pytest.raises(CheckFailed):
        check(wrong())
    assert kept(folder) == {"normalise": (False, 0)}


def test_a_check_that_is_not_to_be_kept_leaves_no_file(folder):
    check(normalise, keep=False)
    assert not (folder / PROGRESS).exists()


def test_a_file_that_cannot_be_written_changes_nothing_and_leaves_nothing(folder):
    before = {*folder.iterdir(), folder / PROGRESS}
    (folder / PROGRESS).mkdir()  # as root, a read-only folder would be written all the same
    check(normalise)
    assert {*folder.iterdir()} == before


def test_writing_that_breaks_off_leaves_the_old_file(folder, monkeypatch):
    check(normalise)

    def breaks_off(self, *_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr(Path, "write_text", breaks_off)
    with pytest.raises(CheckFailed):
        check(wrong())
    assert kept(folder) == {"normalise": (True, 2)}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "\x00", '{"normalise": 3, "average": {"passed": 1}}', "[" * 100_000]
)
def test_a_damaged_file_is_no_obstacle(folder, text):
    (folder / PROGRESS).write_text(text)
    assert read(folder) == {}
    check(normalise)
    assert kept(folder) == {"normalise": (True, 2)}


def test_nothing_is_kept_of_what_is_graded(toy, sandbox):
    asks = "import os\ndef average(*_):\n    raise RuntimeError(f'here: {os.listdir()}')"
    setup = "import torch\nfrom torch import nn\nfrom autograder import check"
    sources = RIGHT | {"normalise": RIGHT["normalise"] + "\ncheck(normalise)", "average": asks}
    cells = [Cell("setup", setup), *(Cell(name, source) for name, source in sources.items())]
    found = Grader(toy, None, sandbox).verdicts(cells, list(toy.exercises), Budget(Limits()))
    assert found["normalise"].kind == "passed"
    assert "here: []" in found["average"].sentence


def test_status_shows_every_chapter_found_what_is_left_and_what_is_next(folder, capsys):
    shutil.copytree(folder, folder.parent / "exercises" / "02_other")
    check(normalise)
    capsys.readouterr()
    assert main(["status", str(folder.parent)]) == 0
    said = capsys.readouterr().out
    rows = [[part.strip() for part in line.split("│")[1:-1]] for line in said.splitlines()]
    assert ["01_toy", "1 of 3", "2 of 6", "10"] in rows
    assert ["02_other", "0 of 3", "0 of 6", "15"] in rows
    assert said.endswith("01_toy: Next is `average` (3 points, about 5 minutes).\n")


def test_status_goes_on_with_what_was_tried_and_ends_with_a_clean_run(folder):
    with pytest.raises(CheckFailed):
        check(wrong())
    assert Status.of(folder).next.startswith("Go on with `normalise` (2 points")
    entry = {"passed": True, "points": 1, "when": ""}
    (folder / PROGRESS).write_text(json.dumps(dict.fromkeys(RIGHT, entry)))
    assert "attn check 01_toy.ipynb" in Status.of(folder).next


def test_where_there_is_no_chapter_status_says_so(tmp_path, capsys):
    assert main(["status", str(tmp_path)]) == 2
    assert "There is no chapter in" in capsys.readouterr().err


def test_status_in_a_notebook_is_a_card_that_says_what_the_text_says(folder, kernel):
    sources = ["import torch\nfrom autograder import check, status", RIGHT["normalise"],
               "check(normalise)", "status()"]  # fmt: skip
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    kernel(notebook, folder).execute()
    (output,) = notebook.cells[-1].outputs
    html, text = output.data["text/html"], output.data["text/plain"]
    assert "01_toy: 1 of 3 exercises done, 2 of 6 points, about 10 minutes left" in text
    assert "✓ normalise: 2 points, passes" in text and "○ average: 3 points, not checked" in text
    assert not re.search(r"<script|<style|<link|src=|href=|url\(|http", html)
    words = " ".join(re.sub(r"</?(code|b|p|li|ul|div|span)[^>]*>", "", html).split())
    for line in text.splitlines():
        assert line.strip().replace(":", "", 1).replace("`", "") in words
