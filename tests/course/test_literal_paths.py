"""A course may lie in a folder of any name: no character of it is a pattern, a field or a query."""

import shutil
import sqlite3
from zipfile import ZipFile

import pytest
from whole_runs import MARKS

from autograder.cli import main
from autograder.common.files import REPOSITORY

ODD = "Kurs [1] *?{x} %41#'é"


@pytest.fixture
def odd(handed_in, tmp_path):
    """The path of the course says what nbgrader takes for something else, as its folders' do."""
    shutil.copy(REPOSITORY / "nbgrader_config.py", handed_in)
    return handed_in.rename(tmp_path / ODD)


def marks(root):
    with sqlite3.connect(root / "gradebook.db") as book:
        return book.execute(MARKS).fetchall()


def test_each_command_finds_what_is_in_the_course_and_writes_nothing_elsewhere(odd, tmp_path):
    for line in ("release 01_toy", "grade 01_toy", "feedback 01_toy", "report 01_toy"):
        assert main([*line.split(), "--root", str(odd)]) == 0, line
    assert len(marks(odd)) == 12
    assert len(list(odd.glob("feedback/*/01_toy/01_toy.html"))) == 3
    assert {path.name for path in (odd / "exercises" / "01_toy").iterdir()} == {
        "01_toy.ipynb", "checks.safetensors", "AGENTS.md", "CLAUDE.md",
    }  # fmt: skip
    assert list(tmp_path.iterdir()) == [odd]


def test_nbgraders_commands_find_it_too(odd, tmp_path, nbgrader):
    archive = odd / "downloaded" / "01_toy" / "archive"
    archive.mkdir(parents=True)
    with ZipFile(archive / "all.zip", "w") as packed:
        for path in odd.glob("submitted/*/01_toy/01_toy.ipynb"):
            packed.write(path, f"{path.parts[-3]}_01_toy.ipynb")
    pattern = r"--FileNameCollectorPlugin.named_regexp=.*/(?P<student_id>\w+?)_(?P<file_id>01_toy)"
    nbgrader(odd, "zip_collect", "01_toy", pattern)
    nbgrader(odd, "generate_assignment", "01_toy", "--force")
    nbgrader(odd, "autograde", "01_toy")
    nbgrader(odd, "generate_feedback", "01_toy")
    nbgrader(odd, "export", "--to", "marks.csv")
    assert len(list(odd.glob("feedback/*/01_toy/01_toy.html"))) == 3
    assert len((odd / "marks.csv").read_text().splitlines()) == 4
    found, gradebook = marks(odd), odd / "gradebook.db"
    gradebook.unlink()
    shutil.rmtree(odd / "autograded")
    assert main(["grade", "01_toy", "--root", str(odd)]) == 0
    assert marks(odd) == found
    assert list(tmp_path.iterdir()) == [odd]


def test_a_path_into_which_nbgrader_puts_a_variable_is_refused(
    toy_root, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("TERM_OF", "winter")
    root = shutil.copytree(toy_root, tmp_path / "Kurs $TERM_OF")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    assert main(["grade", "01_toy", "--root", str(root)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "has the name of an environment variable after a $" in said and "Kurs winter" in said
    assert not (root / "gradebook.db").exists()
