"""A learner's machine: one chapter's folder, and the engine as `pip install .` puts it there."""

import copy
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from autograder.common.cell import grade_id

PACKAGE = Path(__file__).parent.parent / "autograder"
# What pyproject.toml keeps for the course, the book and the tests.
COURSE_ONLY = ("nbgrader", "jupytext", "ipykernel", "matplotlib", "sqlalchemy", "nbconvert",
               "mistune", "bleach", "jinja2")  # fmt: skip
START = (
    "import sys; sys.modules.update(dict.fromkeys({names!r}))\n"
    "from autograder.cli import main; sys.exit(main())"
)

RIGHT = {
    "normalise": "def normalise(values):\n    return values / values.sum(-1, keepdim=True)",
    "average": "def average(weights, values):\n    return normalise(weights) @ values",
    "Scale": "class Scale(nn.Module):\n"
    "    def __init__(self, width):\n"
    "        super().__init__()\n"
    "        self.factor = nn.Parameter(torch.ones(width))\n"
    "    def forward(self, x):\n"
    "        return x * self.factor",
}
FRESH = shutil.ignore_patterns("progress.json")  # which another test may have left


def notebook(released, sources):
    """The released notebook with the sources written into the cells of that name."""
    written = copy.deepcopy(released)
    for cell in written.cells:
        cell.source = sources.get(grade_id(cell), cell.source)
    return written


def save(written, path):
    path.write_text(json.dumps(written))
    return path


def install(folder):
    """The engine alone, in a folder of its own; no solutions and no repository around it."""
    shutil.copytree(PACKAGE, folder / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def attn(engine, cwd, *arguments):
    """Run the command line where only what a learner installs can be imported."""
    start = START.format(names=COURSE_ONLY)
    command = [sys.executable, "-c", start, *map(str, arguments)]
    variables = {**os.environ, "PYTHONPATH": str(engine), "COLUMNS": "100"}
    return subprocess.run(
        command, cwd=cwd, env=variables, capture_output=True, text=True, check=False
    )
