"""`check` where learners meet it: a notebook kernel, plain IPython, plain Python."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder import CheckFailed, check
from autograder.common.files import CHECKS
from autograder.judging.checks import build
from autograder.judging.checks_file import packed
from autograder.learner.public_cases import public_checks

RIGHT = "def normalise(values):\n    return values / values.sum(-1, keepdim=True)"
WRONG = "def normalise(values):\n    return values / values.sum(-2, keepdim=True)"


@pytest.fixture(scope="module")
def exercises(toy_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner's folder: checks leave notes of progress there."""
    folder = tmp_path_factory.mktemp("learner") / "01_toy"
    return shutil.copytree(toy_root / "exercises" / "01_toy", folder)


@pytest.fixture(scope="module")
def run_cells(exercises, kernel):
    """Gives the outputs of cells, one after the other, from a real kernel in that folder."""
    notebook = nbformat.v4.new_notebook()
    client = kernel(notebook, exercises, allow_errors=True)

    def run(*sources):
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        notebook.cells.extend(cells)
        for index, cell in enumerate(cells, len(notebook.cells) - len(cells)):
            client.execute_cell(cell, index)
        return [cell.outputs for cell in cells]

    with client.setup_kernel():
        run("from autograder import check")
        yield run


def test_in_a_notebook_a_wrong_answer_shows_a_card_and_raises_without_a_traceback(run_cells):
    _, outputs = run_cells(WRONG, "check(normalise)")
    card, error = outputs
    assert "You summed over another axis" in card.data["text/html"]
    assert (error.output_type, error.ename) == ("error", "CheckFailed")
    assert error.traceback == [f"CheckFailed: {error.evalue}"]


def test_in_a_notebook_a_right_answer_shows_a_card_only(run_cells):
    _, outputs = run_cells(RIGHT, "check(normalise)")
    assert [output.output_type for output in outputs] == ["display_data"]
    assert "all 2 cases pass" in outputs[0].data["text/plain"]


def test_warnings_of_the_learners_code_do_not_reach_stderr(run_cells):
    noisy = "import sys, warnings\n" + RIGHT.replace(
        ":\n", ":\n    warnings.warn('careful'); print('oh', file=sys.stderr)\n", 1
    )
    _, outputs = run_cells(noisy, "check(normalise)")
    assert not any(output.get("name") == "stderr" for output in outputs)


def test_an_exception_is_shown_at_the_learners_own_line(run_cells):
    broken = "def normalise(values):\n    total = values.sum()\n    return values / totl"
    _, outputs = run_cells(broken, "check(normalise)")
    text = outputs[0].data["text/plain"]
    assert "NameError: name 'totl' is not defined" in text
    assert "Line 3 of your cell: return values / totl" in text


def test_a_lambda_is_known_by_the_variable_that_holds_it(run_cells):
    right = "normalise = lambda values: values / values.sum(-1, keepdim=True)"
    _, outputs = run_cells(right, "check(normalise)")
    assert "all 2 cases pass" in outputs[0].data["text/plain"]


def test_a_function_that_is_no_exercise_is_refused_with_the_list_of_exercises(run_cells):
    ((error,),) = run_cells("check(print)")
    assert "print is no exercise of this notebook; it has normalise, average, Scale" in error.evalue


def python(folder, source, module=("-c",)):
    command = [sys.executable, *module, source]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_what_fails_because_of_an_earlier_exercise_says_which_to_solve_first(run_cells):
    average = "def average(weights, values):\n    return normalise(weights) @ values"
    *_, right = run_cells(RIGHT, average, "check(average)")
    _, wrong = run_cells(WRONG, "check(average)")
    assert "all " in right[0].data["text/plain"]
    assert "Solve first: `normalise`. This builds on it" in wrong[0].data["text/plain"]


NO_COMPILER = """import os, torch
os.environ["CXX"] = "no-such-compiler"
class Normalise(torch.nn.Module):
    def forward(self, values):
        return values / values.sum(-1, keepdim=True)
normalise = torch.compile(Normalise(), fullgraph=True)"""


