"""The page of feedback goes to its student: written anew, and put where nbgrader fetches it."""

from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.utils import notebook_hash

from autograder.arrivals.inbox import Inbox, Work
from autograder.course.course import Course
from autograder.course.nbgrader_errors import quiet
from autograder.plugins.class_feedback import is_whole, page_of, write

SECRET = "submission_secret.txt"  # by which nbgrader names the page in the exchange


def give_back(
    course: Course, inbox: Inbox, works: list[Work], writers: Executor
) -> Iterator[tuple[Work, str]]:
    """Write the pages that are older than the marks, and put them into the exchange.

    Yields each student's as soon as it is there, with the reason why it is not or "".
    Raises OSError where a page cannot be copied, CourseError if a process was killed.
    """
    todo = [work for work in works if not _is_written(course, *work)]
    for work in works:
        if work not in todo and _release(course, inbox, *work):
            yield work, ""
    for work, why in write(course, todo, writers):
        if not why:
            _release(course, inbox, *work)
        yield work, why


def _is_written(course: Course, chapter: str, student: str) -> bool:
    page, graded = page_of(course, chapter, student), _graded(course, chapter, student)
    return is_whole(page) and page.stat().st_mtime_ns > graded.stat().st_mtime_ns


def _release(course: Course, inbox: Inbox, chapter: str, student: str) -> bool:
    """Put a page into the exchange; False if it is there, or did not come from there."""
    page = page_of(course, chapter, student)
    secret = page.with_name(SECRET)
    if inbox.folder is None or not secret.is_file():
        return False
    name = notebook_hash(secret=secret.read_text(), notebook_id=chapter)
    there = inbox.folder.with_name("feedback") / f"{name}.html"
    if there.is_file() and there.stat().st_mtime_ns > page.stat().st_mtime_ns:
        return False
    config = course.config
    directory = CourseDirectory(config=config, assignment_id=chapter, student_id=student)
    released = ExchangeFactory(config=config).ReleaseFeedback(
        coursedir=directory, authenticator=Authenticator(config=config), config=config
    )
    quiet(released.log)
    released.start()
    return True


def _graded(course: Course, chapter: str, student: str) -> Path:
    folder = course.folder(course.directory.autograded_directory, chapter, student)
    return folder / f"{chapter}.ipynb"
