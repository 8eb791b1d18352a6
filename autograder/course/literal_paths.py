"""nbgrader takes the path of a course for a pattern and for an address; here it is a path.

In a folder `Attention [2026]` it would find no submission, and would release what it is to leave
out; in one with a `?` or a `%`, its gradebook would be another file.
"""

import glob
import sys
from pathlib import Path
from types import SimpleNamespace

from nbgrader.coursedir import CourseDirectory

LOOKING = ("converters.base", "utils", "apps.api", "exchange.default.release_feedback")


def take_paths_as_they_are() -> None:
    """From now on, in the modules of nbgrader that are loaded."""
    for name in LOOKING:
        if module := sys.modules.get(f"nbgrader.{name}"):
            module.glob = SimpleNamespace(glob=_below_here)  # type: ignore[attr-defined]
    CourseDirectory._db_url_default = lambda self: address(Path(self.root))


def address(root: Path) -> str:
    """Of the gradebook that is a file in this folder: nbgrader's own, but for a `?` or a `%`."""
    path = str(root.absolute() / "gradebook.db")
    return f"sqlite:///{path.replace('%', '%25').replace('?', '%3F')}"


def _below_here(pattern: str) -> list[str]:
    """As glob.glob, where the path of the current folder is no pattern."""
    here = str(Path.cwd())
    below = pattern.removeprefix(f"{here}/")
    start = "" if below == pattern else f"{glob.escape(here)}/"
    return glob.glob(f"{start}{below}")  # noqa: PTH207  # nbgrader compares them as text
