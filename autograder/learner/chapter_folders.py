"""Which folders hold a chapter, as a learner has one."""

from pathlib import Path

from autograder.common.errors import CourseError
from autograder.common.files import CHECKS


def chapters_in(folder: Path) -> list[Path]:
    """Return the folder itself if it is a chapter, else those in it or in its `exercises/`, sorted.

    Raises CourseError if there is none.
    """
    if (folder / CHECKS).is_file():
        return [folder]
    below = [sorted(folder.glob(f"{pattern}/{CHECKS}")) for pattern in ("*", "exercises/*")]
    if not any(below):
        raise CourseError(f"There is no chapter in {folder.resolve()}, nor in its exercises/.")
    return [path.parent for paths in below for path in paths]
