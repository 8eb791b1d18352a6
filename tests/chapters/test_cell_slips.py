"""A slip in the text of a chapter is one sentence that names the file and the line."""

import shutil

import pytest
from slipping import SCALE, TEXT, edit, line_of, told

from autograder.cli import main

CELL = "```{code-cell} ipython3\n---\nexercise: average\n"  # its fence is its line
IMPORTS = "```{code-cell} ipython3\n---\nrole: setup\n"


IN_CELLS = [
    ("exercise: average", "excercise: average", CELL.replace("exercise:", "excercise:"),
     "the cell has the unknown key excercise. The keys of a cell are about, answer, exercise, "
     "given, points, role, rubric."),
    ("exercise: average", "exercise: normalise", "```{code-cell} ipython3\n---\nexercise: "
     "normalise\n---\ndef average", "two cells are named 'normalise'. Rename one of them."),
    ('+++ {"answer": "why",', '+++ {"answer": "Scale",', '+++ {"answer"',
     "two cells are named 'Scale'."),
    ('+++ {"about": "Scale"}', '+++ {"about": "Scales"}', '+++ {"about": "Scales"}',
     "the cell is about 'Scales', which is no exercise of the notebook; it has normalise, "
     "average, Scale. Correct it."),
    ("role: setup", "role: set-up", "```{code-cell}", "The only role is setup."),
    ("exercise: average", "exercise: average\nrole: setup", CELL, "has role and exercise."),
    ("exercise: average", "exercise: average\npoints: 3", CELL, "those of an exercise are in its"),
    ("exercise: average", "exercise: 3", "```{code-cell} ipython3\n---\nexercise: 3",
     "`exercise` is 3. Make it a name of"),
    ('+++ {"about": "Scale"}', '+++ {"exercise": "Scale"}', '+++ {"exercise": "Scale"}',
     "`exercise` belongs on a cell of code, not of text."),
    ('{"rubric": "why"}', '{"rubric": "who"}', '+++ {"rubric"',
     "the rubric is of 'who', which is no answer of the notebook; it has why. Correct it."),
    ('+++ {"rubric": "why"}', '+++ {"rubric": "why"}\n\n- 2 points: so\n\n+++ {"rubric": "why"}',
     '+++ {"rubric": "why"}\n\n- 1.5', "two rubrics are of 'why'. Keep one."),
    ("- 0.5 points: in", "- 1 point: in", "- 1.5 points", "add up to 2.5, and the answer has 2."),
    ("- 0.5 points: in", "- in", "- in", "an item of the rubric of 'why' has no points. Write"),
    ('{"answer": "why"', '{"answer": "why so?"', '+++ {"answer"', "`answer` is 'why so?'."),
    (', "points": 2}', "}", '+++ {"answer"', "the answer 'why' needs points, a whole"),
    (', "points": 2}', ', "points": "2"}', '+++ {"answer"', "the answer 'why' needs points"),
    (', "points": 2}', ', "points": true}', '+++ {"answer"', "the answer 'why' needs points"),
    ("return normalise(weights) @ values", "return normalise(weights @ values", "    return normal"
     "ise(weights @", "SyntaxError: '(' was never closed. Correct it."),
    ("import torch\n", "import\n", "import\n", "SyntaxError: invalid syntax. Correct it."),
    ("def average(", "def mean(", CELL, "the cell of 'average' defines no function or class"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "at", "said"), IN_CELLS)
def test_a_slip_in_a_cell_is_told_with_its_line_in_the_text(root, folder, old, new, at, said):
    edit(folder / TEXT, old, new)
    sentence = told(root)
    assert sentence.startswith(f"{folder / TEXT}, line {line_of(folder / TEXT, at)}: ")
    assert said in sentence


@pytest.mark.parametrize("mark", ["BEGIN", "END"])
def test_a_solution_without_both_its_marks_is_told(root, folder, mark):
    text = (folder / TEXT).read_text()
    (folder / TEXT).write_text(text.replace(f"    ### {mark} SOLUTION\n", "", 1))
    line = line_of(folder / TEXT, CELL.replace("average", "normalise"))
    assert told(root).startswith(f"{folder / TEXT}, line {line}: the cell of 'normalise' needs ###")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("---\nrole: setup\n---\n", "", "no cell has `role: setup`. Mark the one"),
        ("exercise: normalise", "exercise: [normalise", "cannot be read as a notebook"),
        ('{"about": "Scale"}', '{"about": "Scale"', "cannot be read as a notebook"),
    ],
)
def test_a_slip_of_the_whole_text_is_told(root, folder, old, new, said):
    edit(folder / TEXT, old, new)
    assert f"{folder / TEXT}" in told(root) and said in told(root)


def test_a_text_in_another_encoding_is_told(root, folder):
    (folder / TEXT).write_bytes((folder / TEXT).read_text().replace("Why", "Wüy").encode("latin-1"))
    assert told(root).startswith(f"{folder / TEXT} is not in UTF-8")


def test_two_cells_of_imports_are_told(root, folder):
    edit(folder / TEXT, "raise RuntimeError", "---\nrole: setup\n---\nraise RuntimeError")
    assert "two cells have `role: setup`. Keep one." in told(root)


def test_an_exercise_that_no_cell_asks_for_is_told(root, folder):
    shutil.copy(folder / SCALE, folder / "Shift.py")
    assert "no cell has `exercise: Shift`. Add one, or remove Shift.py." in told(root)


def test_the_self_test_tells_of_a_cell_of_imports_that_fails(root, folder, sandbox, capsys):
    edit(folder / TEXT, "from torch import Tensor, nn", "from torch import Tensr, nn")
    assert main(["selftest", "01_toy", "--root", str(root)]) == 2
    said = "".join(capsys.readouterr().err.split())  # a terminal breaks lines where it likes
    place = f"{folder / TEXT}, line {line_of(folder / TEXT, IMPORTS)}: `from torch"
    failed = "does not work: ImportError: cannot import name 'Tensr' from 'torch'"
    assert place.replace(" ", "") in said and failed.replace(" ", "") in said
