"""The pages for authors: the first one step by step from an empty folder, and the reference."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.authoring import rules
from autograder.authoring.mutation import explanations
from autograder.authoring.new_source import new_course
from autograder.chapters import case_slips
from autograder.chapters.cell_slips import KEYS
from autograder.chapters.solutions import load
from autograder.common.cell import grade_id
from autograder.common.files import REPOSITORY
from autograder.confined.observe import observe
from autograder.diagnosis import catalogue
from autograder.exercise.case import Case, Rng
from autograder.exercise.spec import Exercise
from autograder.judging.checks import build
from autograder.judging.judge import judge
from autograder.judging.verdict import Kind

PAGE = REPOSITORY / "book" / "authoring.md"
REFERENCE = REPOSITORY / "book" / "authoring_reference.md"
BLOCK = re.compile(
    r"^(?P<fence>```+)\{code-block\} (?P<language>\w+)\n:name: author-(?P<name>\S+)\n"
    r"(?::caption: (?P<caption>[^\n]*)\n)?\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
PLAIN = re.MULTILINE | re.DOTALL
BLOCKS = [found.groupdict() for found in BLOCK.finditer(PAGE.read_text())]
SHOWN = {block["name"]: block["text"] for block in BLOCKS if block["language"] == "text"}
COMMANDS = [block["name"] for block in BLOCKS if block["language"] == "sh"]
UNHAPPY = {"begin", "passes", "proved", "grade"}  # which end with status 1


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
        elif how == "from its title on":
            head, _, _ = path.read_text().partition("# ")
            path.write_text(head + text)
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
        assert (submission.score, submission.max_score) == (0, 3)


def test_the_page_explains_the_mutant_that_it_shows(followed: Followed) -> None:
    chapter = load(followed.folder / "course", "02_statistics")
    (begins,) = explanations(chapter)["median"]
    assert followed.printed["proved"].count(f"passes: {begins.removesuffix('…')}") == 1


EXAMPLES = re.findall(r"^```python\n(from.*?|import.*?)^```", REFERENCE.read_text(), PLAIN)


def example(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of a Python file with this text."""
    path = folder / "example.py"
    path.write_text(source)
    found = importlib.util.spec_from_file_location("example", path)
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "example", module)
    found.loader.exec_module(module)
    return vars(module)


@pytest.mark.parametrize("source", EXAMPLES)
def test_an_example_of_the_reference_runs(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = example(source, tmp_path, monkeypatch)
    if "cases" in names:
        build(names["exercise"])
    if "secret_cases" in names:
        assert [*names["secret_cases"](Rng(0))]
    if "vocabulary" in names:
        assert names["vocabulary"].words.keys() <= catalogue.PATTERNS.keys()


@pytest.mark.parametrize("name", ["Optimizer", "Witness"])
def test_an_example_of_the_reference_is_an_exercise_that_tells_right_from_wrong(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source,) = (text for text in EXAMPLES if re.search(rf"^from .*\b{name}\b", text, re.MULTILINE))
    names = example(source, tmp_path, monkeypatch)
    built = build(names["exercise"])
    (checked,) = built.cases
    assert not case_slips.of_case(checked.case)
    assert not [*case_slips.of_returns(names["exercise"], [checked.case])]
    wrong = observe(lambda *given: None, checked.case)
    assert judge(built, [checked.expected]).kind == Kind.PASSED
    assert judge(built, [wrong]).kind == Kind.WRONG


def test_the_question_in_words_of_the_reference_fits_into_a_chapter(tmp_path: Path) -> None:
    *_, path = (path for path in new_course(tmp_path) if path.suffix == ".md")
    (shown,) = re.findall(r"^```markdown\n(.*?)^```", REFERENCE.read_text(), PLAIN)
    path.write_text(f"{path.read_text()}\n{shown}")
    assert not [*rules.of_answers(load(tmp_path, path.stem))]


def test_the_reference_names_every_key_of_a_cell_and_every_argument_that_an_author_gives() -> None:
    said = set(re.findall(r"`(\w+)", REFERENCE.read_text())) | {"name", "inputs"}
    given = [name for name in Exercise.__dataclass_fields__ if not name.startswith("_")]
    own = {"misconceptions", "variants", "right", "accepted", "promises", "vocabulary"}  # by others
    chosen = {"public", "traced", "placed"}  # which the engine sets
    assert KEYS | {*given} - own | {*Case.__dataclass_fields__} - chosen <= said


def test_each_link_of_the_reference_leads_to_a_section_of_it() -> None:
    text = REFERENCE.read_text()
    sections = re.findall(r"^\((reference-\w+)\)=\n### ", text, re.MULTILINE)
    assert len(set(sections)) == len(sections) == text.count("\n### ")
    table = text.partition("\n## ")[0]
    assert re.findall(r"\]\(#(.*?)\)", table) == sections
    assert {*re.findall(r"\]\(#(.*?)\)", text)} == {*sections}
