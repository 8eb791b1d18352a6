"""Every mark can be explained later, and made again."""

import hashlib
import json
import shutil
from contextlib import redirect_stdout
from io import StringIO

import pytest
from learners import RIGHT, notebook, save

from autograder.cli import main
from autograder.course.course import Course

WRONG = "def normalise(values):\n    return values / values.sum(-2, keepdim=True)"
STEERS = "def normalise(values):\n    raise ValueError('\\x1b]0;owned\\x07[bold]\\u202e')"
CLASS = {"ada": RIGHT, "bob": RIGHT | {"normalise": WRONG}, "eve": RIGHT | {"normalise": STEERS}}


def hand_in(root, student, sources):
    folder = root / "submitted" / student / "01_toy"
    folder.mkdir(parents=True, exist_ok=True)
    return save(notebook(Course(root).released("01_toy"), sources), folder / "01_toy.ipynb")


@pytest.fixture(scope="module")
def graded(toy_root, tmp_path_factory, sandbox):
    root = tmp_path_factory.mktemp("graded")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    for student, sources in CLASS.items():
        hand_in(root, student, sources)
    assert main(["grade", "01_toy", "--root", str(root)]) == 0
    return root


def explain(root, student, exercise="normalise"):
    said = StringIO()
    with redirect_stdout(said):
        status = main(["explain", student, "01_toy", exercise, "--root", str(root)])
    return status, said.getvalue()


def entries(root):
    return [json.loads(line) for line in (root / ".attn" / "01_toy.jsonl").read_text().splitlines()]


def changed_journal(graded, root, change):
    """A copy of the class, with every entry of its journal changed."""
    shutil.copytree(graded, root)
    found = entries(root)
    for entry in found:
        change(entry)
    (root / ".attn" / "01_toy.jsonl").write_text("".join(json.dumps(e) + "\n" for e in found))
    return root


def files(root):
    return {path: path.read_bytes() for path in root.rglob("*")
            if path.is_file() and path.suffix != ".pyc"}  # fmt: skip


def test_a_mark_is_explained_made_again_and_nothing_is_written(graded, monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")
    before = files(graded)
    status, said = explain(graded, "bob")
    digest = hashlib.sha256((graded / "submitted/bob/01_toy/01_toy.ipynb").read_bytes())
    assert status == 0 and files(graded) == before
    for part in (
        "normalise: wrong (sums_columns), 0 of 2 points",
        "In the gradebook: 0 points.",
        "First case that fails: two batches",
        "You summed over another axis than the last.",
        digest.hexdigest(),
        "Graded again just now, it gets the same",
    ):
        assert part in said
    assert said.count("the same") == 13  # twelve things that decide, and the verdict


def test_the_seed_is_in_nothing_that_may_be_shown(graded):
    seed = (graded / ".grading_seed").read_text().strip()
    assert len(entries(graded)[0]["record"]["seed"]) == 16
    assert seed not in (graded / ".attn" / "01_toy.jsonl").read_text()


def test_what_is_not_as_it_was_is_named_and_another_verdict_is_not_the_same(
    graded, tmp_path, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "150")
    root = changed_journal(
        graded, tmp_path / "class", lambda e: e["record"]["environment"].update(torch="1.0")
    )
    hand_in(root, "bob", RIGHT)
    status, said = explain(root, "bob")
    differing = [line.split("│")[1].strip() for line in said.splitlines()
                 if "│" in line and "the same" not in line]  # fmt: skip
    assert differing == ["submission (SHA-256)", "torch"]
    assert "it gets another verdict: passed, 2 of 2 points" in said
    assert status == 1


def test_a_mark_from_before_there_were_records_is_made_again_all_the_same(graded, tmp_path):
    root = changed_journal(graded, tmp_path / "class", lambda e: e.pop("record"))
    status, said = explain(root, "ada")
    assert "before records were kept" in said and "it gets the same: passed" in said
    assert status == 0


def test_what_a_submission_says_steers_no_terminal(graded):
    status, said = explain(graded, "eve")
    assert (status, "\x1b" in said, "\u202e" in said) == (0, False, False)
    assert r"\x1b]0;owned\x07[bold]\u202e" in said


@pytest.mark.parametrize(
    ("student", "chapter", "exercise", "sentence"),
    [
        ("zoe", "01_toy", "normalise", "No submission of 'zoe' was graded yet"),
        ("ada", "99_none", "normalise", "There is no chapter '99_none'"),
        ("ada", "01_toy", "why", "01_toy has no exercise 'why'; it has normalise, average, Scale."),
        ("ada", "02_more", "mix", "No submission of 'ada' was graded yet"),
    ],
)
def test_what_is_not_known_gets_one_clear_sentence(
    graded, capsys, student, chapter, exercise, sentence
):
    assert main(["explain", student, chapter, exercise, "--root", str(graded)]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert sentence in error and "Traceback" not in error


def test_without_its_seed_nothing_is_graded_and_no_new_one_is_made(graded, tmp_path, capsys):
    root = shutil.copytree(graded, tmp_path / "class")
    (root / ".grading_seed").unlink()
    assert explain(root, "ada")[0] == 2
    assert "give it with --seed." in " ".join(capsys.readouterr().err.split())
    assert not (root / ".grading_seed").exists()
