"""The page for authors: its files and its commands, in order, from an empty folder."""

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from nbgrader.api import Gradebook

from autograder.authoring import rules
from autograder.chapters import case_slips
from autograder.chapters.cell_slips import KEYS
from autograder.chapters.solutions import load
from autograder.common.cell import grade_id
from autograder.common.files import REPOSITORY
from autograder.confined.observe import observe
from autograder.exercise.case import Case
from autograder.exercise.spec import Exercise
from autograder.judging.checks import build
from autograder.judging.judge import judge
from autograder.judging.verdict import Kind

PAGE = REPOSITORY / "book" / "authoring.md"
BLOCK = re.compile(
    r"^(?P<fence>```+)\{code-block\} (?P<language>\w+)\n:name: author-(?P<name>\S+)\n"
    r"(?::caption: (?P<caption>[^\n]*)\n)?\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
PLAIN = re.MULTILINE | re.DOTALL
BLOCKS = [found.groupdict() for found in BLOCK.finditer(PAGE.read_text())]
SHOWN = {block["name"]: block["text"] for block in BLOCKS if block["language"] == "text"}
COMMANDS = [block["name"] for block in BLOCKS if block["language"] == "sh"]
UNHAPPY = {"unfinished", "passes", "check"}  # which the page says end with status 1


@dataclass
class Followed:
    """Who follows the page in a folder; what each command printed, and its status."""

    folder: Path
    printed: dict[str, str]
    status: dict[str, int]

    def follow(self) -> "Followed":
        for block in BLOCKS:
            if block["language"] == "sh":
                self._run(block["name"], block["text"])
            elif block["caption"]:
                self._write(block["caption"], block["text"])
            elif block["language"] == "python":
                self._answer(block["text"])
        return self

    def _run(self, name: str, commands: str) -> None:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        course = self.folder / "course"
        done = subprocess.run(
            ["bash", "-euc", commands], cwd=course if course.exists() else self.folder,
            env={**os.environ, "PATH": path}, text=True, capture_output=True, check=False,
        )  # fmt: skip
        self.printed[name], self.status[name] = done.stdout, done.returncode

    def _write(self, caption: str, text: str) -> None:
        name, _, how = caption.partition(", ")
        path = self.folder / "course" / "solutions" / "02_statistics" / name
        if not how:
            path.write_text(text)
        elif how == "below that":
            path.write_text(f"{path.read_text()}\n\n{text}")
        else:
            path.write_text(replaced(path.read_text(), how.removeprefix("in the place of "), text))

    def _answer(self, source: str) -> None:
        """Ada writes hers."""
        path = self.folder / "course/submitted/ada/02_statistics/02_statistics.ipynb"
        notebook = nbformat.read(path, as_version=4)
        (cell,) = (cell for cell in notebook.cells if grade_id(cell) == "median")
        cell.source = source
        nbformat.write(notebook, path)


def replaced(source: str, name: str, new: str) -> str:
    """The source with another definition of the name."""
    (old,) = (node for node in ast.parse(source).body if getattr(node, "name", "") == name)
    lines = source.splitlines(keepends=True)
    first = old.decorator_list[0].lineno - 1
    return "".join([*lines[:first], new, *lines[old.end_lineno :]])


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory, sandbox: object) -> Followed:
    return Followed(tmp_path_factory.mktemp("author"), {}, {}).follow()


def test_every_block_of_the_page_has_a_name_and_no_output_is_without_its_command() -> None:
    assert len(re.findall(r"^```+\{code-block\}", PAGE.read_text(), re.MULTILINE)) == len(BLOCKS)
    assert not re.search(r"^```(sh|bash|console)", PAGE.read_text(), re.MULTILINE)
    assert SHOWN.keys() <= {f"{name}-prints" for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_what_the_page_says(followed: Followed, name: str) -> None:
    assert followed.status[name] == (name in UNHAPPY)
    shown = SHOWN.get(f"{name}-prints", "")
    assert re.fullmatch(pattern(shown), lines(followed.printed[name])), followed.printed[name]


def pattern(shown: str) -> str:
    """What is shown, where … stands for anything."""
    return "(?s:.*)".join(map(re.escape, lines(shown).split("…")))


def lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_who_follows_the_page_has_a_course_that_grades(followed: Followed) -> None:
    course = followed.folder / "course"
    exercise = load(course, "02_statistics").exercises["median"]
    assert len(exercise.misconceptions) == rules.MISCONCEPTIONS
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        submission = book.find_submission("02_statistics", "ada")
        assert (submission.score, submission.max_score) == (0, 3 + 2)


@pytest.mark.parametrize("name", ["Optimizer", "Witness"])
def test_an_example_of_the_page_is_an_exercise_that_tells_right_from_wrong(name: str) -> None:
    shown = re.findall(r"^```python\n(from.*?)^```", PAGE.read_text(), PLAIN)
    (source,) = (text for text in shown if name in text.partition("\n\n")[0])
    names: dict[str, Any] = {"torch": torch}
    exec(source, names)
    built = build(names["exercise"])
    (checked,) = built.cases
    assert not case_slips.of_case(checked.case)
    assert not [*case_slips.of_returns(names["exercise"], [checked.case])]
    wrong = observe(lambda *given: None, checked.case)
    assert judge(built, [checked.expected]).kind == Kind.PASSED
    assert judge(built, [wrong]).kind == Kind.WRONG


def test_the_page_names_every_key_of_a_cell_and_every_argument_that_an_author_gives() -> None:
    said = set(re.findall(r"`(\w+)", PAGE.read_text())) | {"name", "inputs"}
    given = [name for name in Exercise.__dataclass_fields__ if not name.startswith("_")]
    own = {"misconceptions", "variants", "right", "accepted", "promises", "vocabulary"}  # by others
    chosen = {"public", "traced", "placed"}  # which the engine sets
    assert KEYS | {*given} - own | {*Case.__dataclass_fields__} - chosen <= said
