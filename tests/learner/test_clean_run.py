"""`attn check` where a learner runs it: the notebook, its checks and the engine, nothing else."""

import shutil

import learners
import pytest
from learners import RIGHT

from autograder.cli import main
from autograder.common.cell import Cell
from autograder.common.libraries import GRADED, has
from autograder.confined import confine, worker
from autograder.course.course import Course
from autograder.learner.clean_run import static_warnings
from autograder.sandbox import sandbox

ASKS = {
    "normalise": """!pip install einops
import threading
bar = threading.Thread(target=print, daemon=True)
bar.start()
""",
    "average": """import einops, torch.nn as nn
open("/etc/mine.txt", "w").close()
""",
    "Scale": """display(await normalise_later)
""",
}
HELPER = "def rows(values):\n    return values.sum(-1, keepdim=True)"


@pytest.fixture
def folder(toy_root, tmp_path):
    shutil.copytree(toy_root / "exercises" / "01_toy", tmp_path / "01_toy", ignore=learners.FRESH)
    return tmp_path / "01_toy"


@pytest.fixture(scope="module")
def mixed(toy_root, unconfined, tmp_path_factory):
    """One exercise solved with a helper from another cell, one wrong, one as it was released."""
    home = tmp_path_factory.mktemp("learner")
    engine = learners.install(home / "lib")
    shutil.copytree(toy_root / "exercises" / "01_toy", home / "01_toy", ignore=learners.FRESH)
    helped = "def normalise(values):\n    return values / rows(values)"
    wrong = "def average(weights, values):\n    return weights @ values"
    released = Course(toy_root).released("01_toy")
    written = learners.notebook(released, {"normalise": helped, "average": wrong})
    demonstration = next(cell for cell in written.cells if "a demonstration" in cell.source)
    demonstration.source = HELPER
    learners.save(written, home / "01_toy" / "01_toy.ipynb")
    return learners.attn(engine, home, "check", "01_toy/01_toy.ipynb"), home


def test_with_the_engine_alone_a_card_tells_what_fails_and_a_table_tells_of_all(mixed):
    done, _ = mixed
    assert (done.returncode, done.stderr) == (1, "")
    card, table = done.stdout.split("┏")
    assert "✗ average: 0 of" in card and "First case that fails" in card and "yours:" in card
    assert "normalise" not in card.splitlines()[0]
    rows = [[part.strip() for part in line.split("│")[1:-1]] for line in table.splitlines()]
    assert ["normalise", "2 of 2", "passed"] in rows
    assert ["average", "0 of 3", "wrong"] in rows
    assert ["Scale", "0 of 1", "not written yet"] in rows
    assert ["all", "2 of 6", "2 to go"] in rows


def test_what_the_grader_would_tell_the_teacher_the_learner_is_told_too(mixed):
    done, _ = mixed
    assert "What it uses of other cells was put above it: normalise" in done.stdout
    assert "Nothing is written in the cell of why yet; a person marks it." in done.stdout
    assert "confined by bubblewrap" in done.stdout or "not confined" in done.stdout


def test_what_the_grader_refuses_or_has_not_is_told_before_handing_in(
    folder, released, unconfined, monkeypatch, capsys
):
    """Also where it costs nothing: the functions are right, and all of them pass."""
    monkeypatch.setenv("COLUMNS", "100")
    sources = {name: ASKS[name] + RIGHT[name] for name in RIGHT}
    learners.save(learners.notebook(released, sources), folder / "01_toy.ipynb")
    assert main(["check", str(folder / "01_toy.ipynb")]) == 0
    said = capsys.readouterr().out
    assert "`!pip install einops` is for IPython and does nothing." in said
    assert (
        f"The cell average imports einops; the grader has {has()}." in said
        and "imports torch" not in said
    )
    assert "In the cell Scale, `display(await normalise_later)` does not work: NameError" in said
    if "not confined" not in said:
        assert "`bar.start()` does not work: RuntimeError: can't start new thread." in said
        assert "In the cell average, `import einops, torch.nn as nn` does not work" in said


