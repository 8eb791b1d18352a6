"""The course itself: every chapter under solutions/, and what was released of it."""

import ast
import csv
import json
import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.authoring.selftest import selftest
from autograder.chapters.course_root import CONFIG, SOLUTIONS
from autograder.chapters.drift import drift
from autograder.chapters.solutions import chapter_names, load
from autograder.cli import main
from autograder.common.files import CHECKS, REPOSITORY
from autograder.course import assistants
from autograder.course.course import Course
from autograder.exercise.wire import unpack
from autograder.judging import checks_file
from autograder.notebooks.chapter import reference

CHAPTERS = chapter_names(REPOSITORY)
each_chapter = pytest.mark.parametrize("name", CHAPTERS)


@each_chapter
def test_every_misconception_is_rejected_and_named_and_every_variant_accepted(sandbox, name):
    reports = selftest(load(REPOSITORY, name), sandbox)
    assert [fault for report in reports for fault in report.faults] == []


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@each_chapter
def test_the_committed_exercises_are_what_the_solutions_give(name, nbgrader, tmp_path):
    """But for rounding, so that an edit by hand or a forgotten release is noticed anywhere."""
    for part in (CONFIG, SOLUTIONS):
        (tmp_path / part).symlink_to(REPOSITORY / part)
    assert main(["release", name, "--root", str(tmp_path)]) == 0
    fresh, committed = tmp_path / "exercises" / name, REPOSITORY / "exercises" / name
    assert files_of(fresh).keys() == files_of(committed).keys()
    for file in (f"{name}.ipynb", *assistants.FILES):
        assert files_of(fresh)[file] == files_of(committed)[file]
    known, made = ([*checks_file.load(at / CHECKS).values()] for at in (committed, fresh))
    assert drift(known, made) == ""


def given(chapter):
    """Lines of code that the text gives to learners: all outside the marks of a solution."""
    code = "\n".join(c.source for c in chapter.text.cells if c.cell_type == "code")
    shown = re.sub(r"### BEGIN SOLUTION.*?### END SOLUTION", "", code, flags=re.DOTALL)
    return {line.strip() for line in shown.splitlines()}


@each_chapter
def test_no_solution_got_out(name):
    """No line of a solution, oracle, variant or misconception that a stub does not have too."""
    chapter, folder = load(REPOSITORY, name), REPOSITORY / "exercises" / name
    notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    released = "\n".join(c.source for c in notebook.cells if c.cell_type == "code")
    released += (folder / "checks.safetensors").read_bytes().decode(errors="replace")
    stubs = {line.strip() for line in released.splitlines()} - given(chapter)
    for exercise in chapter.exercises.values():
        bodies = [reference(chapter)[exercise.name].rsplit('"""', 1)[-1]]
        known = [exercise.right, *exercise.variants, *exercise.misconceptions]
        bodies += [item.source_as("f").split("\n", 1)[1] for item in known if item]
        for line in {line.strip() for body in bodies for line in body.splitlines()}:
            # short or common lines say nothing, and are not the answer to anything
            assert len(line) < 30 or line not in stubs, f"{exercise.name}: {line}"


def defined(chapter):
    """Names of the functions and classes that the text of a chapter defines."""
    cells = [cell for cell in chapter.text.cells if cell.cell_type == "code"]
    return {n.name for cell in cells for n in ast.parse(cell.source).body if hasattr(n, "name")}


@each_chapter
def test_what_a_wrong_answer_brings_along_is_called_as_nothing_else_of_its_chapter(name):
    """A notebook is one namespace: a helper of one answer must not replace that of another."""
    chapter, meant = load(REPOSITORY, name), {}
    for exercise in chapter.exercises.values():
        for item in (*exercise.variants, *exercise.misconceptions):
            for node in ast.parse(item.source_as(exercise.name)).body[:-1]:
                assert meant.setdefault(node.name, ast.unparse(node)) == ast.unparse(node)
    assert not meant.keys() & defined(chapter)


@each_chapter
def test_public_checks_hold_no_code_but_what_is_to_be_examined(name):
    path = REPOSITORY / "exercises" / name / "checks.safetensors"
    for tree in unpack(path.read_bytes()):
        del tree["cases"]
        for relation in (
            *tree["properties"],
            *(r for g in tree["groups"] for r in g["properties"]),
        ):
            relation.pop("holds", None)  # by which what is returned is tried
        assert "def " not in repr(tree) and "lambda" not in repr(tree)


# The self-test above has every exercise of every chapter; a class takes the same way with each.
# This is the chapter whose answers build on one of another; test_processors.py has other kernels.
@pytest.fixture(scope="module", params=["07_block"])
def graded(request, sandbox, tmp_path_factory):
    """A simulated class of 16, graded with the commands that an instructor types."""
    root = tmp_path_factory.mktemp("class")
    name = request.param
    commands = (
        ["simulate", name, "--students", "16", "--seed", "1"],
        ["grade", name, "--results", str(root / "results.jsonl"), "--seed", "a seed"],
    )
    for command in commands:
        assert main([*command, "--root", str(root)]) == 0
    return name, root


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_class_of_16_gets_every_verdict_that_was_intended(graded):
    name, root = graded
    fields = ("student", "exercise", "verdict", "misconception")
    intended, found = (
        {tuple(row[field] for field in fields) for row in rows(path)}
        for path in (root / "simulated" / f"{name}.jsonl", root / "results.jsonl")
    )
    assert found == intended


def test_the_marks_that_nbgrader_exports_are_ours(graded, nbgrader):
    _, root = graded
    database = f"sqlite:///{root / 'gradebook.db'}"
    nbgrader(root, "export", "--db", database, "--to", "grades.csv")
    with (root / "grades.csv").open() as file:
        exported = {row["student_id"]: float(row["raw_score"]) for row in csv.DictReader(file)}
    ours = dict.fromkeys(exported, 0.0)
    for row in rows(root / "results.jsonl"):
        ours[row["student"]] += row["points"]
    assert exported == ours


def test_what_a_person_must_mark_is_left_to_the_person(graded):
    name, root = graded
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        manual = {
            grade.name: grade.needs_manual_grade
            for submission in book.assignment_submissions(name)
            for notebook in submission.notebooks
            for grade in notebook.grades
            if grade.needs_manual_grade
        }
    assert manual and not any(cell.startswith("check_") for cell in manual)


def test_the_course_folder_is_complete_in_a_fresh_clone():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.split()
    for name in CHAPTERS:
        assert f"exercises/{name}/{name}.ipynb" in tracked
        assert f"exercises/{name}/checks.safetensors" in tracked
    assert not [path for path in tracked if Path(path).match("solutions/*/*.ipynb")]
    assert Course(REPOSITORY).released(CHAPTERS[0]).cells
