"""The rooms of the engine: each imports only what stands left of it, and the doors only lead in."""

import ast
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from autograder.common.files import PACKAGE, REPOSITORY

# `sandbox` and `notebooks` stand side by side, as `learner` and `course`, and `classes` and `lms`.
ORDER = [
    {"calls"}, {"sandbox", "notebooks"}, {"judging"}, {"diagnosis"}, {"showing"},
    {"learner", "course"}, {"grading"}, {"classes", "lms"}, {"commands"},
]  # fmt: skip
ROOMS = set.union(*ORDER)
MODULES = sorted(PACKAGE.rglob("*.py"))
HALL = {"__init__", "cli"}  # what is at the top and no door


def place(room: str) -> int:
    return next(index for index, rooms in enumerate(ORDER) if room in rooms)


def imported(path: Path) -> set[str]:
    """The engine's modules that a file imports, anywhere in it."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports by dots"
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {name.removeprefix("autograder.") for name in found if name.startswith("autograder.")}


def test_every_module_is_in_a_room_or_a_door() -> None:
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir()} - {"__pycache__"} == (
        ROOMS | {"templates"}
    )


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_imports_only_what_stands_left_of_it(room: str) -> None:
    for path in sorted((PACKAGE / room).rglob("*.py")):
        for name in imported(path):
            other = name.partition(".")[0]
            assert other == room or (other in ROOMS and place(other) < place(room)), (path, name)


def test_a_door_holds_nothing_but_what_it_leads_to() -> None:
    for path in sorted(PACKAGE.glob("*.py")):
        if path.stem in HALL:
            continue
        said, *given, names = ast.parse(path.read_text()).body
        assert isinstance(said, ast.Expr) and isinstance(names, ast.Assign), path
        assert given and all(isinstance(node, ast.ImportFrom) for node in given), path


def lettered(name: str) -> set[str]:
    """The name, and what is left of it without any one of its letters."""
    return {name} | {name[:at] + name[at + 1 :] for at in range(len(name))}


def alike(one: str, two: str) -> bool:
    """They are the same but for a letter that is added, or stands in the place of another."""
    exchanged = len(one) == len(two) and sum(a != b for a, b in zip(one, two, strict=True)) == 1
    return exchanged or one in lettered(two)


def test_the_names_of_two_modules_differ_by_more_than_a_letter() -> None:
    inside = Counter(path.stem for path in MODULES if path.parent != PACKAGE)
    del inside["__init__"]
    assert max(inside.values()) == 1, inside.most_common(1)
    pairs = combinations(sorted(inside.keys() | ROOMS, key=len), 2)
    assert not [(one, two) for one, two in pairs if alike(one, two)]


def test_the_page_about_the_house_names_each_room_and_only_files_that_exist() -> None:
    text = (REPOSITORY / "ARCHITECTURE.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == ROOMS
    named = set(re.findall(r"`([a-z_/]+\.py)`", text)) - {"nbgrader_config.py"}
    folders = (PACKAGE, PACKAGE.parent, *(PACKAGE / room for room in ROOMS))
    assert named
    assert not [name for name in named if not any((folder / name).is_file() for folder in folders)]


def loaded_after(statements: str) -> set[str]:
    """The modules that a fresh Python has after some statements."""
    shown = [sys.executable, "-c", f"{statements}\nimport sys\nprint(*sys.modules)"]
    return set(subprocess.run(shown, capture_output=True, text=True, check=True).stdout.split())


def rooms_of(modules: set[str]) -> set[str]:
    return {name.split(".")[1] for name in modules if name.startswith("autograder.")}


def test_a_learners_check_loads_four_rooms_and_neither_notebooks_nor_nbgrader() -> None:
    loaded = loaded_after("from autograder import check, status")
    assert rooms_of(loaded) == {"calls", "judging", "diagnosis", "showing", "learner"}
    assert loaded.isdisjoint({"nbgrader", "nbformat", "jupytext", "rich", "matplotlib"})


def test_the_warm_worker_loads_calls_and_sandbox_and_what_notebooks_import() -> None:
    worker = "from autograder.confined.worker import IMPORTS"
    assert rooms_of(loaded_after(worker)) == {"calls", "sandbox"}
    warm = f"{worker}\nimport importlib\nfor name in IMPORTS: importlib.import_module(name)"
    learning = {"judging", "diagnosis", "showing", "learner"}
    assert rooms_of(loaded_after(warm)) == {"calls", "sandbox"} | learning
