"""What grading keeps, the journal and the seed, is whole whatever happens while it is written."""

import errno
import os
import resource
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from terminal import grade, said

from autograder.cli import main
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.grading.journal import Journal
from autograder.grading.lock import grading


def test_of_two_that_grade_one_course_the_second_is_refused(handed_in, capsys):
    with grading(Course(handed_in)):
        assert grade(handed_in) == 2
    assert "Another `attn grade` is at work on" in said(capsys)
    assert not (handed_in / ".attn" / "01_toy.jsonl").exists()


@pytest.fixture
def little_room():
    """A limit to the length of files, as a full disk is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    @contextmanager
    def limited(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        yield
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    yield limited
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def row(points):
    return {"student": "ada", "chapter": "01_toy", "exercise": "normalise", "points": points,
            "max_points": 3, "verdict": "wrong", "misconception": None, "message": ""}  # fmt: skip


def entry(student, mark="mark", points=1):
    return {"student": student, "fingerprint": mark, "rows": [row(points)], "notes": []}


def test_what_could_not_be_appended_to_the_journal_is_not_finished(tmp_path, little_room):
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.add([entry("ada")])
    with little_room(path.stat().st_size + 20), pytest.raises(OSError):
        journal.add([entry("bob"), entry("cleo")])
    assert "bob" not in journal and Journal(path).damaged == 0
    journal.add([entry("cleo", points=3)])
    for known in (journal, Journal(path)):
        assert known.entry("ada")["rows"] == [row(1)]
        assert known.entry("cleo")["rows"] == [row(3)] and "bob" not in known


RECORD = {"graded": "2026-01-12T12:00:00+00:00", "submission": None, "exercises": {}, "chapter": "",
          "release": "", "engine": "", "seed": "", "environment": {}}  # fmt: skip


@pytest.mark.parametrize(
    "later", [{}, {"record": RECORD}, {"record": RECORD | {"device": "cuda"}}, {"of another": 1}]
)
def test_a_journal_of_an_earlier_version_is_read(tmp_path, later):
    path = tmp_path / "journal.jsonl"
    Journal(path).add([entry("ada") | later])
    assert Journal(path).entry("ada") == entry("ada") | later


@pytest.mark.parametrize("part", [
    {"rows": [{"points": 1}]}, {"rows": [row("1")]}, {"rows": [row(float("nan"))]}, {"rows": {}},
    {"notes": [1]}, {"student": None}, {"record": {}}, {"record": RECORD | {"environment": [1]}},
])  # fmt: skip
def test_an_entry_with_another_part_is_damaged_and_mending_leaves_it_out(tmp_path, part):
    path = tmp_path / "journal.jsonl"
    Journal(path).add([entry("ada"), entry("bob") | part, entry("cleo")])
    journal = Journal(path)
    assert [name in journal for name in ("ada", "bob", "cleo")] == [True, False, True]
    assert (journal.mend(), journal.damaged, len(path.read_bytes().splitlines())) == (1, 0, 2)
    assert journal.entry("cleo") == entry("cleo")


def test_a_full_disk_ends_in_a_sentence_and_the_next_run_goes_on(handed_in, monkeypatch, capsys):
    append = Journal._append

    def full(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    monkeypatch.setattr(Journal, "_append", full)
    assert grade(handed_in) == 2
    assert "No space left on device" in said(capsys)
    monkeypatch.setattr(Journal, "_append", append)
    assert grade(handed_in) == 0


def test_a_damaged_journal_is_told_of_and_mended(handed_in, capsys):
    assert grade(handed_in) == 0
    path = handed_in / ".attn" / "01_toy.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"rows"', b'"r\xffws"', 1))
    assert main(["report", "01_toy", "--root", str(handed_in)]) == 2
    assert "is damaged: 1 of its lines cannot be read" in said(capsys)
    assert grade(handed_in) == 1
    assert "was damaged: 1 of its lines could not be read" in said(capsys)
    assert grade(handed_in) == 0
    assert len(path.read_bytes().splitlines()) == 3


def test_the_seed_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("os.link", killed)
        with pytest.raises(KeyboardInterrupt):
            Course(tmp_path).seed(None)
    assert list(tmp_path.iterdir()) == []
    assert len(Course(tmp_path).seed(None)) == 32


def test_all_who_ask_for_the_first_time_at_once_get_the_same_seed(tmp_path):
    with ThreadPoolExecutor(50) as pool:
        found = set(pool.map(lambda _: Course(tmp_path).seed(None), range(500)))
    assert len(found) == 1 and [path.name for path in tmp_path.iterdir()] == [".grading_seed"]


@pytest.mark.parametrize(
    ("seed", "why"), [("", "it is empty"), ("\n", "it is empty"), ("public", "is no secret")]
)
def test_a_seed_that_everybody_knows_is_refused(tmp_path, seed, why):
    (tmp_path / ".grading_seed").write_text(seed)
    with pytest.raises(CourseError, match=why):
        Course(tmp_path).seed(None)
    with pytest.raises(CourseError, match="is no secret"):
        Course(tmp_path).seed(seed)
