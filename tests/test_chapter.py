"""A chapter as it is read from its folder."""

import shutil

import pytest
import torch

from autograder.chapter import load
from autograder.cli import main

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
