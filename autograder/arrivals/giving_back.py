"""The page of feedback goes to its student: written anew, and put where nbgrader fetches it."""

import json
from collections.abc import Iterator
from concurrent.futures import Executor
from glob import escape
from pathlib import Path

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError, ExchangeFactory
from nbgrader.utils import notebook_hash

from autograder.arrivals.inbox import Inbox, Work, reason_of
from autograder.course.course import Course
from autograder.course.nbgrader_errors import quiet
from autograder.grading.results import PUBLIC_ONLY
from autograder.plugins.class_feedback import is_whole, page_of, write

SECRET = "submission_secret.txt"  # by which nbgrader names the page in the exchange


def give_back(
    course: Course, inbox: Inbox, works: list[Work], writers: Executor, final: bool
) -> Iterator[tuple[Work, str]]:
    """Write the pages that are older than the marks, and put them into the exchange.

    final: pages that tell of secret cases may go out, too. Yields each student's as soon as it is
    there, with the reason why it is not or "". Raises CourseError if a process was killed.
    """
    todo = [work for work in works if not _is_written(course, *work)]
    for work in works:
        if work not in todo and (found := _given(course, inbox, work, final)) is not None:
            yield work, found
    for work, why in write(course, todo, writers):
        yield work, why or _given(course, inbox, work, final) or ""


def _is_written(course: Course, chapter: str, student: str) -> bool:
    page, graded = page_of(course, chapter, student), _graded(course, chapter, student)
    return is_whole(page) and page.stat().st_mtime_ns > graded.stat().st_mtime_ns


def _given(course: Course, inbox: Inbox, work: Work, final: bool) -> str | None:
    """Put a page into the exchange; return why it could not be, None if nothing was to be done.

    `attn grade`, which tries all cases, may have graded it meanwhile. Such marks are replaced by no
    others, so a page that was written before this asks tells of no secret case.
    """
    try:
        if not final and not _is_provisional(_graded(course, *work)):
            return "It was graded with all cases, so it is given back when the due date has passed"
        return "" if _release(course, inbox, *work) else None
    except (OSError, ExchangeError) as error:
        return reason_of(error)


def _is_provisional(graded: Path) -> bool:
    return bool(json.loads(graded.read_bytes())["metadata"].get(PUBLIC_ONLY))


def _release(course: Course, inbox: Inbox, chapter: str, student: str) -> bool:
    """Put a page into the exchange; False if it is there, or did not come from there."""
    page = page_of(course, chapter, student)
    secret = page.with_name(SECRET)
    if inbox.folder is None or not secret.is_file():
        return False
    name = notebook_hash(secret=secret.read_text(), notebook_id=chapter)
    there = inbox.folder.with_name("feedback") / f"{name}.html"
    if there.is_file() and there.read_bytes() == page.read_bytes():
        return False
    config = course.config
    directory = CourseDirectory(config=config, assignment_id=chapter, student_id=escape(student))
    released = ExchangeFactory(config=config).ReleaseFeedback(
        coursedir=directory, authenticator=Authenticator(config=config), config=config
    )
    quiet(released.log)
    released.start()
    return True


def _graded(course: Course, chapter: str, student: str) -> Path:
    folder = course.folder(course.directory.autograded_directory, chapter, student)
    return folder / f"{chapter}.ipynb"
