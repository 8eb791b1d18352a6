"""nbgrader's own commands on a course that uses our engine, and stock nbgrader beside it."""

import csv
import json
import shutil
import sqlite3
from pathlib import Path

import nbformat
import pytest
from learners import RIGHT, notebook, save
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from servers import formgrader, get

from autograder.authoring.simulate import make_class, write_class
from autograder.chapters.drift import drift
from autograder.cli import main
from autograder.common.files import CHECKS, REPOSITORY
from autograder.course.course import Course
from autograder.course.release import release
from autograder.judging import checks_file
from autograder.notebooks.chapter import reference
from autograder.plugins.preprocessors import Judge

STUDENTS = 8


@pytest.fixture(scope="module")
def course(toy_root, tmp_path_factory):
    """A course folder as an instructor has it: solutions, configuration, submissions."""
    root = tmp_path_factory.mktemp("term")
    shutil.copytree(toy_root / "solutions", root / "solutions")
    for built in (*root.glob("solutions/*/*.ipynb"), *root.glob("solutions/*/*.safetensors")):
        built.unlink()
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    return Course(root)


@pytest.fixture(scope="module")
def released(course, nbgrader):
    done = nbgrader(course.root, "generate_assignment", "01_toy")
    return done.stderr, course.root / "exercises" / "01_toy"


@pytest.fixture(scope="module")
def autograded(course, released, toy, sandbox, nbgrader):
    write_class(course, toy, make_class(toy, STUDENTS, seed=4), seed=4)
    return nbgrader(course.root, "autograde", "01_toy")


