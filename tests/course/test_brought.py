"""A library that the cell with the imports imports is there for answers, and learners get it."""

import pytest
from learners import RIGHT, notebook
from sandboxed import CASE
from slipping import TEXT, edit

from autograder.chapters import source_notebook
from autograder.chapters.solutions import load
from autograder.common.cell import IMPORTED, Cell
from autograder.exercise import wire
from autograder.judging.checks_file import case_to_tree
from autograder.judging.grader import Grader
from autograder.judging.verdict import Kind
from autograder.notebooks.splice import lacks, splice
from autograder.sandbox.sandbox import Sandbox

BY_YAML = "import yaml\n\n\ndef normalise(values):\n    return yaml.safe_load('1') * {}"
RIGHT_ONE = RIGHT["normalise"].rpartition("return ")[2]


@pytest.fixture
def chapter(root, folder):
    edit(folder / TEXT, "import torch\nfrom", "import torch\nimport yaml\nfrom")
    return load(root, "01_toy")


def graded(chapter, sandbox, source):
    released = source_notebook.build(chapter)
    spliced = splice(released, notebook(released, {**RIGHT, "normalise": source}))
    return Grader(chapter, "seed", sandbox).grade_notebook(spliced), lacks(spliced)


def test_a_library_of_the_imports_is_there_in_grading_and_nobody_is_warned_of_it(chapter, sandbox):
    verdicts, lacking = graded(chapter, sandbox, BY_YAML.format(RIGHT_ONE))
    assert all(verdict.kind == Kind.PASSED for verdict in verdicts.values()) and not lacking


@pytest.fixture
def own_worker(sandbox):
    with Sandbox() as box:
        yield box


@pytest.mark.parametrize("libraries", [[], ["yaml"]])
def test_it_is_loaded_before_any_submission(own_worker, libraries):
    asks = Cell("f", "import sys\n\n\ndef f(x):\n    return 'yaml' in sys.modules")
    calls = wire.pack({"f": [case_to_tree(CASE)], IMPORTED: libraries})
    (seen,) = own_worker.run([asks], calls, ["f"]).exercises[0]
    assert seen["output"] is bool(libraries)


def test_the_first_cell_says_what_pip_installs_for_it(chapter):
    source = source_notebook.build(chapter).cells[1].source
    assert 'packages = {"yaml": "PyYAML"}' in source
    with pytest.raises(Exception, match="Run %pip install PyYAML in a new cell, and restart"):
        exec(source.partition("# what pip")[2].partition("\n")[2], names_without_yaml())


def names_without_yaml():
    class Absent:
        @staticmethod
        def find_spec(_):
            return None

    class Importlib:
        util = Absent

    return {"packages": {"yaml": "PyYAML"}, "importlib": Importlib, "Missing": ValueError}


@pytest.mark.parametrize(
    "source",
    ["import pandas as pd\n\n\ndef normalise(values):\n    return pd.DataFrame(values)",
     "def normalise(values):\n    import pandas as pd\n    return pd.DataFrame(values)"],
)  # fmt: skip
def test_an_import_that_is_not_there_is_told_as_that(chapter, sandbox, source):
    verdicts, _ = graded(chapter, sandbox, source)
    assert (
        "pandas is not installed where this is graded: there are only torch, numpy, jaxtyping, "
        "matplotlib, IPython, yaml and Python's own library"
    ) in verdicts["normalise"].sentence
    assert not verdicts["normalise"].hint
