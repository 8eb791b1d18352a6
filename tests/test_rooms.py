"""The rooms of the engine: each imports only what stands left of it, and the doors only lead in."""

import ast
from pathlib import Path

import pytest

from autograder.calls.files import PACKAGE

# `sandbox` and `notebooks` stand side by side, as `learner` and `course`, and `classes` and `lms`.
ORDER = [
    {"calls"}, {"sandbox", "notebooks"}, {"judging"}, {"showing"}, {"learner", "course"},
    {"grading"}, {"classes", "lms"}, {"commands"},
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


def differ_by_a_letter(one: str, two: str) -> bool:
    shorter, longer = sorted((one, two), key=len)
    without = {longer[:at] + longer[at + 1 :] for at in range(len(longer))}
    return shorter in without or bool(
        len(one) == len(two) and without & {two[:at] + two[at + 1 :] for at in range(len(two))}
        and sum(a != b for a, b in zip(one, two, strict=True)) == 1
    )  # fmt: skip


def test_the_names_of_two_modules_differ_by_more_than_a_letter() -> None:
    inside = {path.stem for path in MODULES if path.parent != PACKAGE} - {"__init__"}
    assert not [
        pair for pair in combinations(sorted(inside | ROOMS), 2) if differ_by_a_letter(*pair)
    ]
