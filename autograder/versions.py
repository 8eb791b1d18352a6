"""What decides about a verdict beside the submission and the seed, each as something to compare."""

import json
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

from autograder.chapter import load
from autograder.course import Course
from autograder.results import fingerprint


def versions(root: Path, name: str) -> dict[str, str]:
    """Name and digest or number of each part, for one chapter of the course in `root`."""
    released = json.dumps(Course(root).released(name), sort_keys=True)
    return {
        "engine": engine(),
        "exercises": exercises(root, name),
        "released notebook": fingerprint(released.encode()),
        "torch": metadata.version("torch").partition("+")[0],  # for whichever device it was built
        "Python": ".".join(platform.python_version_tuple()[:2]),
    }


@cache
def engine() -> str:
    """A digest of this package, as it was when it was first asked for."""
    return _digest(sorted(Path(__file__).parent.glob("*.py")))


def exercises(root: Path, name: str) -> str:
    """A digest of a chapter's exercises and of the notebook that they belong to."""
    folder = load(root, name).folder
    return _digest([*sorted(folder.glob("*.py")), folder / f"{name}.md"])


def _digest(paths: list[Path]) -> str:
    return fingerprint(*(path.read_bytes() for path in paths))
