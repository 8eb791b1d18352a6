"""A gradebook or a seed that cannot be used is said in a sentence, and costs nobody a mark."""

import shutil
import sqlite3
import subprocess
import sys

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine
from terminal import said
from whole_runs import MARKS

from autograder.authoring.simulate import make_class, write_class
from autograder.cli import main
from autograder.common.files import REPOSITORY, SEED
from autograder.course import nbgrader_errors
from autograder.course.course import Course
from autograder.grading import writer
from autograder.grading.gradebook import Marks


@pytest.fixture(scope="module")
def once_graded(toy, toy_root, sandbox, tmp_path_factory):
    """A class of three that was graded, whose gradebook is not waited for long when locked."""
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("graded") / "class")
    write_class(Course(root), toy, make_class(toy, 3, seed=3), seed=3)
    config = (REPOSITORY / "nbgrader_config.py").read_text()
    (root / "nbgrader_config.py").write_text(f"{config}{QUICK}")
    assert main(["grade", "01_toy", "--root", str(root)]) == 0
    return root


@pytest.fixture
def graded(once_graded, tmp_path):
    return shutil.copytree(once_graded, tmp_path / "class")


QUICK = """
from pathlib import Path
c.CourseDirectory.db_url = f"sqlite:///{Path(__file__).parent.resolve()}/gradebook.db?timeout=0.05"
"""


def book(root):
    return root / "gradebook.db"


def marks(root):
    with sqlite3.connect(book(root)) as opened:
        return opened.execute(MARKS).fetchall()


def sql(root, *statements):
    with sqlite3.connect(book(root)) as opened:
        for statement in statements:
            opened.execute(statement)


def a_text(root):
    book(root).write_text("these are my marks\n" * 500)


def cut_short(root):
    book(root).write_bytes(book(root).read_bytes()[:60_000])


def emptied(root):
    book(root).write_bytes(b"")


def a_folder(root):
    book(root).unlink()
    book(root).mkdir()


def of_another_program(root):
    book(root).unlink()
    sql(root, "create table songs (id integer)")


def older(root):
    sql(root, "update alembic_version set version_num = '167914646830'",
        "alter table student drop column lms_user_id")  # fmt: skip


def newer(root):
    sql(root, "update alembic_version set version_num = 'feedfeedfeed'")


FAULTS = {
    a_text: "is no gradebook: it is not an SQLite database. Put back a copy of it",
    cut_short: "is damaged: it was cut short or overwritten. Put back a copy of it",
    emptied: "is an empty file, though marks were given. Put back a copy of it",
    a_folder: "is a folder where the gradebook should be. Put back a copy of it",
    of_another_program: "is no gradebook: it is a database of another program.",
    older: "is of an older nbgrader. Bring it up to date with `nbgrader db upgrade`.",
    newer: "is of a newer nbgrader than the one installed here",
}
COMMANDS = (
    "grade 01_toy --force --yes", "extend student1 01_toy --days 2", "feedback 01_toy",
    "report 01_toy", "explain student1 01_toy average",
)  # fmt: skip


def attn(root, line):
    return main([*line.split(), "--root", str(root)])


@pytest.mark.parametrize("spoil", FAULTS, ids=lambda spoil: spoil.__name__)
def test_each_command_says_in_a_sentence_what_is_wrong_with_the_gradebook(graded, capsys, spoil):
    spoil(graded)
    before = book(graded).read_bytes() if book(graded).is_file() else None
    for line in COMMANDS:
        assert attn(graded, line) == 2, line
        told = said(capsys)
        assert told.startswith(f"attn {line.split()[0]}: ") and "Traceback" not in told
        assert str(book(graded)) in told.replace(" ", "") and FAULTS[spoil] in told
    assert before == (book(graded).read_bytes() if book(graded).is_file() else None)


def test_marks_that_the_gradebook_lacks_are_written_although_they_were_given_before(graded):
    before = marks(graded)
    sql(graded, "delete from grade where rowid > 0", "delete from submitted_notebook",
        "delete from submitted_assignment where student_id = 'student2'")  # fmt: skip
    assert attn(graded, "grade 01_toy") == 0
    assert marks(graded) == before
    book(graded).unlink()
    assert attn(graded, "grade 01_toy") == 0
    assert marks(graded) == before


@pytest.fixture
def lock(graded):
    """Locks the gradebook for all others; returns what unlocks it."""
    opened = []

    def close():
        opened.append(sqlite3.connect(book(graded), isolation_level=None))
        opened[-1].execute("begin exclusive")
        return opened[-1].close

    yield close
    for connection in opened:
        connection.close()


