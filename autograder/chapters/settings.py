"""The file `course.toml` beside the chapters says what holds for all exercises of a course."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.common.errors import CourseError

FILE = "course.toml"
DEVICE = "device"


@dataclass(frozen=True)
class Settings:
    """A course without such a file has these.

    device: what an exercise makes has to be on the device of its inputs, unless it says otherwise.
    """

    device: bool = False


def read(solutions: Path) -> Settings:
    """Raises CourseError, with the line, for a file that says something else."""
    path = solutions / FILE
    if not path.is_file():
        return Settings()
    text = path.read_text("utf-8")
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path}: {error}. Correct it.") from error
    for key, value in said.items():
        if slip := _slip(key, value):
            raise CourseError(f"{path}, line {_line(text, key)}: {slip}")
    return Settings(**said)


def _slip(key: str, value: Any) -> str:
    """Say what is wrong with one setting, "" if nothing is."""
    if key != DEVICE:
        return f"there is no setting {key!r}. The only one is {DEVICE}."
    return "" if isinstance(value, bool) else f"{DEVICE} is {value!r}. Make it true or false."


def _line(text: str, key: str) -> int:
    """Return the line of a setting."""
    found = re.search(rf"^\s*\W?{re.escape(key)}\b", text, re.MULTILINE)
    return text[: found.start()].count("\n") + 1 if found else 1