def marks(root, database="gradebook.db"):
    """(auto score, needs manual grade) by student and cell, as the gradebook has them."""
    with Gradebook(f"sqlite:///{root / database}") as book:
        return {
            (submission.student.id, grade.name): (grade.auto_score, grade.needs_manual_grade)
            for submission in book.assignment_submissions("01_toy")
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


def version(root):
    """Of the gradebook's tables: `nbgrader db upgrade` starts from it."""
    with sqlite3.connect(root / "gradebook.db") as book:
        return book.execute("select version_num from alembic_version").fetchall()


def test_a_new_gradebook_needs_no_program_on_the_path(
    course, nbgrader, autograded, tmp_path, monkeypatch
):
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    monkeypatch.setenv("PATH", "")
    nbgrader(tmp_path, "db", "student", "add", "ada")
    assert version(tmp_path) == version(course.root)


def test_generate_assignment_builds_the_release_from_the_text(released, toy_root):
    ours = toy_root / "exercises" / "01_toy"
    for name in ("01_toy.ipynb", "AGENTS.md", "CLAUDE.md"):
        assert (released[1] / name).read_bytes() == (ours / name).read_bytes()
    checks = ([*checks_file.load(at / CHECKS).values()] for at in (ours, released[1]))
    assert drift(*checks) == ""


def test_validate_says_which_check_fails_on_the_stub_and_accepts_the_solution(
    released, toy, tmp_path, nbgrader
):
    stub = nbgrader(released[1], "validate", "01_toy.ipynb")
    assert "VALIDATION FAILED ON 4 CELL(S)" in stub.stdout  # three checks, one answer
    shutil.copy(released[1] / "checks.safetensors", tmp_path)
    notebook = nbformat.read(released[1] / "01_toy.ipynb", as_version=4)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = {**reference(toy), "why": "So."}.get(grade_id, cell.source)
    demonstrations = [cell for cell in notebook.cells if "raise RuntimeError" in cell.source]
    notebook.cells = [cell for cell in notebook.cells if cell not in demonstrations]
    nbformat.write(notebook, tmp_path / "01_toy.ipynb")
    done = nbgrader(tmp_path, "validate", "01_toy.ipynb")
    assert "Success! Your notebook passes all the tests." in done.stdout


def test_autograde_uses_our_engine_and_gives_the_marks_that_the_simulation_intended(
    course, autograded, toy
):
    found = marks(course.root)
    rows = (course.root / "simulated" / "01_toy.jsonl").read_text().splitlines()
    for row in map(json.loads, rows):
        points = toy.exercises[row["exercise"]].points if row["verdict"] == "passed" else 0
        assert found[row["student"], f"check_{row['exercise']}"] == (points, False)


def test_attn_grade_writes_the_same_gradebook_and_notebooks(course, autograded, tmp_path):
    ours = tmp_path / "ours"
    shutil.copytree(course.root, ours, ignore=shutil.ignore_patterns("autograded", "*.db"))
    assert main(["grade", "01_toy", "--root", str(ours)]) == 0
    assert marks(ours) == marks(course.root)
    assert version(ours) == version(course.root)
    for theirs in course.root.glob("autograded/*/01_toy/01_toy.ipynb"):
        mine = ours / theirs.relative_to(course.root)
        one, two = (nbformat.read(path, as_version=4) for path in (theirs, mine))
        assert [cell.source for cell in one.cells] == [cell.source for cell in two.cells]
        assert [cell.get("outputs") for cell in one.cells] == [
            cell.get("outputs") for cell in two.cells
        ]


def page(root, student):
    return (root / "feedback" / student / "01_toy" / "01_toy.html").read_text()


def test_feedback_shows_the_card_and_no_traceback(course, autograded, nbgrader):
    nbgrader(course.root, "generate_feedback", "01_toy")
    rows = (course.root / "simulated" / "01_toy.jsonl").read_text().splitlines()
    wrong = next(row for row in map(json.loads, rows) if row["misconception"])
    assert "Look at:" in page(course.root, wrong["student"])
    assert "Run this first" not in page(course.root, wrong["student"])
    assert "Traceback (most recent call last)" not in page(course.root, wrong["student"])


def test_exported_marks_equal_ours(course, autograded, nbgrader):
    nbgrader(course.root, "export", "--to", "grades.csv")
    with (course.root / "grades.csv").open() as file:
        exported = {row["student_id"]: float(row["raw_score"]) for row in csv.DictReader(file)}
    ours = dict.fromkeys(exported, 0.0)
    for (student, _), (score, _) in marks(course.root).items():
        ours[student] += score or 0.0
    assert exported == ours


def test_stock_autograde_of_an_honest_class_gives_the_same_marks(
    course, autograded, nbgrader, tmp_path
):
    """Without our configuration the check cells run in a kernel, on the public cases."""
    stock, honest = tmp_path / "stock", ("solution", "one slip", "stub", "variants")
    rows = (course.root / "simulated" / "01_toy.jsonl").read_text().splitlines()
    chosen = {row["student"] for row in map(json.loads, rows) if row["story"] in honest}
    shutil.copytree(course.root / "solutions", stock / "solutions")
    for student in chosen:
        place = Path("submitted", student)
        shutil.copytree(course.root / place, stock / place)
    (stock / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.source_directory = "solutions"\n'
        'c.CourseDirectory.release_directory = "exercises"\n'
        "c.Execute.allow_errors = True\n"
    )
    nbgrader(stock, "generate_assignment", "01_toy")
    nbgrader(stock, "autograde", "01_toy")
    expected = {key: mark for key, mark in marks(course.root).items() if key[0] in chosen}
    assert chosen and marks(stock) == expected


def test_formgrader_lists_the_chapter_and_shows_a_submission(course, autograded):
    with formgrader(course.root) as address:
        listed = json.loads(get(f"{address}/api/assignments"))
        chapters = {item["name"]: item["num_submissions"] for item in listed}
        assert chapters == {"01_toy": STUDENTS, "02_more": 0, "03_changes": 0}
        submissions = json.loads(get(f"{address}/api/submissions/01_toy"))
        assert {item["autograded"] for item in submissions} == {True}
        notebooks = json.loads(get(f"{address}/api/submitted_notebooks/01_toy/01_toy"))
        page = get(f"{address}/submissions/{notebooks[0]['id']}/?index=0")
        assert "check(normalise)" in page or "normalise" in page


def test_who_is_graded_after_an_exercise_was_corrected_is_graded_by_the_correction(
    toy_root, tmp_path, sandbox
):
    """As in formgrader, which is one process for as long as the teacher works."""
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    course = Course(tmp_path)
    folder = tmp_path / "submitted" / "ada" / "01_toy"
    folder.mkdir(parents=True)
    adds = RIGHT["Scale"].replace("x * self.factor", "x + self.factor")
    written = notebook(Course(toy_root).released("01_toy"), RIGHT | {"Scale": adds})
    save(written, folder / "01_toy.ipynb")
    api = NbGraderAPI(coursedir=course.directory, config=course.config)

    def graded():
        release(course, "01_toy")
        assert api.autograde("01_toy", "ada")["success"]
        ((_, grader),) = (kept for (root, _), kept in Judge._graders.items() if root == tmp_path)
        return marks(tmp_path)["ada", "check_Scale"], grader.sandbox

    mark, first = graded()
    assert mark == (0, False) and first._process
    source = tmp_path / "solutions" / "01_toy"
    for name, old, new in (
        ("Scale.py", 'torch.einsum("...w,w->...w", x, self.factor)', "x + self.factor"),
        ("01_toy.md", "x * self.factor", "x + self.factor"),
    ):
        text = (source / name).read_text()
        (source / name).write_text(text.replace(old, new))
    mark, last = graded()
    assert mark == (1, False)
    assert last is not first and not first._process
    last.stop()
