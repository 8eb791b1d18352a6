"""A chapter as it is read from its folder."""

import os
import shutil

import pytest
import torch

from autograder.chapters.solutions import load

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


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_an_exercise_that_was_corrected_is_read_anew(toy_root, tmp_path):
    folder = shutil.copytree(toy_root / "solutions" / "01_toy", tmp_path / "solutions" / "01_toy")
    before = load(tmp_path, "01_toy")
    again = load(tmp_path, "01_toy").exercises["Scale"]
    assert again.right is before.exercises["Scale"].right
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
