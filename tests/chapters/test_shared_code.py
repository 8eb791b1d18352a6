"""A notebook brings what it needs of another chapter, in a cell that the grader runs as its own."""

import shutil
from dataclasses import replace

import nbformat
import pytest

from autograder.authoring.selftest import selftest
from autograder.chapters.solutions import load
from autograder.cli import main
from autograder.common.cell import Cell
from autograder.common.errors import CourseError
from autograder.common.files import REPOSITORY
from autograder.diagnosis.diagnose import diagnose
from autograder.judging.grader import Grader
from autograder.learner.clean_run import clean_run
from autograder.notebooks.chapter import reference_cells

TEXT = """
# Later

```{code-cell} ipython3
---
role: setup
---
from torch import Tensor

from autograder import check
```

```{code-cell} ipython3
---
given: 01_toy/doubled
---
```

+++ {"about": "fourfold"}

## 1. Four times

```{code-cell} ipython3
---
exercise: fourfold
---
def fourfold(values: Tensor) -> Tensor:
    ### BEGIN SOLUTION
    return doubled(doubled(values))
    ### END SOLUTION
```
"""
GIVEN = '''import torch


def doubled(values: torch.Tensor) -> torch.Tensor:
    """Twice the values."""
    return values + values
'''
EXERCISE = """
from autograder.author import Case, Exercise

from .doubled import doubled

exercise = Exercise(
    "fourfold", points=2, difficulty=1, minutes=5, returns=("the values",), read="x.html"
)


@exercise.cases
def cases(rng):
    yield Case("some", {"values": rng.normal(3)})


@exercise.oracle
def right(values):
    return 4 * values


@exercise.misconception("You doubled once. What is twice the double?")
def once(values):
    return doubled(values)


@exercise.variant
def of_the_double(values):
    return 2 * doubled(values)
"""


@pytest.fixture(scope="module")
def course(toy_root, nbgrader, tmp_path_factory):
    """The small course with a later chapter, which is given a function of the first."""
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("later") / "course")
    front, _, _ = (root / "solutions" / "01_toy" / "01_toy.md").read_text().partition("\n# ")
    later = root / "solutions" / "03_later"
    later.mkdir()
    (later / "03_later.md").write_text(front + TEXT)
    (later / "fourfold.py").write_text(EXERCISE)
    (root / "solutions" / "01_toy" / "given").mkdir()
    (root / "solutions" / "01_toy" / "given" / "doubled.py").write_text(GIVEN)
    assert main(["release", "--root", str(root)]) == 0
    return root


def cells_of(course):
    path = course / "exercises" / "03_later" / "03_later.ipynb"
    return path, nbformat.read(path, as_version=4)


def test_the_notebook_has_the_code_locked_and_no_other_file_is_released(course):
    path, notebook = cells_of(course)
    (cell,) = [cell for cell in notebook.cells if "def doubled" in cell.source]
    assert cell.source == GIVEN.strip()
    assert cell.metadata.nbgrader.locked and not cell.metadata.nbgrader.solution
    assert not [*(course / "exercises").rglob("given")]
    assert {one.name for one in path.parent.iterdir()} == {
        "03_later.ipynb", "checks.safetensors", "AGENTS.md", "CLAUDE.md",
    }  # fmt: skip


def test_misconceptions_and_variants_may_use_it(course, sandbox):
    (report,) = selftest(load(course, "03_later"), sandbox)
    assert (report.rejected, report.accepted) == (1, 1)


def test_an_answer_may_call_it_but_not_replace_it_for_the_grader(course, sandbox):
    grader = Grader(load(course, "03_later"), "7", sandbox)
    cells = reference_cells(load(course, "03_later"))
    assert grader.grade(cells)["fourfold"].kind == "passed"
    body = "def fourfold(values):\n    return doubled(values)"
    verdict = grader.grade([*cells[:-1], Cell("fourfold", body)])["fourfold"]
    assert diagnose(grader.checks["fourfold"], verdict).misconception == "once"


def test_a_learner_s_run_from_a_terminal_has_it(course, sandbox, unconfined, tmp_path):
    path, notebook = cells_of(course)
    place = shutil.copytree(path.parent, tmp_path / "03_later") / path.name
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "fourfold":
            cell.source = "def fourfold(values):\n    return doubled(doubled(values))"
    nbformat.write(notebook, place)
    assert clean_run(place).verdicts["fourfold"].kind == "passed"


@pytest.mark.parametrize(
    ("said", "named", "code"),
    [
        ("Name a chapter and what it gives: 05_multi_head/doubled.", "doubled", GIVEN),
        ("which does not exist.", "01_toy/tripled", GIVEN),
        ("defines no function or class doubled. Define it.", "01_toy/doubled", "twice = 2"),
        ("defines no function or class doubled. Define it.", "01_toy/doubled", "def doubled("),
    ],
)
def test_a_slip_in_what_is_given_is_told_with_its_line(course, tmp_path, said, named, code):
    root = shutil.copytree(course, tmp_path / "slip")
    (root / "solutions" / "01_toy" / "given" / "doubled.py").write_text(code)
    text = root / "solutions" / "03_later" / "03_later.md"
    text.write_text(text.read_text().replace("01_toy/doubled", named))
    line = text.read_text().partition("```{code-cell} ipython3\n---\ngiven")[0].count("\n") + 1
    with pytest.raises(CourseError) as error:
        load(root, "03_later")
    assert str(error.value).startswith(f"{text}, line {line}: ")
    assert said in str(error.value)


def test_the_same_thing_is_not_given_twice_or_beside_code(course, tmp_path):
    root = shutil.copytree(course, tmp_path / "slip")
    text = root / "solutions" / "03_later" / "03_later.md"
    cell = "```{code-cell} ipython3\n---\ngiven: 01_toy/doubled\n---\n```\n"
    two, filled = f"{cell}\n{cell}", cell.replace("---\n```", "---\nx = 1\n```")
    for other, said in [(two, "two cells are given 01_toy/doubled"), (filled, "the cell has code")]:
        before = text.read_text()
        text.write_text(before.replace(cell, other))
        with pytest.raises(CourseError, match=said):
            load(root, "03_later")
        text.write_text(before)


PLACES = sorted((REPOSITORY / "solutions").glob("*/given/*.py"))


@pytest.mark.parametrize("path", PLACES, ids=lambda path: path.stem)
def test_what_is_given_answers_no_exercise_of_its_chapter(path, sandbox):
    chapter = load(REPOSITORY, path.parents[1].name)
    exercises = chapter.exercises.items()  # which is wrong in what way does not matter here
    chapter = replace(chapter, exercises={n: replace(e, misconceptions=[]) for n, e in exercises})
    grader = Grader(chapter, "3", sandbox)
    setup = [cell for cell in reference_cells(chapter) if cell.name.startswith("setup")]
    for name in chapter.exercises:
        source = f"{path.read_text()}\n\n{name} = {path.stem}\n"
        assert grader.grade_one([*setup, Cell(name, source)], name).kind != "passed"