def test_what_only_a_later_python_than_the_oldest_reads_is_told_before_handing_in():
    (told,) = static_warnings(Cell("normalise", "x = 1\n\ntype X = int"))
    assert told == (
        "The cell normalise: Python 3.11, with which this may be graded, cannot read what stands "
        "at `type X =`: write it as an earlier Python reads it."
    )


def test_what_a_card_shows_is_not_said_twice(folder, released, unconfined, capsys):
    sources = RIGHT | {"normalise": f"import sys\nsys.exit('no')\n{RIGHT['normalise']}"}
    learners.save(learners.notebook(released, sources), folder / "01_toy.ipynb")
    assert main(["check", str(folder / "01_toy.ipynb")]) == 1
    assert "does not work" not in capsys.readouterr().out


def test_the_last_cell_of_a_notebook_says_the_limits_that_the_sandbox_has(released):
    said = " ".join(released.cells[-1].source.split())
    assert said.startswith("## Before you hand in In a terminal, `attn check ")
    assert f"{sandbox.STEP_SECONDS:g} seconds of processor time for a cell" in said
    assert f"{sandbox.SUBMISSION_SECONDS:g} seconds for the notebook" in said
    assert f"{sandbox.MEMORY / 2**30:g} GB of memory" in said
    assert f"at most {confine.LIMITS[confine.resource.RLIMIT_FSIZE] / 2**20:g} MB each" in said
    assert f"and {confine.SCRATCH_BYTES / 2**20:g} MB in all" in said
    told = GRADED - {"autograder"}  # the notebook's own
    assert all(name in said and name in has() for name in told)
    assert {name.split(".")[0] for name in worker.IMPORTS} < GRADED


def test_a_check_from_a_clean_process_leaves_no_file(mixed):
    _, home = mixed
    names = {path.name for path in (home / "01_toy").iterdir()}
    assert names == {"01_toy.ipynb", "checks.safetensors", "AGENTS.md", "CLAUDE.md"}


def test_without_bubblewrap_it_runs_unconfined_says_so_and_a_pass_exits_0(
    folder, released, unconfined, monkeypatch, capsys
):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.chdir(folder)
    sources = RIGHT | {"normalise": RIGHT["normalise"] + "\ncheck(normalise)"}
    learners.save(learners.notebook(released, sources), folder / "01_toy.ipynb")
    assert main(["check", "01_toy.ipynb"]) == 0
    said = capsys.readouterr().out
    assert "6 of 6" in said and "not confined, since bubblewrap cannot be used here" in said
    assert not (folder / "progress.json").exists()


def test_where_there_is_no_linux_it_says_what_to_do_instead(folder, monkeypatch, capsys):
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert main(["check", str(folder / "01_toy.ipynb")]) == 2
    assert "restart the kernel in Jupyter and run all" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("break_it", "sentence"),
    [
        (lambda path: path.unlink(), "There is no notebook"),
        (lambda path: path.write_text(""), "01_toy.ipynb is empty: it was not saved whole."),
        (lambda path: path.write_text("print()"), "is not a Jupyter notebook"),
        (lambda path: path.write_text(path.read_text()[:-3000]), "01_toy.ipynb is damaged;"),
        (lambda path: (path.parent / "checks.safetensors").unlink(), "was not found in"),
        (lambda path: (path.parent / "checks.safetensors").write_text("x"), "is damaged. Put the"),
    ],
)
def test_what_is_missing_or_damaged_is_one_sentence(folder, break_it, sentence, capsys):
    break_it(folder / "01_toy.ipynb")
    assert main(["check", str(folder / "01_toy.ipynb")]) == 2
    said, error = capsys.readouterr()
    assert said == "" and sentence in " ".join(error.split()) and "Traceback" not in error
