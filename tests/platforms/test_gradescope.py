"""`attn package gradescope`, in a container that does what Gradescope documents."""

import ast
import errno
import html
import json
import os
import re
import shutil
import stat
import zipfile
from contextlib import nullcontext
from pathlib import Path

import autograder_container
import jsonschema
import pytest
from learners import RIGHT, notebook

from autograder.chapters.solutions import VOCABULARY
from autograder.cli import main
from autograder.course.course import Course
from autograder.grading.session import Session
from autograder.judging.verdict import Kind, Verdict
from autograder.notebooks.hand_in import HandIn
from autograder.platforms import gradescope_run
from autograder.platforms.gradescope_run import results
from autograder.platforms.gradescope_zip import contents

# https://gradescope-autograders.readthedocs.io/en/latest/specs/
SHOWN = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
TEST = {
    "type": "object",
    "required": ["score", "max_score", "name", "output", "visibility"],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number", "minimum": 0},
        "max_score": {"type": "number", "minimum": 0},
        "status": {"enum": ["passed", "failed"]},
        "name": {"type": "string"},
        "name_format": FORMAT,
        "number": {"type": "string"},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "tags": {"type": "array", "items": {"type": "string"}},
        "visibility": SHOWN,
        "extra_data": {"type": "object"},
    },
}
SCHEMA = {
    "type": "object",
    "required": ["tests"],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "visibility": SHOWN,
        "stdout_visibility": SHOWN,
        "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": TEST},
    },
}
CHEAT = Path(__file__).parents[1] / "attacks" / "cheat_public_cases_only.py"
WRONG = "def average(weights, values):\n    return weights @ values"
# What it could do to those it shares the container with; its exception tells what it came to.
TRIES = """
import os, socket
def normalise(values):
    parent = os.getppid()
    tries = {
        "user": lambda: os.getresuid(),
        "groups": lambda: os.getgroups(),
        "seed": lambda: open("/autograder/source/.grading_seed").read(),
        "source": lambda: os.listdir("/autograder/source"),
        "submission": lambda: os.listdir("/autograder/submission"),
        "results": lambda: open("/autograder/results/results.json", "w"),
        "engine": lambda: open("/autograder/venv/pyvenv.cfg", "a"),
        "runner": lambda: open("/autograder/run_autograder", "a"),
        "memory": lambda: open(f"/proc/{parent}/mem", "rb"),
        "environment": lambda: open(f"/proc/{parent}/environ").read(),
        "judge": lambda: os.kill(parent, 9),
        "root": lambda: os.setuid(0),
        "process": lambda: os.fork(),
        "network": lambda: socket.socket(),
        "scratch": lambda: open("mine", "w").write("x"),
        "home": lambda: open(os.path.expanduser("~/mine"), "w").write("x"),
        "home of the worker": lambda: os.listdir("/autograder/scratch-of-worker"),
    }
    came = {}
    for name, attempt in tries.items():
        try:
            came[name] = attempt()
        except OSError as error:
            came[name] = -error.errno
    raise RuntimeError(repr(came))
"""


@pytest.fixture(scope="module")
def package(toy_root):
    assert main(["package", "gradescope", "01_toy", "--root", str(toy_root)]) == 0
    return toy_root / "packages" / "01_toy-gradescope.zip"


@pytest.fixture(scope="module")
def container(package, sandbox, tmp_path_factory):
    autograder_container.require()
    built = autograder_container.Container(tmp_path_factory.mktemp("gradescope"), package)
    asked = built.build()
    assert "bubblewrap" in asked and "python3-venv" in asked
    return built


@pytest.fixture
def here(package, sandbox, tmp_path, monkeypatch):
    """The folders as Gradescope makes them, and the sandbox of the other tests."""
    for name in ("source", "submission", "results"):
        (tmp_path / name).mkdir()
    with zipfile.ZipFile(package) as archive:
        archive.extractall(tmp_path / "source")
    monkeypatch.setattr(gradescope_run, "strongest", lambda *_: (nullcontext(sandbox), ""))
    return tmp_path


@pytest.fixture
def marks(toy_root, sandbox):
    """What `attn grade` gives for a notebook."""

    def of(path):
        session = Session(toy_root, Course(toy_root).seed(None), confined=True)
        session.sandboxes = [sandbox]
        graded = session.grade("01_toy", "ada", HandIn.at(path))
        return {row["exercise"]: (row["points"], row["max_points"]) for row in graded.rows}

    return of


def pointed(found):
    """Of the tests that have points: what each gives."""
    return {test["name"]: (test["score"], test["max_score"]) for test in found["tests"]
            if test["max_score"]}  # fmt: skip


def as_bytes(released, **sources):
    return json.dumps(notebook(released, sources)).encode()


def run(folder, files):
    """What the runner leaves for a submission of these files."""
    for name, content in files.items():
        (folder / "submission" / f"{name}.ipynb").write_bytes(content)
    status = gradescope_run.main("01_toy", folder)
    target = folder / "results" / "results.json"
    return status, json.loads(target.read_text()) if target.exists() else None


def test_the_zip_has_all_that_gradescope_asks_for_and_is_for_its_owner_only(package):
    assert stat.S_IMODE(package.stat().st_mode) == 0o600
    with zipfile.ZipFile(package) as archive:
        names = set(archive.namelist())
        assert {"setup.sh", "run_autograder", ".grading_seed", "README.md"} <= names
        assert archive.read("run_autograder").startswith(b"#!")
        assert archive.getinfo("run_autograder").external_attr >> 16 & 0o111
        assert b"**This zip is secret.**" in archive.read("README.md")


