"""An author's slip is one sentence that names the file and the line, whatever command meets it."""

import re
import shutil

import nbformat
import pytest

from autograder.calls.errors import CourseError
from autograder.calls.files import REPOSITORY
from autograder.cli import main
from autograder.course import case_slips
from autograder.course.rehearsal import rehearse
from autograder.course.solutions import load
from autograder.judging import checks

AVERAGE, NORMALISE, SCALE, TEXT = "average.py", "normalise.py", "Scale.py", "01_toy.md"
CELL = "```{code-cell} ipython3\n---\nexercise: average\n"  # its fence is its line
IMPORTS = "```{code-cell} ipython3\n---\nrole: setup\n"


@pytest.fixture
def root(toy_root, tmp_path):
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    return tmp_path


@pytest.fixture
def folder(root):
    return root / "solutions" / "01_toy"


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, (old, text.count(old))
    path.write_text(text.replace(old, new))


def told(root):
    """The refusal, by whatever needs the chapter first."""
    with pytest.raises(CourseError) as error:
        chapter = load(root, "01_toy")
        case_slips.refuse(chapter)
        rehearse(chapter, [checks.build(exercise) for exercise in chapter.exercises.values()])
    return str(error.value)


def line_of(path, text):
    """The number of the line that the text begins in."""
    return path.read_text().partition(text)[0].count("\n") + 1


IN_EXERCISES = [
    (AVERAGE, '("normalise",)', '("normalize",)', "builds_on",
     "builds_on names 'normalize', which is no earlier exercise of the notebook; it has "
     "normalise. Correct it."),
    (AVERAGE, '("normalise",)', '("Scale",)', "builds_on", "'Scale', which is no earlier exercise"),
    (AVERAGE, '("normalise",)', '("average",)', "builds_on", "'average', which is no earlier"),
    (AVERAGE, '("normalise",)', '("normalise")', "builds_on", "builds_on must be a tuple"),
    (AVERAGE, '("bmm",)', "(bmm,)", '    "average"', "NameError: name 'bmm' is not defined."),
    (AVERAGE, '("bmm",)', "(5,)", "forbids", "forbids holds 5. Give names only."),
    (NORMALISE, "(Finite(),", "(Finite,", "    properties", "Give properties such as Finite()"),
    (AVERAGE, "points=3", "points=0", "points", "points is 0. Make it a whole number above 0."),
    (AVERAGE, "points=3", "points=True", "points", "points is True. Make it a whole number"),
    (AVERAGE, "points=3", "points=2.5", "points", "points is 2.5. Make it a whole number"),
    (AVERAGE, "points=3, ", "", "exercise =", "TypeError: Exercise.__init__() missing"),
    (AVERAGE, "points=3", "pionts=3", "exercise =", "unexpected keyword argument 'pionts'"),
    (AVERAGE, "minutes=5", 'minutes="5"', "minutes", "minutes is '5'. Make it a whole number"),
    (AVERAGE, "difficulty=2", "difficulty=7", "difficulty", "difficulty is 7. Make it 1 to 5."),
    (AVERAGE, "@exercise.oracle\n", "", "exercise =", "it has no oracle."),
    (AVERAGE, "@exercise.variant", "@exercise.oracle", "@exercise.oracle\ndef by_sum", "mark one"),
    (AVERAGE, '{"weights": rng.normal(3, 4).abs() + 0.1, "values": rng.normal(4, 2)}',
     "[rng.normal(3, 4)]", "    yield Case", "the inputs of case 'ordinary' need names"),
    (AVERAGE, "points=3", "points=3, returns=()", "points", "returns is empty. Name each output"),
    (AVERAGE, "@exercise.cases\n", "", "exercise =", "it has no cases."),
    (AVERAGE, '("You left the weights as they are: they must sum to 1.")', "",
     "@exercise.misconception", "unnormalised has no hint: write @exercise.misconception("),
    (AVERAGE, '"You left the weights as they are: they must sum to 1."', '" "',
     "@exercise.misconception", "the misconception unnormalised has no hint."),
    (NORMALISE, "def upcasts", "def detaches", "@exercise.misconception(\"You cut",
     "two misconceptions are named detaches. Rename one."),
    (AVERAGE, "@exercise.variant\n", "exercise.variant(sum)\n\n\n", "exercise =",
     "sum is no function or class of this file."),
    (AVERAGE, "def loop(weights, values):\n", "def loop(weights, values)\n", "def loop",
     "SyntaxError: expected ':'. Correct it."),
    (AVERAGE, "return (weights /", "return (wieghts /", "@exercise.oracle",
     "the oracle loop fails on case 'ordinary': NameError: name 'wieghts' is not defined."),
    (AVERAGE, "rng.normal(3, 4).abs()", "rng.normale(3, 4)", "    yield Case",
     "the cases of average: AttributeError: 'Rng' object has no attribute 'normale'."),
    (AVERAGE, '{"weights": rng', '{"weight": rng', "    yield Case",
     "the case 'ordinary' gives weight, values; average takes weights, values. Name the inputs so, "
     "in this order."),
    (AVERAGE, '"weights": rng.normal(3, 4).abs() + 0.1, "values": rng.normal(4, 2)',
     '"values": rng.normal(4, 2), "weights": rng.normal(3, 4).abs()', "    yield Case",
     "the case 'ordinary' gives values, weights; average takes weights, values."),
    (AVERAGE, ', "values": rng.normal(4, 2)', "", "    yield Case", "gives weights; average takes"),
    (SCALE, '{"x": rng', '{"y": rng', '        "width 3"', "gives y; Scale.forward takes x."),
    (SCALE, 'construct={"width": 3}', 'construct={"size": 3}', '        "width 3"',
     "the case 'width 3' constructs with size; Scale takes width."),
    (AVERAGE, "def unnormalised(weights, values)", "def unnormalised(weights)",
     "@exercise.misconception", "unnormalised cannot take the case 'ordinary': too many"),
    (AVERAGE, "def loop(weights, values)", "def loop(weights, values, scale)", "@exercise.oracle",
     "loop cannot take the case 'ordinary': missing a required argument: 'scale'."),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "at", "said"), IN_EXERCISES)
