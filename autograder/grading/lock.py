"""One at a time: two that grade a course at once would write the same journal and gradebook.

`attn watch` grades a few submissions at a time, so other commands wait for it.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from autograder.common.errors import CourseError
from autograder.common.files import JOURNALS
from autograder.course.course import Course
from autograder.course.opening import refuse_unwritable

WATCH = "watch.lock"


@contextmanager
def grading(course: Course) -> Iterator[None]:
    """While it lasts nobody else grades the course; however whoever does ends, it is free.

    Raises CourseError where somebody does, or where the gradebook may not be written.
    """
    refuse_unwritable(course.directory.db_url)
    with _file(course, "lock") as file:
        if not _take(file):
            if not _is_watched(course):
                raise CourseError(
                    f"Another `attn grade` is at work on {course.root}. Wait until it is done, "
                    "then run this again."
                )
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def watching(course: Course) -> Iterator[None]:
    """While it lasts nobody else watches the course. Raises CourseError where somebody does."""
    with _file(course, WATCH) as file:
        if not _take(file):
            raise CourseError(
                f"Another `attn watch` is at work on {course.root}. One watches all chapters "
                "that it is given; stop it before you start another."
            )
        yield


def _is_watched(course: Course) -> bool:
    with _file(course, WATCH) as file:
        return not _take(file)


def _file(course: Course, name: str) -> IO[str]:
    path = course.root / JOURNALS / name
    path.parent.mkdir(exist_ok=True)
    return path.open("a")


def _take(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