def test_what_is_compiled_is_called_as_it_was_written_as_where_it_is_graded(run_cells):
    """So it needs no compiler, and nothing of what it calls is hidden from the check."""
    inside = RIGHT.replace("    return ", "    return torch.compile(lambda x: x)(").rstrip() + ")"
    *_, before, within = run_cells(NO_COMPILER, "check(normalise)", f"{inside}\ncheck(normalise)")
    assert "all 2 cases pass" in before[0].data["text/plain"]
    assert "all 2 cases pass" in within[0].data["text/plain"]


LAX = RIGHT.replace("keepdim=True)", "keepdim=True) + drawn")


@pytest.mark.parametrize(("before", "solution", "told"), [
    ("drawn = 0 * torch.rand(1).item()", LAX, "`drawn` is set in another cell."),
    ("drawn = 1\ndrawn = 0", LAX, ""),
    ("import pytest", RIGHT.replace("\n", "\n    pytest.skip\n"), "pytest is not installed where"),
    ("import no_such_name as no", "drawn = 0\n" + LAX, ""),
    ("class no_such:\n    pass", f"import sys, json as no\n{RIGHT}", ""),
    ("%run -n no_such.py\nfrom json import *", RIGHT, ""),
    ("x = torch.rand(3)", f"{RIGHT}\nmine = normalise(x)", ""),
    ("", f"try:\n    import no_such\nexcept ImportError:\n    pass\n{RIGHT}", ""),
    ("", RIGHT.replace("\n", "\n    from json import decoder\n"), ""),
])  # fmt: skip
def test_what_works_in_the_notebook_only_is_told_by_the_check(run_cells, before, solution, told):
    *_, (card,) = run_cells("import torch", before, solution, "check(normalise)")
    text = card.data["text/plain"]
    assert "all 2 cases pass" in text
    assert told in text and ("Where it is graded: " in text) == bool(told)


def test_a_check_is_made_with_the_usual_dtype_as_where_it_is_graded(run_cells):
    usual = "\n    assert torch.get_default_dtype() == torch.float32\n"
    made = RIGHT.replace("\n", usual, 1)
    *_, right = run_cells("torch.set_default_dtype(torch.float64)", made, "check(normalise)")
    _, (kept,) = run_cells("dtype = torch.get_default_dtype()", "print(dtype)")
    run_cells("torch.set_default_dtype(torch.float32)")
    assert "all 2 cases pass" in right[0].data["text/plain"]
    assert "torch.float64" in kept.text


LOADED = """
import atexit, sys
atexit.register(lambda: print([name for name in ("torch._dynamo", "sympy") if name in sys.modules]))
"""


def test_in_plain_python_the_card_is_printed_and_no_compiler_is_loaded(exercises):
    """torch's, with sympy, would take longer than all else that a first check does."""
    done = python(exercises, f"{LOADED}from autograder import check\n{WRONG}\ncheck(normalise)")
    assert done.returncode == 1
    assert "✗ normalise: 0 of 2 cases pass" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_in_plain_ipython_the_card_is_printed_and_the_error_is_one_line(exercises):
    source = f"from autograder import check\n{WRONG}\ncheck(normalise)"
    done = python(exercises, source, ("-m", "IPython", "--no-banner", "--colors=NoColor", "-c"))
    assert "✗ normalise: 0 of 2 cases pass" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_missing_or_damaged_checks_file_fails_and_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckFailed, match="was not found in"):
        check(print)
    Path(CHECKS).write_bytes(b"cut short")
    what = r"is damaged\. Put the file that came with the notebook beside it\."
    with pytest.raises(CheckFailed, match=what):
        check(print)


def test_a_checks_file_that_was_replaced_is_read_again(exercises, tmp_path, monkeypatch, toy):
    monkeypatch.chdir(tmp_path)
    shutil.copy(exercises / CHECKS, tmp_path)
    assert [*public_checks(Path(CHECKS))] == ["normalise", "average", "Scale"]
    Path(CHECKS).write_bytes(packed([build(toy.exercises["Scale"])]))
    assert [*public_checks(Path(CHECKS))] == ["Scale"]