def test_a_slip_in_the_file_of_an_exercise_is_told_with_its_line(
    root, folder, file, old, new, at, said
):
    edit(folder / file, old, new)
    sentence = told(root)
    assert sentence.startswith(f"{folder / file}, line {line_of(folder / file, at)}: ")
    assert said in sentence


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (NORMALISE, "SumsTo(0,", "SumsTo(1,", "does not fit what the oracle returns"),
        (NORMALISE, '"half precision"', '"two batches"', "two are named 'two batches'."),
        (AVERAGE, "    yield Case", "    return\n    yield Case", "there are none."),
        (AVERAGE, '"average"', '"mean"', "must define `exercise = Exercise('average', …)`."),
    ],
)
def test_a_slip_of_a_whole_file_is_told_with_the_file(root, folder, file, old, new, said):
    edit(folder / file, old, new)
    sentence = told(root)
    assert str(folder / file) in sentence and said in sentence


IN_GROUPS = [
    ('Group("half", 1)', "the group 'half' has neither cases nor properties."),
    ('Group("half", 0, cases=("half precision",))', "the group 'half' needs points, a whole"),
    ('Group("", 1, cases=("half precision",))', "a group is named ''. Give each a name"),
    ('Group("half", 2, cases=("half precision",))', "the groups have all points of the exercise."),
    ('Group("half", 1, cases=("half",))', "names the case 'half', which there is not."),
    ('Group("a", 1, cases=("one row",)), Group("b", 1, cases=("one row",))',
     "two groups have the case 'one row'. Keep it in one."),
    ('"half"', "groups holds 'half'. Give groups such as Group(\"cost\", 1, …) only."),
]  # fmt: skip


