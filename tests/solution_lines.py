"""The lines of the course's reference solutions, to look for where none may be."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.DOTALL)
SHORTEST = 15  # characters of a line that gives something away


def solution_lines():
    """Every line of code that a learner is to write, without its indentation."""
    sources = [path.read_text() for path in sorted((ROOT / "solutions").glob("[0-9]*/[0-9]*.md"))]
    lines = [line.partition("  #")[0].strip() for source in sources
             for block in SOLUTION.findall(source) for line in block.splitlines()]  # fmt: skip
    return {line for line in lines if len(line) >= SHORTEST and not line.startswith("#")}


def given_away(text, lines):
    """Those of the lines that are in a text."""
    return sorted(line for line in lines if line in text)
