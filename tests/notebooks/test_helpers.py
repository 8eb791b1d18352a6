"""A solution gets what it uses of the student's other cells, and nothing else."""

import json
import subprocess
import sys

import nbformat
import pytest
from splicing import cell, spliced_sources


def completed(released, solution, *others):
    """The source of `normalise` as it is run, with other cells in the student's notebook."""

    def change(notebook):
        cell(notebook, "normalise").source = solution
        notebook.cells[1:1] = [nbformat.v4.new_code_cell(other) for other in others]

    return spliced_sources(released, change)[0]["normalise"]


@pytest.mark.parametrize(
    "helper",
    ["EPS = 1e-9", "low = EPS = float('-inf')", "EPS: float = 2 * 3", "EPS = lambda x: x",
     "EPS = torch.float32", "import EPS", "from a import b as EPS", "from a import *",
     "class EPS:\n    pass",
     "@torch.no_grad()\ndef EPS():\n    pass",
     "EPS = torch.device('cuda' if torch.cuda.is_available() else 'cpu')", "EPS, other = 1, 2",
     "EPS = torch.finfo(torch.float32).eps", "import math\nd_k = 64\nEPS = 1 / math.sqrt(d_k)",
     "if torch.cuda.is_available():\n    EPS = 1\nelse:\n    EPS = torch.ones(3).tril()",
     "try:\n    from a import EPS\nexcept ImportError:\n    !pip install a\n    from a import EPS"],
)  # fmt: skip
def test_a_constant_import_function_or_class_of_another_cell_is_put_above(released, helper):
    solution = "def normalise(values):\n    return values / EPS"
    found = completed(released, solution, f"print(1)\n{helper}\nprint(2)")
    assert found == f"# From your other cells:\n{helper}\n\n{solution}"


@pytest.mark.parametrize(
    ("solution", "other"),
    [
        ("def normalise(x):\n    return x * y", "y = torch.rand(3)"),  # a variable
        ("def normalise(x):\n    return x * y", "y = torch.nn.Linear(2, 2)"),  # drawn, too
        ("def normalise(x):\n    return x * y", "z = 1\ny = z + 1\nz = 2"),  # which z is it?
        ("def normalise(x):\n    return x * y", "z = 1\nz += 1\ny = z"),
        ("def normalise(x):\n    return x * y", "z = torch.ones(3)\ny = z.sum()"),
        ("def normalise(x):\n    return x * y", "if torch.rand(1) > 0:\n    y = 1"),
        ("def normalise(x):\n    y = 1\n    return x * y", "y = 2"),  # a local name
        ("def normalise(x):\n    return average(x)", "average = 3"),  # another exercise
        ("def normalise(x):\n    return check(x)", "def check(x): pass"),  # given by the setup
        ("def normalise(x):\n    return sum(x)", "def sum(x): pass"),  # given by Python
        ("def normalise(x):\n    return y", "try:\n    y = open('y')\nexcept OSError:\n    y = 1"),
        ("def normalise(x) return y", "y = 2"),  # not Python
        ("def normalise(x):\n    return y", "print(\n1); y = 2"),  # cannot be cut out by lines
        ("def normalise(x):\n    return y", "%%bash\ny = 2"),  # was never Python
    ],
)
def test_nothing_else_is_put_above_a_solution(released, solution, other):
    assert completed(released, solution, other) == solution


@pytest.mark.parametrize("first", ["from __future__ import annotations", "# no __future__ needed"])
def test_a_helper_comes_along_where_the_text_speaks_of_the_future(released, first):
    solution = f"{first}\nnormalise = lambda x: f(x)"
    found = completed(released, solution, "def f(x): return x")
    assert "def f(x)" in found
    compile(found, "cell", "exec")


def test_of_two_helpers_with_one_name_the_nearest_above_counts(released):
    found = completed(released, "normalise = lambda x: f(x)", "def f(): 1", "def f(): 2")
    assert "def f(): 2" in found and "def f(): 1" not in found


def test_no_source_stops_or_delays_the_parser():
    """In a process of its own: a parser that crashes takes the process along."""
    deep = [
        "(" * 9_000 + ")" * 9_000, "f(a=[{" * 3_000, "a" + ".b" * 9_000, "1" + "+1" * 9_000,
        "not " * 4_900, "{1:" * 6_000, "lambda:" * 2_500, "[x for x in " * 1_500,
        "with " + "(" * 9_000 + "a b" + ")" * 9_000, "match a:\n case " + "A(x=" * 4_000 + "1 2",
        "x = '\0'", "y = 1", "'\\d' is 1",
    ]  # fmt: skip
    program = (
        "import json, sys; from autograder.notebooks.helpers import Helpers, undefined;"
        "from autograder.notebooks.submission import SubmittedCell; texts = json.load(sys.stdin);"
        "cells = [SubmittedCell('code', '', text) for text in texts];"
        "print(*map(undefined, texts)); Helpers(cells, [], frozenset()).above('lost', 1)"
    )
    command = [sys.executable, "-W", "error::SyntaxWarning", "-c", program]
    subprocess.run(command, input=json.dumps(deep), text=True, check=True, timeout=600)
