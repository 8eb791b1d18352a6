"""Code that is run as a submission is, in a sandbox that a test has."""

import textwrap

import torch

from autograder.author import Case
from autograder.common.cell import Cell
from autograder.exercise import wire
from autograder.judging.checks_file import case_to_tree

CASE = Case("case", {"x": torch.ones(2)})


def run(sandbox, source, setup="import os, torch", calls=1):
    cells = [Cell("setup", setup), Cell("f", textwrap.dedent(source))]
    return sandbox.run(cells, wire.pack({"f": [case_to_tree(CASE)] * calls}), ["f"])


def says(sandbox, expression, setup="import os, torch"):
    """What an expression evaluates to inside the sandbox, as text."""
    result = run(sandbox, f"def f(x):\n    return str({expression})\n", setup=setup)
    (case,) = result.exercises[0]
    return case["output"] if case["failure"] is None else case["failure"]["type"]
