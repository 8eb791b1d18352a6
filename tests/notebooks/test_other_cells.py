"""Why a solution lacks here what it has in its student's notebook."""

import nbformat
import pytest
from splicing import cell

from autograder.notebooks.parsing import HERE, readable
from autograder.notebooks.splice import lacks, notes, splice

NEW = """kept = 1
@decorated
def normalise(values):
    print(f"{values["a"]}")
    return 1

kept = 2"""


def spliced(released, solution, *others, python=""):
    """The release with a solution of `normalise`, from a notebook with other cells."""
    notebook = nbformat.from_dict(released)
    cell(notebook, "normalise").source = solution
    notebook.cells[1:1] = [nbformat.v4.new_code_cell(other) for other in others]
    notebook.metadata.language_info = {"version": python}
    return splice(released.copy(), notebook)


@pytest.mark.parametrize("other", [
    "total = torch.rand(3)", "values = torch.ones(3)\ntotal = values.sum()",
    "for total in range(3):\n    pass", "with open('x') as total:\n    pass",
])  # fmt: skip
def test_a_variable_of_another_cell_is_told(released, other):
    found = spliced(released, "def normalise(x):\n    return x / total", other)
    assert "Of other cells only functions," in lacks(found)["normalise"]["total"]
    assert notes(found) == []


def test_what_a_helper_lacks_is_told_of_the_solution(released):
    helper = "def f(x):\n    return x / total"
    found = spliced(released, "normalise = lambda x: f(x)", helper, "total = torch.rand(3)")
    assert "total" in lacks(found)["normalise"]


@pytest.mark.parametrize(("solution", "other"), [
    ("def normalise(x):\n    return x / total", "def f():\n    total = 1"),  # a local name
    ("def normalise(x):\n    return x / total", ""),
    ("def normalise(x):\n    return x / total", "from math import *"),
    ("import math\nimport typing_extensions\ndef normalise(x):\n    return x", "y = 1"),
])  # fmt: skip
def test_of_what_is_missing_everywhere_or_there_nothing_is_told(released, solution, other):
    assert lacks(spliced(released, solution, other)) == {}


@pytest.mark.parametrize("text", [
    "from no_such import (\n    name,\n)", "import no_such.part as name",
    "from .no_such import name",
])  # fmt: skip
def test_a_library_or_file_that_is_not_there_is_told_by_the_name_it_gives(released, text):
    told = lacks(spliced(released, f"{text}\nnormalise = name"))["normalise"]["name"]
    assert told.lstrip(".").startswith("no_such is not installed where this is graded: there are")


@pytest.mark.parametrize("text", [
    "def f[T](x: T) -> T:\n    return x", "class A[T]:\n    pass", "type X[T] = list[T]",
    "print(f'{', '.join(x)}')", 'f"{"\\n".join(x)}"', 'f"{\n    x\n}"', 't"{x}"',
    "try:\n    x\nexcept A, B:\n    pass",
])  # fmt: skip
def test_what_only_a_newer_python_reads_is_left_out_in_its_place(text):
    read, left_out = readable(f"a = 1\n{text}\nb = 2")
    assert left_out == text.split("\n")
    compile(read, "cell", "exec")
    assert read.split("\n")[-1] == "b = 2" and read.count("\n") == text.count("\n") + 2


@pytest.mark.parametrize("text", [
    "def f(x) return f'{x}'", "print(f'{x'", 'f"{x}" + d["a"] "}', "type X = = 1 ) (", "x = (",
])  # fmt: skip
def test_an_error_in_every_python_stays_one(text):
    assert readable(f"a = 1\n{text}\nb = 2")[1] == [] or "type" in text


def test_a_solution_that_cannot_be_read_stays_and_a_person_is_asked(released):
    found = spliced(released, NEW, python="3.99.1")
    assert cell(found, "normalise").source == NEW
    versions = f"written with Python 3.99, and it is graded with Python {HERE}, which cannot read"
    (note,) = notes(found)
    assert versions in note and "a person should look at it: normalise" in note
    assert versions in lacks(found)["normalise"][""]


def test_in_a_notebook_of_this_python_or_an_older_one_nothing_is_left_out(released):
    for python in (HERE, "3.8.1"):
        found = spliced(released, NEW, python=python)
        assert notes(found) == [] and lacks(found) == {}


def test_a_notebook_that_does_not_say_its_python_is_read_in_the_same_way(released):
    for python in ("", "old", 3):
        (note,) = notes(spliced(released, NEW, python=python))
        assert "written with Python 3.12 or later" in note
