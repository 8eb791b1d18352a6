"""A chapter as it is read from its folder."""

import os
import shutil

import nbformat
import pytest
import torch

from autograder.cli import main
from autograder.course.solutions import load

MODULE = "from torch import nn\n\nfrom .Scale import exercise\n\n\n"
BASE = "class Layers(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
WRONG = """

@exercise.misconception("You subtract.")
class Subtracts(Layers):
    def forward(self, x):
        return less(x, self.width)


def less(x, width):
    return minus(x, width) if width else x


def minus(x, width):
    return less(x, 0) - width
"""


@pytest.fixture
def chapter(toy_root, tmp_path):
    """The toy chapter, with more mistakes of `Scale` in a file of their own."""
    folder = tmp_path / "solutions" / "01_toy"
    shutil.copytree(toy_root / "solutions" / "01_toy", folder)
    text = MODULE + BASE + "        self.width = width\n" + WRONG
    (folder / "Scale_misconceptions.py").write_text(text)
    return load(tmp_path, "01_toy")


def test_mistakes_are_found_in_a_file_of_their_own(chapter, toy):
    added = {item.name for item in chapter.exercises["Scale"].misconceptions}
    assert added - {item.name for item in toy.exercises["Scale"].misconceptions} == {"Subtracts"}


def test_a_wrong_answer_comes_with_the_classes_and_functions_that_it_uses(chapter):
    (wrong,) = (m for m in chapter.exercises["Scale"].misconceptions if m.name == "Subtracts")
    source = wrong.source_as("Scale")
    assert source.index("class Layers(") < source.index("class Scale(Layers)")
    namespace = {"nn": torch.nn}
    exec(source, namespace)
    assert namespace["Scale"](2)(torch.tensor(3.0)) == 1


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        ("def normalise(values:\n", "line 1: SyntaxError"),
        ("import torch\n\ntorch.no_such_thing\n", "line 3: AttributeError"),
        ("from autograder.spec import Exercise\n\nExercise()\n", "line 3: TypeError"),
        ("exercise = None\n", "must define `exercise = Exercise('normalise'"),
    ],
)
def test_a_slip_in_a_file_of_an_exercise_is_one_sentence_with_its_line(
    toy_root, tmp_path, capsys, slip, said
):
    folder = shutil.copytree(toy_root / "solutions" / "01_toy", tmp_path / "solutions" / "01_toy")
    (folder / "normalise.py").write_text(slip)
    assert main(["release", "01_toy", "--root", str(tmp_path)]) != 0
    error = capsys.readouterr().err
    assert str(folder / "normalise.py") in "".join(error.split("\n")) and said in error
    assert "Traceback" not in error


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_an_exercise_that_was_corrected_is_read_anew(toy_root, tmp_path):
    folder = shutil.copytree(toy_root / "solutions" / "01_toy", tmp_path / "solutions" / "01_toy")
    before = load(tmp_path, "01_toy")
    assert load(tmp_path, "01_toy").exercises["Scale"] is before.exercises["Scale"]
    stat = (folder / "Scale.py").stat()
    edit(folder / "Scale.py", "return x + self.factor", "return x - self.factor")
    os.utime(folder / "Scale.py", ns=(stat.st_atime_ns, stat.st_mtime_ns))  # within one second
    (wrong,) = load(tmp_path, "01_toy").exercises["Scale"].misconceptions
    assert wrong.target(2)(torch.tensor(3.0)).tolist() == [2, 2]


def test_what_an_exercise_imports_is_read_anew_with_it(toy_root, tmp_path):
    folder = shutil.copytree(toy_root / "solutions" / "01_toy", tmp_path / "solutions" / "01_toy")
    (folder / "shared.py").write_text("POINTS = 3\n")
    edit(folder / "average.py", "points=3", "points=POINTS")
    edit(folder / "average.py", "from autograder", "from .shared import POINTS\nfrom autograder")
    points = [load(tmp_path, "01_toy").exercises["average"].points]
    (folder / "shared.py").write_text("POINTS = 4\n")
    points.append(load(tmp_path, "01_toy").exercises["average"].points)
    assert points == [3, 4]


AVERAGE, NORMALISE, TEXT = "average.py", "normalise.py", "01_toy.md"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (AVERAGE, '("normalise",)', '("normalize",)',
         "builds_on names 'normalize', which is no earlier exercise of the notebook; it has "
         "normalise. Correct it."),
        (AVERAGE, '("normalise",)', '("Scale",)', "'Scale', which is no earlier exercise"),
        (AVERAGE, '("normalise",)', '("normalise")', "builds_on must be a tuple"),
        (AVERAGE, "points=3", "points=0", "points is 0. Make it a whole number above 0."),
        (AVERAGE, "difficulty=2", "difficulty=7", "difficulty is 7. Make it 1 to 5."),
        (AVERAGE, "@exercise.oracle\n", "", "it has no oracle."),
        (AVERAGE, '"You left the weights as they are: they must sum to 1."', '" "',
         "the misconception unnormalised has no hint."),
        (NORMALISE, "def upcasts", "def detaches", "two misconceptions are named detaches."),
        (NORMALISE, "SumsTo(0,", "SumsTo(1,", "does not fit what the oracle returns"),
        (NORMALISE, '"half precision"', '"two batches"', "two have the same name"),
        (TEXT, "exercise: average", "exercise: normalise", "two cells are named 'normalise'."),
        (TEXT, "exercise: average", "excercise: average",
         "a cell is about 'average', which is no exercise"),
        (TEXT, '+++ {"about": "Scale"}', '+++ {"about": "Scales"}', "about 'Scales'"),
        (TEXT, "role: setup", "role: set-up", "0 cells have `role: setup`. Mark one"),
        (TEXT, ', "points": 2}', "}", "the answer 'why' needs points"),
        (TEXT, "exercise: normalise", "exercise: [normalise", "cannot be read as a notebook"),
    ],
)  # fmt: skip
def test_a_slip_that_would_cost_every_student_is_told_before_anybody_is_graded(
    toy_root, tmp_path, capsys, file, old, new, said
):
    folder = shutil.copytree(toy_root / "solutions" / "01_toy", tmp_path / "solutions" / "01_toy")
    edit(folder / file, old, new)
    assert main(["release", "01_toy", "--root", str(tmp_path)]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert said in error and "Traceback" not in error
    assert file.removesuffix(".py") in error.replace(" ", "")


def test_an_exercise_that_no_cell_asks_for_is_told(toy_root, tmp_path, capsys):
    folder = shutil.copytree(toy_root / "solutions" / "01_toy", tmp_path / "solutions" / "01_toy")
    shutil.copy(folder / "Scale.py", folder / "Shift.py")
    assert main(["release", "01_toy", "--root", str(tmp_path)]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "no cell has `exercise: Shift`. Add one, or remove Shift.py." in error


def test_nobody_is_graded_by_a_chapter_with_a_slip(toy_root, tmp_path, released, capsys):
    root = tmp_path / "course"
    shutil.copytree(toy_root, root)
    folder = root / "submitted" / "ada" / "01_toy"
    folder.mkdir(parents=True)
    nbformat.write(released, folder / "01_toy.ipynb")
    edit(root / "solutions" / "01_toy" / AVERAGE, '("normalise",)', '("normalize",)')
    assert main(["grade", "01_toy", "--root", str(root)]) == 2
    assert "builds_on names 'normalize'" in " ".join(capsys.readouterr().err.split())
    assert not (root / "autograded").exists()
