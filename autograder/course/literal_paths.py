"""nbgrader takes the path of a course for a pattern and for an address; here it is a path.

In a folder `Statistics [2026]` it would find no submission, and would release what it is to leave
out; in one with a `?` or a `%`, its gradebook would be another file; and with a `{`, `nbgrader
zip_collect` would fail. With the name of a variable after a `$`, its commands would not find the
course's configuration, which is what makes them use our engine: such a folder is refused.
"""

import glob
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from nbgrader.coursedir import CourseDirectory

from autograder.common.errors import CourseError

LOOKING = ("converters.base", "utils", "apps.api", "exchange.default.release_feedback")


def take_paths_as_they_are() -> None:
    """From now on, in the modules of nbgrader that are loaded: to load others takes long."""
    for name in LOOKING:
        if module := sys.modules.get(f"nbgrader.{name}"):
            module.glob = SimpleNamespace(glob=_below_here)  # type: ignore[attr-defined]
    if module := sys.modules.get("nbgrader.apps.zipcollectapp"):
        module.ZipCollectApp._format_collect_path = _collect_path
    CourseDirectory._db_url_default = lambda self: address(Path(self.root))


def refuse_variables(root: Path) -> None:
    """Raise CourseError where nbgrader would put the value of a variable into the path."""
    path = str(root.absolute())
    if os.path.expandvars(path) != path:
        raise CourseError(
            f"{path} has the name of an environment variable after a $, and nbgrader would look "
            f"for the course in {os.path.expandvars(path)}. Rename the folder."
        )


def address(root: Path) -> str:
    """Return the address of the gradebook in this folder: nbgrader's, but for a `?` or a `%`."""
    path = str(root.absolute() / "gradebook.db")
    return f"sqlite:///{path.replace('%', '%25').replace('?', '%3F')}"


def _below_here(pattern: str) -> list[str]:
    """Do what glob.glob does, where the path of the current folder is no pattern."""
    here = str(Path.cwd())
    below = pattern.removeprefix(f"{here}/")
    start = "" if below == pattern else f"{glob.escape(here)}/"
    return glob.glob(f"{start}{below}")  # noqa: PTH207  # nbgrader compares them as text


def _collect_path(app: Any, step: str) -> str:
    """Do what nbgrader does, but fill in fields only in the folders below the course."""
    named = {"downloaded": app.downloaded_directory, "assignment_id": app.coursedir.assignment_id}
    below = app.collect_directory_structure.format(collect_step=step, **named)
    return str(Path(app.coursedir.root, below))
