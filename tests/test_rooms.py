"""The rooms of the engine: each imports only what stands left of it, and the doors only lead in."""

import ast
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from autograder import nbgrader_plugins
from autograder.common.files import PACKAGE, REPOSITORY
from autograder.grading.provenance import DECIDE

# Rooms in one set stand one above the other.
ORDER = [
    {"common"}, {"exercise"}, {"confined", "notebooks"}, {"sandbox"}, {"judging"}, {"diagnosis"},
    {"showing"}, {"learner", "chapters"}, {"course"}, {"authoring"}, {"grading"},
    {"classes", "plugins"}, {"arrivals", "marking", "platforms", "viva"}, {"commands"},
]  # fmt: skip
ROOMS = set.union(*ORDER)
DOORS = {"author", "nbgrader_plugins"}
MODULES = sorted(PACKAGE.rglob("*.py"))
# What decides marks uses these to tell an author what is wrong with a chapter.
MESSAGES = {"diagnosis", "showing"}
# The worker runs notebooks, so it loads once what each of them imports, `autograder.check`.
ALLOWED = {("confined/worker.py", "learner.public_cases")}


def place(room: str) -> int:
    return next(index for index, rooms in enumerate(ORDER) if room in rooms)


def imported(path: Path) -> set[str]:
    """The engine's modules that a file imports or names in a string, anywhere in it."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports by dots"
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {node.value} if re.fullmatch(r"autograder\.\w+\.\w+", node.value) else set()
    names = {name.removeprefix("autograder.") for name in found if name.startswith("autograder.")}
    allowed = {name for place, name in ALLOWED if path.match(place)}
    return {name for name in names - allowed if name.partition(".")[0] not in DOORS}


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


def test_what_the_door_for_authors_offers_is_made_elsewhere() -> None:
    said, *given, names = ast.parse((PACKAGE / "author.py").read_text()).body
    assert isinstance(said, ast.Expr) and isinstance(names, ast.Assign)
    assert given and all(isinstance(node, ast.ImportFrom) for node in given)


@pytest.mark.parametrize("name", nbgrader_plugins._FROM)
def test_each_plug_in_is_where_the_door_for_nbgrader_says(name: str) -> None:
    module = getattr(nbgrader_plugins, name).__module__
    assert module == f"autograder.{nbgrader_plugins._FROM[name]}"


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
    for names in (inside.keys(), ROOMS):
        pairs = combinations(sorted(names, key=len), 2)
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


LEARNING = {"common", "exercise", "confined", "judging", "diagnosis", "showing", "learner"}


def test_a_learners_check_loads_neither_notebooks_nor_nbgrader() -> None:
    loaded = loaded_after("from autograder import check, status")
    assert rooms_of(loaded) == LEARNING
    assert loaded.isdisjoint({"nbgrader", "nbformat", "jupytext", "rich", "matplotlib"})


def test_a_command_of_nbgrader_does_not_wait_for_torch() -> None:
    course = "from autograder.course.course import Course\nfrom pathlib import Path"
    loaded = loaded_after(f"{course}\nCourse(Path({str(REPOSITORY)!r})).config")
    assert "autograder.plugins.nbgrader_settings" in loaded and "torch" not in loaded


def test_the_warm_worker_loads_three_rooms_and_what_notebooks_import() -> None:
    worker = "from autograder.confined.worker import IMPORTS"
    assert rooms_of(loaded_after(worker)) == {"common", "exercise", "confined"}
    warm = f"{worker}\nimport importlib\nfor name in IMPORTS: importlib.import_module(name)"
    assert rooms_of(loaded_after(warm)) == LEARNING


def test_what_decides_a_mark_imports_nothing_that_does_not() -> None:
    for room in DECIDE:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            others = {name.partition(".")[0] for name in imported(path)} - set(DECIDE)
            assert others <= MESSAGES, (path, others)
