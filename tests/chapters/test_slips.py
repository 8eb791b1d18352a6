"""An author's slip is one sentence that names the file and the line, whatever command meets it."""

import re
import shutil

import nbformat
import pytest
from slipping import AVERAGE, NORMALISE, SCALE, TEXT, edit, line_of, told

from autograder.cli import main
from autograder.common.files import REPOSITORY

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
    (NORMALISE, "properties=(Finite(),", "properties=(Sorted(),", "    properties",
     "Sorted is no property that learners' checks can hold. Use one of CostAtMost, Drawn, Finite, "
     "SumsTo, Witness, or a case that shows what is wrong."),
    (NORMALISE, "properties=(Finite(),",
     'groups=(Group("order", 1, properties=(Sorted(),)),),\n    properties=(Finite(),',
     "    groups", "Sorted is no property that learners' checks can"),
    (AVERAGE, "points=3", "points=0", "points", "points is 0. Make it a whole number above 0."),
    (AVERAGE, "points=3", "points=True", "points", "points is True. Make it a whole number"),
    (AVERAGE, "points=3", "points=2.5", "points", "points is 2.5. Make it a whole number"),
    (AVERAGE, "points=3, ", "", "exercise =", "TypeError: Exercise.__init__() missing"),
    (AVERAGE, "points=3", "pionts=3", "exercise =", "unexpected keyword argument 'pionts'"),
    (AVERAGE, "minutes=5", 'minutes="5"', "minutes", "minutes is '5'. Make it a whole number"),
    (AVERAGE, "difficulty=2", "difficulty=7", "difficulty", "difficulty is 7. Make it 1 to 5."),
    (AVERAGE, "points=3", 'points=3, device="cpu"', "points", "device is 'cpu'. Make it True or"),
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
]  # fmt: skip


OWN = """


class Sorted(Finite):
    def violation(self, expected, actual, case=None):
        return ""
"""


@pytest.mark.parametrize(("file", "old", "new", "at", "said"), IN_EXERCISES)
def test_a_slip_in_the_file_of_an_exercise_is_told_with_its_line(
    root, folder, file, old, new, at, said
):
    if "Sorted" in new:
        edit(folder / file, "Finite, SumsTo\n", f"Finite, Group, SumsTo{OWN}")
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


def test_a_file_without_an_exercise_is_told(root, folder):
    (folder / SCALE).write_text("factor = 1\n")
    assert told(root) == f"{folder / SCALE} must define `exercise = Exercise('Scale', …)`."


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
