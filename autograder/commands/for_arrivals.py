"""A teacher can have work graded as it arrives: `attn watch`.

It imports what it uses when it runs: learners, who have the same `attn`, need not have nbgrader.
"""

import argparse
import signal
import sys
import time
from contextlib import suppress
from datetime import datetime
from threading import Event
from typing import TYPE_CHECKING, Any

from autograder.commands.options import course_of, described, positive
from autograder.common.errors import CourseError, SandboxUnavailable
from autograder.showing.wording import points, printable

if TYPE_CHECKING:
    from autograder.arrivals.watch import Card, Trouble, Watch
    from autograder.course.course import Course
    from autograder.course.roster import Roster

PER_HOUR = 6  # cards for a student, unless the teacher says otherwise
PAUSE = 0.5  # seconds between two looks when nothing arrives
SPARING = 4  # times as long as the look took, if that is more: a fifth of a core at most
BETWEEN = 0.05  # seconds between two looks while work arrives, in which others may take the lock
LONGEST_PAUSE = 60.0  # seconds, while something is wrong for everybody


def add(
    commands: Any, course: argparse.ArgumentParser, unconfined: argparse.ArgumentParser
) -> None:
    """Add the command to argparse's; the parents have the options that several share."""
    command = commands.add_parser(
        "watch", parents=[course, unconfined], **described("Grade what is handed in as it arrives.")
    )
    command.add_argument(
        "chapters", nargs="*", metavar="CHAPTER", help="which to watch (default: all released)"
    )
    command.add_argument(
        "--final", action="store_true", help="try the secret cases before the due date, too"
    )
    command.add_argument(
        "--per-hour",
        type=positive,
        default=PER_HOUR,
        metavar="N",
        help=f"cards that a student gets in an hour at most (default: {PER_HOUR})",
    )
    command.set_defaults(run=_watch)


def _watch(given: argparse.Namespace) -> int:
    from autograder.arrivals.watch import Watch
    from autograder.grading.lock import watching
    from autograder.sandbox.sandbox import Sandbox

    course = course_of(given)
    chapters = _chapters(course, given.chapters)
    Sandbox(not given.no_sandbox, "cpu").check(course.root)
    with watching(course), Watch(
        course, chapters,
        final=given.final, per_hour=given.per_hour, confined=not given.no_sandbox,
    ) as watch:  # fmt: skip
        looks = Looks(watch)
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, looks.stop)
        _tell_start(watch)
        watch.begin()
        looks.go_on()
    _say("Stopped. What has arrived since is graded at the next start.")
    return 0


def _chapters(course: "Course", named: list[str]) -> list[str]:
    """Return the chapters to watch. Raises CourseError for one that cannot be graded."""
    from autograder.chapters.solutions import all_chapters
    from autograder.grading.class_run import refuse_old_release

    released = course.root / course.directory.release_directory
    chapters = [*dict.fromkeys(named)] or [
        name for name in all_chapters(course.root) if (released / name / f"{name}.ipynb").is_file()
    ]
    if not chapters:
        raise CourseError(f"No chapter is released in {released}. Release one first: attn release")
    for chapter in chapters:
        refuse_old_release(course, chapter)
    return chapters


def _tell_start(watch: "Watch") -> None:
    from autograder.course.dates import in_words

    places = [str(watch.course.root / watch.course.directory.submitted_directory)]
    places += [str(watch.inbox.folder)] if watch.inbox.folder else []
    _say(f"Watching {' and '.join(places)}. Ctrl-C stops it.")
    for chapter in watch.chapters:
        secrecy = watch.secrecy(chapter)
        if secrecy.final:
            _say(f"{chapter}: all cases are tried.")
        elif secrecy.due:
            _say(f"{chapter}: the secret cases are tried from {in_words(secrecy.due)} on.")
        else:
            _say(f"{chapter}: only the public cases are tried, since it has no due date. To set "
                 f'one: nbgrader db assignment add {chapter} --duedate="2026-03-02 12:00 UTC"'
                 )  # fmt: skip


class Looks:
    """Looks for work until it is stopped, and prints the results; each problem is printed once."""

    def __init__(self, watch: "Watch"):
        self._watch, self._told, self._pause = watch, set[str](), PAUSE
        self._stopped = Event()

    def stop(self, *_: Any) -> None:
        """On Ctrl-C or SIGTERM: finish what is at work; the second time, end at once."""
        if self._stopped.is_set():
            raise KeyboardInterrupt
        self._stopped.set()

    def go_on(self) -> None:
        """Look until it is stopped. What is wrong with a disk, say, may be mended meanwhile."""
        while not self._stopped.is_set():
            began = time.monotonic()
            try:
                busy = self._look()
                idle = max(PAUSE, SPARING * (time.monotonic() - began))
                self._pause = BETWEEN if busy else idle
            except (OSError, CourseError, SandboxUnavailable) as error:
                self._pause = min(max(PAUSE, 2 * self._pause), LONGEST_PAUSE)
                self._complain(f"{_sentence(error)} Nothing is lost; it is tried again.")
            self._stopped.wait(self._pause)

    def _look(self) -> bool:
        """Look once; tell whether anything came of it, so that more may be waiting."""
        from autograder.arrivals.watch import Card
        from autograder.course.roster import roster

        known: Roster | None = None
        busy, folder = False, self._watch.inbox.folder
        for one in self._watch.look():
            known = known or roster(self._watch.course)
            if isinstance(one, Card):
                busy = True
                _say(_card(one, known, self._watch.waiting))
            else:
                self._complain(_trouble(one, known))
        if self._watch.inbox.folder != folder:
            _say(f"Watching {self._watch.inbox.folder}, too.")
        return busy

    def _complain(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            _say(sentence, sys.stderr)


def _card(card: "Card", known: "Roster", waiting: int) -> str:
    cases = "" if card.final else ", public cases"
    result = f"{card.points[0]:g} of {points(card.points[1])}{cases}" if card.points else "page"
    others = f"; {waiting} waiting" if waiting else ""
    stranger = " (not in the roster)" if known.strangers([card.student]) else ""
    who = f"{known.named(card.student)}{stranger}"
    return f"{card.chapter} {who}: {result}, given back after {card.seconds:.1f} s{others}"


def _trouble(trouble: "Trouble", known: "Roster") -> str:
    who = f" {known.named(trouble.student)}" if trouble.student else ""
    return f"{trouble.chapter}{who}: {trouble.sentence}"


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return f"{error.strerror}{f': {error.filename}' if error.filename else ''}."
    return str(error)


def _say(sentence: str, stream: Any = None) -> None:
    """Each line has the time, and is in a log at once, if there is room on its disk."""
    with suppress(OSError):
        print(f"{datetime.now():%H:%M:%S} {printable(sentence)}", file=stream, flush=True)