@pytest.mark.parametrize(("groups", "said"), IN_GROUPS)
def test_a_slip_in_the_groups_of_an_exercise_is_told_with_its_line(root, folder, groups, said):
    edit(folder / NORMALISE, "import Case, Exercise", "import Case, Exercise, Group")
    edit(folder / NORMALISE, "    properties=", f"    groups=({groups},),\n    properties=")
    sentence = told(root)
    assert sentence.startswith(
        f"{folder / NORMALISE}, line {line_of(folder / NORMALISE, 'groups=')}: "
    )
    assert said in sentence


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return normalise(weights) @ values", "return weights @ values", "the solution of average "
         "fails the case 'ordinary': "),
        ("return x * self.factor", "return x * self.factors", "the solution of Scale fails the "
         "case 'width 3': The call raised AttributeError: 'Scale' object has no attribute"),
        ("def average(", "ones = torch.onse(2)\ndef average(", "`ones = torch.onse(2)` does not "
         "work: AttributeError: module 'torch' has no attribute 'onse'"),
    ],
)  # fmt: skip
def test_a_solution_that_fails_is_not_released(root, folder, capsys, monkeypatch, old, new, said):
    monkeypatch.setenv("COLUMNS", "1000")
    edit(folder / TEXT, old, new)
    assert main(["release", "01_toy", "--root", str(root)]) == 2
    error = capsys.readouterr().err
    assert re.match(rf"attn release: {folder / TEXT}, line \d+: ", error) and said in error
    assert not [*folder.glob("*.ipynb"), *folder.glob("*.safetensors")]


def test_a_file_without_an_exercise_is_told(root, folder):
    (folder / SCALE).write_text("factor = 1\n")
    assert told(root) == f"{folder / SCALE} must define `exercise = Exercise('Scale', …)`."


IN_CELLS = [
    ("exercise: average", "excercise: average", CELL.replace("exercise:", "excercise:"),
     "the cell has the unknown key excercise. The keys of a cell are about, answer, exercise, "
     "points, role, rubric."),
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


def test_a_slip_among_the_mistakes_in_a_file_of_their_own_is_told_with_that_file(root, folder):
    path = folder / "Scale_misconceptions.py"
    path.write_text(
        "from .Scale import exercise\n\n\n"
        '@exercise.misconception("")\ndef forgets(x):\n    return x\n'
    )
    assert told(root).startswith(f"{path}, line 4: the misconception forgets has no hint.")


@pytest.mark.parametrize("command", ["selftest", "release", "grade", "simulate", "unlock"])
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (TEXT, ', "points": 2}', "}"),
        (AVERAGE, "@exercise.oracle\n", ""),
    ],
)
def test_every_command_tells_it_in_one_sentence(
    root, folder, released, capsys, monkeypatch, command, file, old, new
):
    place = root / "submitted" / "ada" / "01_toy"
    place.mkdir(parents=True)
    nbformat.write(released, place / "01_toy.ipynb")
    edit(folder / file, old, new)
    monkeypatch.setenv("COLUMNS", "1000")  # the sentence is not broken into lines
    assert main([command, "01_toy", "--root", str(root)]) == 2
    said, error = capsys.readouterr()
    assert said == "" and "Traceback" not in error
    assert re.fullmatch(rf"attn {command}: \S+/{file}, line \d+: [^.]+\..*\n", error)
    assert not (root / "autograded").exists()


@pytest.mark.parametrize("part", ["variant", "misconception"])
def test_no_class_is_made_up_of_an_exercise_without_variants_or_mistakes(
    root, folder, capsys, monkeypatch, part
):
    code = (folder / AVERAGE).read_text()
    (folder / AVERAGE).write_text(re.sub(rf"@exercise\.{part}.*\n", "", code))
    monkeypatch.setenv("COLUMNS", "1000")
    assert main(["simulate", "01_toy", "--root", str(root)]) == 2
    assert f"{folder / AVERAGE}, line 3: a class is made up of" in capsys.readouterr().err


def test_nbgrader_tells_it_too(root, folder, nbgrader):
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    edit(folder / AVERAGE, "points=3", "points=0")
    done = nbgrader(root, "generate_assignment", "01_toy", check=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"{folder / AVERAGE}, line 4: points is 0." in done.stderr


def test_the_self_test_tells_of_a_cell_of_imports_that_fails(root, folder, sandbox, capsys):
    edit(folder / TEXT, "from torch import Tensor, nn", "from torch import Tensr, nn")
    assert main(["selftest", "01_toy", "--root", str(root)]) == 2
    said = "".join(capsys.readouterr().err.split())  # a terminal breaks lines where it likes
    place = f"{folder / TEXT}, line {line_of(folder / TEXT, IMPORTS)}: `from torch"
    failed = "does not work: ImportError: cannot import name 'Tensr' from 'torch'"
    assert place.replace(" ", "") in said and failed.replace(" ", "") in said
