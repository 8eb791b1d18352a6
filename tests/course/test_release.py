import shutil
import subprocess
import sys
from pathlib import Path
from shutil import copy

import nbformat
import pytest

from autograder.chapters.solutions import chapter_names
from autograder.cli import main
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.release import release, release_all

TOY = Path(__file__).parents[1] / "toy_course"
AGAIN = "Run: .venv/bin/attn release 01_toy --root tests/toy_course"


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def course(nbgrader, toy_root, tmp_path):
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    return Course(tmp_path)


def test_the_committed_release_of_the_small_course_is_what_its_solutions_give(course):
    committed = TOY / "exercises" / "01_toy"
    shutil.copytree(committed, course.root / "exercises" / "01_toy")  # stays but for rounding
    assert bytes_of(release(course, "01_toy")) == bytes_of(committed), AGAIN


def test_the_release_holds_the_notebook_the_public_checks_and_the_rule_for_assistants(course):
    assert set(bytes_of(release(course, "01_toy"))) == {
        "01_toy.ipynb", "checks.safetensors", "AGENTS.md", "CLAUDE.md",
    }  # fmt: skip


def test_processes_that_release_side_by_side_find_one_gradebook(course, all_cores):
    names = chapter_names(course.root)
    assert not course.has_gradebook and len(names) > 1
    assert [name for name, _ in release_all(course, names)] == names


def test_regeneration_gives_the_same_bytes_also_from_another_process(course):
    folder = release(course, "01_toy")
    first = bytes_of(folder)
    shutil.rmtree(folder)  # what was released would be left as it is
    command = [sys.executable, "-m", "autograder.cli", "release", "--root", str(course.root)]
    subprocess.run(command, check=True, capture_output=True, env={"PYTHONHASHSEED": "7"})
    assert bytes_of(folder) == first


def test_no_line_of_a_solution_gets_out(course):
    folder = release(course, "01_toy")
    text = (folder / "01_toy.ipynb").read_text()
    for line in ("keepdim=True", "normalise(weights) @ values", "self.factor", "Because."):
        assert line not in text
        assert line.encode() not in (folder / "checks.safetensors").read_bytes()


def test_a_released_notebook_can_be_read_while_it_is_released_again(course, monkeypatch):
    folder = release(course, "01_toy")
    before, seen = bytes_of(folder), []
    monkeypatch.setattr("shutil.copy", lambda *paths: (seen.append(bytes_of(folder)), copy(*paths)))
    assert bytes_of(release(course, "01_toy")) == before
    assert seen and all(before.items() <= files.items() for files in seen)


def test_a_release_that_is_stopped_leaves_the_earlier_one(course):
    folder = release(course, "01_toy")
    before = bytes_of(folder)
    (course.root / "solutions" / "01_toy" / "answers.txt").write_text("42")
    with pytest.raises(CourseError, match=r"would release answers\.txt"):
        release(course, "01_toy")
    assert bytes_of(folder) == before


@pytest.mark.parametrize("work", ["an answer", "progress"])
def test_a_release_does_not_overwrite_what_somebody_has_worked_in(course, capsys, work):
    folder = release(course, "01_toy")
    path = folder / "01_toy.ipynb"
    if work == "progress":
        (folder / "progress.json").write_text("{}")
    else:
        path.write_text(path.read_text().replace("raise NotImplementedError", "return 1", 1))
    before = bytes_of(folder)
    assert main(["release", "--root", str(course.root)]) == 2
    assert "Somebody has worked in" in " ".join(capsys.readouterr().err.split())
    assert bytes_of(folder) == before


def test_what_nbgrader_refuses_stops_the_release(course, capsys):
    source = course.root / "solutions" / "01_toy" / "01_toy.md"
    source.write_text(source.read_text().replace("Because.", "### BEGIN SOLUTION\nBecause."))
    assert main(["release", "--root", str(course.root)]) == 2
    assert "could not release 01_toy: RuntimeError: no end solution" in " ".join(
        capsys.readouterr().err.split()
    )


def test_an_exercise_without_its_file_is_named(course, capsys):
    (course.root / "solutions" / "01_toy" / "Scale.py").rename(course.root / "elsewhere.py")
    assert main(["release", "--root", str(course.root)]) == 2
    assert "Scale.py" in "".join(capsys.readouterr().err.split())


def test_each_exercise_shows_its_difficulty_minutes_and_points(course):
    notebook = nbformat.read(release(course, "01_toy") / "01_toy.ipynb", as_version=4)
    about = next(cell.source for cell in notebook.cells if "## 2. Average" in cell.source)
    assert "*Difficulty ●●○○○ · about 5 minutes · 3 points*" in about


def test_cell_ids_follow_from_what_the_cell_is(course):
    notebook = nbformat.read(release(course, "01_toy") / "01_toy.ipynb", as_version=4)
    ids = [cell.id for cell in notebook.cells]
    assert {"normalise", "check-normalise", "why"} <= set(ids)
    assert len(ids) == len(set(ids))
