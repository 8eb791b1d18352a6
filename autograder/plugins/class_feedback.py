"""A class's feedback: what `nbgrader generate_feedback` writes, by one process for each core."""

import os
import signal
from collections.abc import Collection, Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    as_completed,
    wait,
)
from contextlib import contextmanager
from functools import cache
from glob import escape
from math import inf
from pathlib import Path
from threading import Thread

from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from rich.progress import track
from sqlalchemy import make_url

from autograder.common.errors import CourseError
from autograder.common.forks import fork_server
from autograder.course.course import Course
from autograder.course.nbgrader_errors import quiet, reason
from autograder.course.roster import roster
from autograder.notebooks.watchdog import OutOfTime, end_with_parent, processor_limit
from autograder.showing.wording import printable

END = b"</html>"  # of a page that was written to its end
Page = tuple[str, str]  # a chapter, and one of its students


def write_with_progress(
    course: Course, chapters: list[str], force: bool, students: Collection[str] | None = None
) -> int:
    """Write the pages that are not there or not up to date, with a progress bar.

    force: write those that are up to date, too. students: of these alone, if given. Returns 1 if a
    student has no page now, else 0. Raises CourseError if nobody was graded in a chapter, or if a
    process was killed.
    """
    graded = {
        page: path
        for chapter in chapters
        for page, path in _graded(course, chapter)
        if students is None or page[1] in students
    }
    with course.gradebook() as book:
        book.check_course()  # adds nbgrader's default, which several processes cannot do at once
    todo = [page for page in graded if force or not _is_up_to_date(course, page, graded[page])]
    console = Console(stderr=True)
    failed = _failed(course, todo, console) if todo else {}
    known = roster(course)
    for (chapter, student), why in sorted(failed.items()):
        who = printable(known.named(student))
        sentence = f"No feedback on {chapter} for {who}: {printable(why)}"
        console.print(sentence, markup=False)
    new, kept = len(todo) - len(failed), len(graded) - len(todo)
    place = course.root / course.directory.feedback_directory
    print(f"{new} written, {kept} up to date; the pages are in {place}")
    return 1 if failed else 0


def _failed(course: Course, todo: list[Page], console: Console) -> dict[Page, str]:
    """Write pages, with a progress bar; return those that could not be written, and why."""
    with writers() as pool:
        outcomes = track(write(course, todo, pool), "Feedback", len(todo), console=console)
        return {page: why for page, why in outcomes if why}


@contextmanager
def writers() -> Iterator[Executor]:
    """Processes that write pages, one for each core.

    Whoever leaves early, by Ctrl-C say, waits for the pages that are being written.
    """
    cores = len(os.sched_getaffinity(0))
    pool = ProcessPoolExecutor(cores, fork_server(__name__), initializer=_begin)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def write(course: Course, todo: list[Page], pool: Executor) -> Iterator[tuple[Page, str]]:
    """Write pages; yields each when done, with the reason why it could not be written or "".

    Whoever leaves early waits for what is being written: nobody else may write the same page
    meanwhile. Raises CourseError if a process was killed.
    """
    pages: dict[Future[str], Page] = {}
    try:
        pages = {pool.submit(_write, course.root, *page): page for page in todo}
        for future in as_completed(pages):
            yield pages[future], future.result()
    except BrokenExecutor:
        raise CourseError(
            "A process that wrote feedback was killed, perhaps because the memory was full. What "
            "is written is kept; run the same command to go on."
        ) from None
    finally:
        wait([future for future in pages if not future.cancel()])


def _begin() -> None:
    """Ctrl-C is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=end_with_parent, daemon=True).start()


def _write(root: Path, chapter: str, student: str) -> str:
    """Write one page, in a process of its own; return why there is none, "" if there is."""
    config = _course(root).config
    directory = CourseDirectory(config=config, assignment_id=chapter, student_id=escape(student))
    converter = GenerateFeedback(coursedir=directory, config=config, force=True)
    said = quiet(converter.log)
    try:
        with processor_limit():
            converter.start()
    except (NbGraderException, OutOfTime) as error:
        return reason(said, error)
    return ""


_course = cache(Course)  # its configuration is read once in each process


def _graded(course: Course, chapter: str) -> list[tuple[Page, Path]]:
    """Return each student's autograded notebook, sorted. Raises CourseError if there are none."""
    base = course.root / course.directory.autograded_directory
    found = sorted(base.glob(f"*/{chapter}/{chapter}.ipynb"))
    if not found:
        raise CourseError(
            f"Nobody is graded in {base}/STUDENT/{chapter}/; grade first: attn grade {chapter}"
        )
    return [((chapter, path.parts[-3]), path) for path in found]


def _is_up_to_date(course: Course, of: Page, graded: Path) -> bool:
    """Tell whether the page is whole, and newer than the graded notebook and than every mark."""
    chapter, student = of
    page = page_of(course, chapter, student)
    return is_whole(page) and page.stat().st_mtime_ns > max(
        graded.stat().st_mtime_ns, _marked(course)
    )


def page_of(course: Course, chapter: str, student: str) -> Path:
    """Return the path of a student's page; it may not exist."""
    folder = course.folder(course.directory.feedback_directory, chapter, student)
    return folder / f"{chapter}.html"


def is_whole(page: Path) -> bool:
    """Tell whether the page is there and was written to its end."""
    return page.is_file() and page.read_bytes().rstrip().endswith(END)


def _marked(course: Course) -> float:
    """Say when a mark was changed last, in nanoseconds; only a gradebook in a file can tell."""
    url = make_url(course.directory.db_url)
    return Path(url.database or "").stat().st_mtime_ns if url.drivername == "sqlite" else inf
