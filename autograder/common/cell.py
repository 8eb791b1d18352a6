"""A cell of a notebook: its name, its magics, which only IPython knows, nbgrader's marks on it."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

SETUP, EXERCISE = "setup", "exercise"
GIVEN = "given"  # of another chapter, and run as the setup is
CHECK = "check_"  # how the name of a cell begins that checks the exercise of this name
IMPORTED = "import"  # among the calls by exercise, none of which has this name


@dataclass(frozen=True)
class Cell:
    """A code cell to execute: its exercise's name (or "setup …") and its source."""

    name: str
    source: str

    def to_tree(self) -> dict[str, str]:
        return {"name": self.name, "source": self.source}


# IPython's own cell magics that give the text to a file, another process or the browser. One that
# somebody installed may well run it here, as %%time does.
ELSEWHERE = {
    "!", "HTML", "SVG", "bash", "cmd", "file", "html", "javascript", "js", "latex", "markdown",
    "perl", "pypy", "python", "python2", "python3", "ruby", "script", "sh", "svg", "sx", "system",
    "writefile",
}  # fmt: skip
CELL_MAGIC = re.compile(r"\s*%%(!|\S+)")
MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
TIMED = re.compile(r"^([ \t]*)%(?:time|prun)[ \t]+(?=\w)", re.MULTILINE)
ASSIGNED = re.compile(r"^([ \t]*\w[\w ,]*=[ \t]*)[%!].*$", re.MULTILINE)


def without_timing(source: str) -> str:
    """Take out the magics that run the text here, or a line of it: %%time, or `%time f()`."""
    lines = TIMED.sub(r"\1", source).split("\n")
    for at, line in enumerate(lines):
        magic = CELL_MAGIC.match(line)
        if line.strip() and (not magic or magic[1] in ELSEWHERE):
            break
        lines[at] = ""
    return "\n".join(lines)


def without_magics(source: str) -> str:
    """Return the text with `pass` for each such line, so that all others keep their number."""
    return ASSIGNED.sub(r"\1None", MAGIC.sub(r"\1pass", source))


def sent_elsewhere(source: str) -> str:
    """Return the magic by which a cell is not run here as Python, such as %%bash; else ""."""
    magic = CELL_MAGIC.match(source)
    return f"%%{magic[1]}" if magic and magic[1] in ELSEWHERE else ""


def grade_id(cell: "NotebookNode") -> str:
    """Return the nbgrader id of a cell, "" if it has none."""
    metadata = cell.get("metadata", {}).get("nbgrader")
    name = metadata.get("grade_id") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def is_solution(cell: "NotebookNode") -> bool:
    """Tell whether nbgrader leaves the cell to the learner."""
    return bool(cell["metadata"].get("nbgrader", {}).get("solution"))


def is_in_words(cell: "NotebookNode") -> bool:
    """Tell whether the cell asks for an answer in words, which a person marks."""
    return is_solution(cell) and cell["cell_type"] != "code"
