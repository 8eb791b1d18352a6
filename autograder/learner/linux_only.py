"""A clean run needs Linux: its process is confined and ended by Linux system calls."""

import platform

from autograder.common.errors import CourseError

ELSEWHERE = (
    "This needs Linux, such as WSL 2 on Windows. Elsewhere restart the kernel in Jupyter and run "
    "all cells, which tries the same cases. The last cell says what the grader refuses."
)


def require_linux() -> None:
    """Raise CourseError, which says what to do instead, on another system."""
    if platform.system() != "Linux":
        raise CourseError(ELSEWHERE)
