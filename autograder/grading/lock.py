"""One at a time: two that grade a course at once would write the same journal and gradebook."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.common.errors import CourseError
from autograder.common.files import JOURNALS
from autograder.course.course import Course
from autograder.course.opening import refuse_unwritable


@contextmanager
def grading(course: Course) -> Iterator[None]:
    """While it lasts nobody else grades the course; however whoever does ends, it is free.

    Raises CourseError where somebody does, or where the gradebook may not be written.
    """
    path = course.root / JOURNALS / "lock"
    refuse_unwritable(course.directory.db_url)
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CourseError(
                f"Another `attn grade` is at work on {course.root}. Wait until it is done, then "
                "run this again."
            ) from None
        yield
