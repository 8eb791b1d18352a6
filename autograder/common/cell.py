"""A cell of code that is run, and the names by which the cells of a notebook are known."""

from dataclasses import dataclass

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
