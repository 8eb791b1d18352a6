"""A student disagrees with a mark: it is explained on a page, and a right answer is accepted."""

import hashlib
import json
import shutil

import pytest
from learners import RIGHT, notebook, save
from markup import Tags

from autograder.authoring.selftest import selftest
from autograder.chapters.solutions import load
from autograder.cli import main
from autograder.course.course import Course

# Right by the text of the exercise, were it not for the oracle, which takes the sign away.
SIGNED = "import math\n\ndef normalise(values):\n    return values / values.sum(-1, keepdim=True)\n"
ABSOLUTE = ("torch.stack([row / row.sum()", "torch.stack([row.abs() / row.abs().sum()")
NEGATIVE = ("rng.normal(1, 6).abs() + 0.1", "(rng.normal(1, 6).abs() + 0.1) * SIGNS")
SIGNS = "SIGNS = torch.tensor([-0.1, 1, 1, 1, 1, 1])\n\n@exercise.oracle"
OURS = ("values / values.sum(-1", "values.abs() / values.abs().sum(-1")
OWN = "What the student wrote"
WRONG = f"def normalise(values):\n    # {OWN} <b>\n    return values / values.sum(-2, keepdim=True)"


def run(root, command, *words):
    return main([command, *words, "--root", str(root)])


@pytest.fixture(scope="module")
def graded(toy_root, tmp_path_factory, sandbox):
    """A class whose teacher made a slip: the oracle is wrong in a case that is not shown."""
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("complaints") / "class")
    path = root / "solutions" / "01_toy" / "normalise.py"
    code = path.read_text().replace(*ABSOLUTE).replace(*NEGATIVE)
    path.write_text(code.replace("@exercise.oracle", SIGNS))
    text = path.with_name("01_toy.md")  # the author's own answer has the same slip
    text.write_text(text.read_text().replace(*OURS))
    for student, source in {"ada": SIGNED, "bob": WRONG}.items():
        folder = root / "submitted" / student / "01_toy"
        folder.mkdir(parents=True)
        released = Course(root).released("01_toy")
        save(notebook(released, RIGHT | {"normalise": source}), folder / "01_toy.ipynb")
    assert run(root, "grade", "01_toy", "--yes") == 0
    return root


@pytest.fixture
def root(graded, tmp_path):
    return shutil.copytree(graded, tmp_path / "class")


def marks(root):
    lines = (root / ".attn" / "01_toy.jsonl").read_text().splitlines()
    rows = (row for line in lines for row in json.loads(line)["rows"])
    return {row["student"]: row["points"] for row in rows if row["exercise"] == "normalise"}


def test_an_answer_that_is_right_is_kept_and_once_it_passes_the_class_is_graded_again(root, capsys):
    assert marks(root) == {"ada": 0, "bob": 0}
    assert run(root, "accept", "ada", "01_toy", "normalise", "--yes") == 1
    path = root / "solutions" / "01_toy" / "accepted" / "normalise" / "answer_1.py"
    said = " ".join(capsys.readouterr().out.split())
    assert f"Kept: {path}" in said and "Correct what rejects it" in said
    assert path.read_text() == SIGNED and marks(root) == {"ada": 0, "bob": 0}

    for name in ("normalise.py", "01_toy.md"):
        file = root / "solutions" / "01_toy" / name
        file.write_text(
            file.read_text().replace("row.abs()", "row").replace("values.abs()", "values")
        )
    assert run(root, "accept", "ada", "01_toy", "normalise", "--yes") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Kept before: {path}" in said and "marks that differ from earlier ones" in said
    assert marks(root) == {"ada": 2, "bob": 0} and [*path.parent.iterdir()] == [path]


def test_what_was_accepted_has_to_pass_the_self_test_and_runs_nowhere_but_confined(
    root, sandbox, tmp_path
):
    ran = tmp_path / "ran"
    folder = root / "solutions" / "01_toy" / "accepted" / "normalise"
    folder.mkdir(parents=True)
    leak = f"from pathlib import Path\nPath({str(ran)!r}).touch()\n"
    (folder / "answer_1.py").write_text(leak + SIGNED)
    report = next(iter(selftest(load(root, "01_toy"), sandbox)))
    assert (report.accepted, report.variants) == (0, 2)
    assert f"{folder / 'answer_1.py'}, line 1: the accepted answer answer_1 does not pass" in str(
        report.faults
    )
    assert not ran.exists()
    assert run(root, "release", "01_toy") == 0
    assert not [*(root / "exercises").rglob("accepted")]


def test_a_student_gets_a_page_with_the_mark_the_code_and_no_secret(root, capsys):
    before = {*root.rglob("*")}
    assert run(root, "explain", "bob", "01_toy", "normalise", "--for-student") == 0
    path = root / "explained" / "bob" / "01_toy" / "normalise.html"
    assert f"Written: {path}" in capsys.readouterr().out
    assert {new for new in {*root.rglob("*")} - before if new.is_file()} == {path}
    text = path.read_text()
    handed_in = (root / "submitted" / "bob" / "01_toy" / "01_toy.ipynb").read_bytes()
    for part in ("0 of 2 points", "You summed over another axis than the last.", OWN,
                 "&lt;b&gt;", hashlib.sha256(handed_in).hexdigest()):  # fmt: skip
        assert part in text
    seed = (root / ".grading_seed").read_text().strip()
    record = json.loads((root / ".attn" / "01_toy.jsonl").read_text().splitlines()[0])["record"]
    for secret in (seed, record["seed"], "one row", str(root), record["exercises"]["normalise"]):
        assert secret not in text
    assert not {"script", "link", "img"} & {tag for tag, *_ in Tags(text).found}
    assert "http" not in text.replace("http-equiv", "")


def test_a_page_about_a_case_that_is_not_shown_tells_no_number_of_it(root):
    assert run(root, "explain", "ada", "01_toy", "normalise", "--for-student") == 0
    text = (root / "explained" / "ada" / "01_toy" / "normalise.html").read_text()
    assert "a case that is not shown" in text and "The values are wrong" in text
    assert "<table" not in text


def test_who_handed_in_nothing_has_nothing_to_accept(root, capsys):
    assert run(root, "accept", "eve", "01_toy", "normalise") == 2
    assert "'eve' has handed in nothing for 01_toy." in " ".join(capsys.readouterr().err.split())