def test_the_zip_has_what_the_course_says_beside_its_chapters(toy_root, tmp_path):
    root = shutil.copytree(toy_root, tmp_path / "course")
    text = "from autograder.author import Vocabulary\n\nvocabulary = Vocabulary()\n"
    (root / "solutions" / VOCABULARY).write_text(text)
    held = contents(Course(root), "01_toy")
    assert held[f"solutions/{VOCABULARY}"] == text.encode()
    assert "solutions/course.toml" in held and "solutions/01_toy/average.py" in held


def test_right_wrong_and_unwritten_answers_get_the_marks_of_attn_grade(
    container, released, marks, tmp_path
):
    handed_in = as_bytes(released, normalise=RIGHT["normalise"], average=WRONG)
    (tmp_path / "01_toy.ipynb").write_bytes(handed_in)
    ran = container.submit({"01_toy.ipynb": handed_in})
    assert ran.status == 0, ran.stdout
    assert ran.stdout.startswith("Confined by bubblewrap")
    jsonschema.validate(ran.results, SCHEMA)
    assert pointed(ran.results) == marks(tmp_path / "01_toy.ipynb")
    assert pointed(ran.results) == {"normalise": (2, 2), "average": (0, 3), "Scale": (0, 1)}


def test_without_namespaces_a_submission_reaches_neither_solutions_nor_seed_nor_results(
    container, released
):
    handed_in = as_bytes(released, normalise=TRIES, average=RIGHT["average"], Scale=RIGHT["Scale"])
    ran = container.submit({"01_toy.ipynb": handed_in}, like_docker=True)
    assert ran.status == 0, ran.stdout
    assert ran.stdout.startswith("CONFINED WITHOUT NAMESPACES")
    jsonschema.validate(ran.results, SCHEMA)
    assert pointed(ran.results) == {"normalise": (0, 2), "average": (3, 3), "Scale": (1, 1)}
    told = next(test["output"] for test in ran.results["tests"] if "public" in test["name"])
    came = ast.literal_eval(re.search(r"\{.*\}", html.unescape(told))[0])
    assert came.pop("user") == (65534,) * 3
    assert came.pop("groups") == []
    assert came.pop("scratch") == came.pop("home") == 1
    assert set(came.values()) <= {-errno.EPERM, -errno.EACCES}, came


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"01_toy": b"{"}, "01_toy.ipynb"),
        ({}, "No notebook named 01_toy.ipynb was submitted: the folder is empty."),
        ({"one": b"{}", "two": b"{}"}, "No notebook named 01_toy.ipynb was submitted, but"),
    ],
)
def test_what_is_no_notebook_gets_no_points_and_is_told_why_at_once(here, files, said):
    status, found = run(here, files)
    jsonschema.validate(found, SCHEMA)
    assert status == 0
    assert {score for score, _ in pointed(found).values()} == {0}
    assert said in found["output"]


def test_a_notebook_under_another_name_is_graded(here, released):
    status, found = run(here, {"final": as_bytes(released, **RIGHT)})
    assert status == 0
    assert all(score == most for score, most in pointed(found).values())


def test_a_finished_copy_in_a_folder_is_graded_and_instructors_are_told(here, released, capsys):
    (here / "submission" / "work").mkdir()
    (here / "submission" / "work" / "final.ipynb").write_bytes(as_bytes(released, **RIGHT))
    status, found = run(here, {"01_toy": as_bytes(released)})
    assert status == 0
    assert all(score == most for score, most in pointed(found).values())
    assert ("Note: work/final.ipynb (3 answered) was graded, since 01_toy.ipynb holds no answers."
            ) in capsys.readouterr().out  # fmt: skip


def test_whether_a_test_is_hidden_and_what_is_shown_at_once_tell_nothing_of_secret_cases(
    here, released
):
    _, right = run(here, {"01_toy": as_bytes(released, **RIGHT)})
    learned = {**RIGHT, "normalise": CHEAT.read_text().partition("# %% normalise")[2]}
    _, wrong = run(here, {"01_toy": as_bytes(released, **learned)})
    assert pointed(wrong)["normalise"] == (0, 2)

    def at_once(found):
        shown = [test for test in found["tests"] if test["visibility"] == "visible"]
        return found["output"], [test for test in shown if test["number"] == "1"]

    assert at_once(wrong) == at_once(right)
    assert "2 points" not in at_once(wrong)[1][0]["output"]
    hidden = [[test["visibility"] for test in found["tests"]] for found in (wrong, right)]
    assert hidden[0] == hidden[1]
    graded = [test for test in wrong["tests"] if test["max_score"]]
    assert {test["visibility"] for test in graded} == {"after_published"}
    assert "score" not in wrong and wrong["stdout_visibility"] == "hidden"


def test_a_fault_of_ours_leaves_no_results_and_no_zero(here, released, monkeypatch, capsys):
    monkeypatch.setattr(gradescope_run.Grader, "fault", lambda _: "The reference fails here.")
    (here / "results" / "results.json").write_text("{}")
    assert run(here, {"01_toy": as_bytes(released)}) == (1, None)
    said = capsys.readouterr().out
    assert "The reference fails here." in said and "NO RESULTS" in said


def test_a_full_disk_is_told_in_one_sentence(here, released, monkeypatch, capsys):
    def write(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(gradescope_run, "write", write)
    assert run(here, {"01_toy": as_bytes(released)}) == (1, None)
    said = capsys.readouterr().out
    assert "results.json: No space left on device." in said and "NO RESULTS" in said
    assert "Traceback" not in said


def test_no_verdict_is_ever_written_as_a_zero():
    unjudged = Verdict("normalise", Kind.INFRASTRUCTURE, None, 2, "The grader failed.")
    with pytest.raises(ValueError, match="no verdict"):
        results({"normalise": unjudged}, {})
