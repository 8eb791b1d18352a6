"""Several chapters graded in one run: the same as each alone, with the same processes."""

import json
import shutil

import pytest

from autograder.authoring.simulate import make_class, write_class
from autograder.chapters.solutions import load
from autograder.cli import main
from autograder.course.course import Course
from autograder.course.release import release

CHAPTERS = ["01_toy", "02_more"]


@pytest.fixture(scope="module")
def course(toy_root, tmp_path_factory, nbgrader, sandbox):
    """Two chapters in which the same three have handed in something."""
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("several") / "class")
    course = Course(root)
    release(course, "02_more")
    for name in CHAPTERS:
        chapter = load(root, name)
        write_class(course, chapter, make_class(chapter, 3, seed=3, accidents=()), seed=3)
    return course


@pytest.fixture(scope="module")
def graded(course):
    """The rows of one run for both."""
    return rows(course, CHAPTERS, "both.jsonl")


def rows(course, chapters, name, *options):
    path = course.root / name
    words = ["grade", *chapters, "--root", str(course.root), "--seed", "s", "--yes", *options]
    assert main([*words, "--results", str(path)]) == 0
    return [json.loads(line) for line in path.read_text().splitlines()]


def intended(course, name):
    path = course.root / "simulated" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_chapter_gets_its_own_verdicts(course, graded):
    def of(rows):
        parts = ("student", "exercise", "verdict", "misconception")
        return sorted(tuple(str(row[part]) for part in parts) for row in rows)

    for name in CHAPTERS:
        assert of(row for row in graded if row["chapter"] == name) == of(intended(course, name))


def test_one_table_says_how_each_chapter_went(course, graded, capsys):
    assert rows(course, CHAPTERS, "again.jsonl") == graded
    said = capsys.readouterr().out
    assert all(said.count(name) == 1 for name in CHAPTERS)
    passed = [row for row in graded if (row["chapter"], row["verdict"]) == ("01_toy", "passed")]
    assert f"{len(passed)} of 9" in said


def test_what_was_graded_with_others_is_not_graded_again_alone(course, graded, monkeypatch):
    monkeypatch.setattr("autograder.grading.attempts.grade_in_session", None)  # cannot be called
    alone = [row for name in CHAPTERS for row in rows(course, [name], "alone.jsonl")]
    assert alone == graded


def test_a_chapter_that_is_named_twice_is_graded_once(course, graded):
    assert rows(course, [*CHAPTERS, "01_toy"], "twice.jsonl") == graded


def test_only_the_chosen_student_is_graded_in_each(course, graded, capsys):
    assert rows(course, CHAPTERS, "one.jsonl", "--student", "student2", "--force") == graded
    said = capsys.readouterr().out
    assert said.count("student2") == len(CHAPTERS) and "student1" not in said


def test_without_one_of_the_chapters_none_is_graded(course, graded, capsys):
    words = ["grade", "01_toy", "05_none", "--root", str(course.root), "--seed", "other"]
    assert main(words) == 2
    assert "There is no chapter '05_none'" in capsys.readouterr().err