def test_grading_that_meets_a_lock_says_so_once_and_goes_on_when_it_is_gone(
    graded, lock, capsys, monkeypatch
):
    before, waited = marks(graded), []
    free = lock()

    def wait(_):
        waited.append(_)
        if len(waited) == 3:
            free()

    monkeypatch.setattr(nbgrader_errors.time, "sleep", wait)
    assert attn(graded, "grade 01_toy --force --yes") == 0
    told = said(capsys)
    assert len(waited) == 3 and told.count("is locked by another program. Waiting") == 1
    assert "60 seconds at most" in told
    assert marks(graded) == before


def test_a_lock_that_stays_ends_grading_with_a_sentence_and_loses_nothing(
    graded, lock, capsys, monkeypatch
):
    before, written = marks(graded), []
    book(graded).unlink()
    write = Marks.write

    def write_and_lock(self, entries):
        write(self, entries)
        written.append(lock())

    monkeypatch.setattr(writer, "BATCH", 1)
    monkeypatch.setattr(nbgrader_errors, "PATIENCE", 0)
    monkeypatch.setattr(Marks, "write", write_and_lock)
    assert attn(graded, "grade 01_toy") == 2
    told = said(capsys)
    assert told.count("is locked by another program. Close what has it open") == 1
    (free,) = written
    free()
    assert 0 < len(marks(graded)) < len(before)
    monkeypatch.undo()
    assert attn(graded, "grade 01_toy") == 0
    assert marks(graded) == before


def test_a_full_disk_ends_grading_with_a_sentence_and_it_goes_on_later(graded, capsys):
    before = marks(graded)
    book(graded).unlink()
    shutil.rmtree(graded / ".attn")

    def fill(connection, _):
        connection.execute("pragma max_page_count = 1")

    event.listen(Engine, "connect", fill)
    try:
        assert attn(graded, "grade 01_toy") == 2
    finally:
        event.remove(Engine, "connect", fill)
    assert "cannot be written, because its disk is full. Free some space" in said(capsys)
    assert attn(graded, "grade 01_toy") == 0
    assert marks(graded) == before


@pytest.mark.parametrize("what", ["", "gradebook.db"])
def test_a_gradebook_that_may_not_be_written_is_told_before_anybody_is_graded(graded, what):
    place = str(graded / what)
    ours = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", place, place]
    command = [*ours, sys.executable, "-m", "autograder.cli", "grade", "01_toy", "--force",
               "--root", str(graded)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "may not be written. Make it and its folder writable" in " ".join(done.stderr.split())


def empty_seed(path):
    path.write_text("\n")


def seed_of_bytes(path):
    path.write_bytes(b"\xff\xfe1\x002\x00")


def seed_in_a_folder(path):
    path.unlink()
    path.mkdir()


def seed_that_links_nowhere(path):
    path.unlink()
    path.symlink_to("gone")


SEEDS = {
    empty_seed: "it is empty",
    seed_of_bytes: "it is not UTF-8 text",
    seed_in_a_folder: "Is a directory",
    seed_that_links_nowhere: "No such file or directory",
}


@pytest.mark.parametrize("spoil", SEEDS, ids=lambda spoil: spoil.__name__)
def test_each_command_says_in_a_sentence_what_is_wrong_with_the_seed(graded, capsys, spoil):
    spoil(graded / SEED)
    for line in ("grade 01_toy", "explain student1 01_toy average", "report 01_toy --anonymous",
                 "package gradescope 01_toy"):  # fmt: skip
        assert attn(graded, line) == 2, line
        assert f"cannot be read: {SEEDS[spoil]}. Put back the one" in said(capsys), line


def test_a_seed_that_an_editor_saved_with_a_byte_order_mark_is_the_same(graded):
    known = Course(graded).seed(None)
    (graded / SEED).write_text(f"{known}\r\n", encoding="utf-8-sig")
    assert Course(graded).seed(None) == known


AUTOGRADE = ("autograde", "01_toy", "--force")


@pytest.mark.parametrize(
    ("command", "spoil"),
    [(AUTOGRADE, a_text), (AUTOGRADE, seed_in_a_folder), (("export",), a_text)],
)
def test_nbgrader_says_it_once_for_all_students_too(graded, nbgrader, command, spoil):
    spoil(graded / SEED if spoil is seed_in_a_folder else graded)
    done = nbgrader(graded, *command, check=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.count("ERROR") == 1
    assert len(list(graded.glob("autograded/*/01_toy/01_toy.ipynb"))) == 3
