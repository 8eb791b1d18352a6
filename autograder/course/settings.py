"""What holds for all exercises of a course: the file `course.toml` beside its chapters."""

import importlib.util
import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from autograder.calls.errors import CourseError

FILE = "course.toml"


@dataclass(frozen=True)
class Settings:
    """A course without such a file has these.

    device: what an exercise makes has to be on the device of its inputs, unless it says otherwise.
    packages: what answers may import beside torch and numpy, by the names under which they do.
    """

    device: bool = False
    packages: tuple[str, ...] = ()


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
    return Settings(said.get("device", False), tuple(said.get("packages", ())))


def _slip(key: str, value: Any) -> str:
    """What is wrong with one setting, "" if nothing is."""
    known = [part.name for part in fields(Settings)]
    if key not in known:
        return f"there is no setting {key!r}. The settings are {', '.join(known)}."
    if key == "device":
        return "" if isinstance(value, bool) else f"device is {value!r}. Make it true or false."
    names = isinstance(value, list) and all(isinstance(name, str) for name in value)
    if not names or not all(name.isidentifier() for name in value):
        return f'packages is {value!r}. Give names as code imports them: ["scipy", "sklearn"].'
    absent = next((name for name in value if importlib.util.find_spec(name) is None), "")
    return f"{absent} is not installed here, where answers are to be run." if absent else ""


def _line(text: str, key: str) -> int:
    """Where a setting stands."""
    found = re.search(rf"^\s*\W?{re.escape(key)}\b", text, re.MULTILINE)
    return text[: found.start()].count("\n") + 1 if found else 1
