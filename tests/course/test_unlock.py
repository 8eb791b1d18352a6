"""`attn unlock`: the worked solution, for who asks for it and has the whole repository."""

import io
import shutil
import sys

import learners
import nbformat
import pytest

from autograder.cli import main
from autograder.common.files import REPOSITORY


@pytest.fixture
def root(toy_root, tmp_path):
    for part in ("solutions", "exercises"):
        shutil.copytree(toy_root / part, tmp_path / part, ignore=learners.FRESH)
    return tmp_path


def unlock(root, *options, typed=""):
    """The exit status, with `typed` on standard input."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stdin", io.StringIO(typed))
        return main(["unlock", "01_toy", "--root", str(root), *options])


def solution(root):
    return root / "unlocked" / "01_toy" / "01_toy_solution.ipynb"


def test_the_solutions_are_put_in_and_marked_and_the_text_is_kept(root):
    own = root / "exercises" / "01_toy" / "01_toy.ipynb"
    before = own.read_bytes()
    assert unlock(root, typed="01_toy\n") == 0
    made, released = (nbformat.read(path, as_version=4) for path in (solution(root), own))
    nbformat.validate(made)
    assert own.read_bytes() == before
    sources = [cell.source for cell in made.cells]
    marked = [text for text in sources if "SOLUTION" in text]
    assert len(marked) == 1 + 3 + 1  # what the notebook is, three exercises, one written answer
    assert any("return normalise(weights) @ values" in text for text in marked)
    assert not any("### BEGIN" in text or "NotImplementedError" in text for text in sources)
    explained = [cell.source for cell in released.cells if cell.source.startswith("## ")]
    assert explained and set(explained) <= set(sources)


def test_its_checks_pass_and_leave_the_learners_progress_alone(root, monkeypatch, capsys):
    unlock(root, "--yes")
    monkeypatch.chdir(solution(root).parent)
    namespace = {"__name__": "__main__"}
    for cell in nbformat.read(solution(root), as_version=4).cells:
        if cell.cell_type == "code" and "a demonstration" not in cell.source:
            exec(cell.source, namespace)
    assert capsys.readouterr().out.count("✓") == 3
    assert not (solution(root).parent / "progress.json").exists()


@pytest.mark.parametrize(("secret", "sentence"), [
    ("", ""),
    ("01_toy_solution.ipynb", "would release 01_toy_solution.ipynb; remove them."),
    (".grading_seed", "would release .grading_seed; remove them."),
    ("01_toy.ipynb", "has answers in it. Move it away and make it anew: attn release 01_toy"),
])  # fmt: skip
def test_nbgrader_releases_no_solution_and_no_seed(root, nbgrader, secret, sentence):
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    unlock(root, "--yes")
    folder, exchange = root / "exercises" / "01_toy", root / "exchange"
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "01_toy-checkpoint.ipynb").write_text("{}")
    if secret and secret != "01_toy.ipynb":
        (folder / secret).write_text("{}")
        assert main(["release", "01_toy", "--root", str(root)]) == 2
        assert (folder / secret).exists()
    elif secret:
        text = (folder / secret).read_text()
        (folder / secret).write_text(text.replace("raise NotImplementedError", "return 1", 1))
    exchange.mkdir()
    words = "release_assignment", "01_toy", "--course=a", "--force", f"--Exchange.root={exchange}"
    done = nbgrader(root, *words, check=False)
    out = {path.name for path in exchange.rglob("*") if path.is_file()}
    given = {"01_toy.ipynb", "checks.safetensors", "AGENTS.md", "CLAUDE.md"}
    assert out == (set() if secret else given), done.stderr
    assert (done.returncode, sentence in " ".join(done.stderr.split())) == (bool(secret), True)


@pytest.mark.parametrize("typed", ["", "\n", "yes\n"])
def test_without_the_chapters_name_nothing_is_unlocked(root, typed, capsys):
    assert unlock(root, typed=typed) == 1
    assert "Nothing was unlocked." in capsys.readouterr().out
    assert not solution(root).exists()


def test_a_solution_that_is_there_is_not_replaced(root, capsys):
    solution(root).parent.mkdir(parents=True)
    solution(root).write_text("my own notes")
    assert unlock(root, "--yes") == 2
    assert solution(root).read_text() == "my own notes"
    assert "delete it to have it made again" in " ".join(capsys.readouterr().err.split())


def test_where_the_solutions_are_not_there_it_is_refused_with_one_sentence(
    root, monkeypatch, capsys
):
    shutil.rmtree(root / "solutions")
    monkeypatch.delitem(sys.modules, "autograder.course.course", raising=False)
    monkeypatch.setitem(sys.modules, "nbgrader", None)  # a learner need not have it
    assert unlock(root, "--yes") == 2
    said, error = capsys.readouterr()
    assert said == "" and error.startswith("attn unlock: The solutions are not here. They come")
    assert not solution(root).exists()
