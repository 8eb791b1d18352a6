"""Look for work again and again, and see each hand-in through until its student has a card."""

import os
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from autograder.arrivals.allowance import Allowance
from autograder.arrivals.giving_back import give_back
from autograder.arrivals.hand_in_folders import HandInFolders
from autograder.arrivals.inbox import Inbox, Work
from autograder.arrivals.secrecy import Phases, Secrecy
from autograder.arrivals.warm_grading import Grading, Outcome
from autograder.arrivals.warm_workers import Warm
from autograder.common.errors import CourseError
from autograder.common.forks import fork_server
from autograder.course.course import Course
from autograder.course.group_list import FILE as GROUPS
from autograder.course.groups import sharing, spread
from autograder.course.nbgrader_errors import file_of
from autograder.grading.lock import grading
from autograder.plugins.class_feedback import writers
from autograder.showing.wording import printable

BATCH = 24  # submissions that are graded before the first of them gets its card
AGAIN = 60.0  # seconds after which a submission that got no verdict or no page is tried again


UNDECIDED = (
    "It is not known which hand-in of the group {} is the newest, so each member has their own. "
    "What to do: attn grade {}"
)


@dataclass(frozen=True)
class Card:
    """A student's page of feedback that was given back.

    points: of how many; None where only the page was missing. final: the secret cases were tried.
    seconds: since the hand-in was noticed.
    """

    student: str
    chapter: str
    points: tuple[float, float] | None
    final: bool
    seconds: float


@dataclass(frozen=True)
class Trouble:
    """Something that a person should know: about a student's work; student: "" for all of them."""

    student: str
    chapter: str
    sentence: str


class Watch:
    """Watches some chapters of a course. Use it as a context manager.

    final: try the secret cases before the due date, too. per_hour: cards for each student.
    """

    def __init__(
        self, course: Course, chapters: Collection[str], *, final: bool, per_hour: int,
        confined: bool,
    ):  # fmt: skip
        self.course, self.chapters, self._final = course, [*chapters], final
        self.inbox = Inbox(course, chapters)
        self._folders = HandInFolders(course, chapters)
        self._secret = Grading(course, course.seed(None), confined, chapters)
        self._public = Grading(course, None, confined, chapters)
        self._writers = Warm(writers)
        self._allowances = {
            chapter: Allowance(course.journal(chapter).with_suffix(".cards.jsonl"), per_hour)
            for chapter in chapters
        }
        self._waiting: dict[Work, float] = {}  # since when
        self._not_before: dict[Work, float] = {}
        self._to_share = {*chapters}  # whose groups' work may not be in all folders
        self._groups_at = 0
        self._quiet: set[Work] = set()  # what was seen before its student's due date
        self._due: set[Work] = set()  # of these, what is graded because that date has passed
        self._secrecies: dict[str, Secrecy] = {}
        self._read_at = 0
        self._opened = ExitStack()

    def __enter__(self) -> "Watch":
        fork_server(__name__)  # it loads what all processes need, so each of them starts at once
        for workers in (self._secret.workers, self._public.workers, self._writers):
            self._opened.enter_context(workers)
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)

    def secrecy(self, chapter: str) -> Secrecy:
        """Return until when the chapter's secret cases stay quiet, as the gradebook says now."""
        file = file_of(self.course.directory.db_url)
        now = file.stat().st_mtime_ns if file and file.exists() else time.monotonic_ns()
        if now != self._read_at:  # a gradebook on a server is read at every look
            self._read_at, self._secrecies = now, {}
        if chapter not in self._secrecies:
            self._secrecies[chapter] = Secrecy(self.course, chapter, self._final)
        return self._secrecies[chapter]

    def begin(self) -> None:
        """Start the processes that the next hand-in needs, and do not wait for it."""
        cores = len(os.sched_getaffinity(0))
        self._writers.begin(cores)
        for over in {self.secrecy(chapter).is_over("") for chapter in self.chapters}:
            (self._secret if over else self._public).workers.begin(cores)

    def look(self) -> Iterator[Card | Trouble]:
        """See through what has arrived since the last look.

        Raises OSError or CourseError for what concerns everybody; the next look goes on from there.
        """
        collected = self.inbox.collect()
        self._notice(collected)
        self._folders.note(collected)
        changed = self._folders.changed()
        self._notice(changed)
        yield from self._not_collected()
        self._note_to_share(chapter for chapter, _ in (*collected, *changed))
        for chapter in self.chapters:
            try:
                yield from self._look_at(chapter)
            except CourseError as error:  # the others need not wait until that is mended
                yield Trouble("", chapter, f"{error} Nothing is lost; it is tried again.")

    def _look_at(self, chapter: str) -> Iterator[Card | Trouble]:
        if chapter in self._to_share:
            yield from self._share(chapter)
        phases = Phases(self.secrecy(chapter), sharing(self.course, chapter).values())
        self._note_due(chapter, phases)
        yield from self._see_through(chapter, phases)

    def _note_to_share(self, chapters: Iterable[str]) -> None:
        """Where something has arrived, or anywhere if the list of groups has changed."""
        self._to_share.update(chapters)
        with suppress(FileNotFoundError):
            now = (self.course.root / GROUPS).stat().st_mtime_ns
            if now != self._groups_at:
                self._groups_at, self._to_share = now, {*self.chapters}

    def _notice(self, works: Collection[Work]) -> None:
        now = time.time()
        for work in works:
            self._waiting.setdefault(work, now)

    def _share(self, chapter: str) -> Iterator[Trouble]:
        """A group's newest hand-in is that of all its members. Tried again if it fails."""
        with grading(self.course):
            done = spread(self.course, chapter)
        self._to_share.discard(chapter)
        shared = [(chapter, student) for student in (*done.given, *done.back)]
        self._notice(shared)
        self._folders.note(shared)
        for group in done.undecided:
            yield Trouble("", chapter, UNDECIDED.format(printable(group), chapter))

    def _not_collected(self) -> Iterator[Trouble]:
        for (chapter, student), why in self.inbox.failed.items():
            yield Trouble(student, chapter, f"The hand-in could not be collected: {why}.")
        for (chapter, student), owner in self.inbox.owners.items():
            sentence = f"The hand-in belongs to the account {owner}. Did somebody else hand it in?"
            yield Trouble(student, chapter, sentence)

    def _note_due(self, chapter: str, phases: Phases) -> None:
        """What was handed in before the due date is graded when it has passed, and at once."""
        own = {work for work in self._quiet | self._waiting.keys() if work[0] == chapter}
        quiet = {work for work in own if not phases.is_over(work[1])}
        due = (self._quiet & own) - quiet
        self._quiet = self._quiet - due | quiet
        self._due |= due
        for work in due:
            self._not_before.pop(work, None)
        self._notice(due)

    def _see_through(self, chapter: str, phases: Phases) -> Iterator[Card | Trouble]:
        """Those who wait longest first, a few at a time."""
        ready = sorted(
            (since, student)
            for (of, student), since in self._waiting.items()
            if of == chapter and self._is_free(of, student)
        )
        by_phase: dict[bool, list[str]] = defaultdict(list)
        for _, student in ready[:BATCH]:
            by_phase[phases.is_over(student)].append(student)
        for final, students in by_phase.items():
            yield from self._batch(chapter, students, final)

    def _is_free(self, chapter: str, student: str) -> bool:
        """Tell whether the student may have a card now; one that could not be made waits, too."""
        work = chapter, student
        if work not in self._due and work not in self._not_before:
            self._not_before[work] = self._allowances[chapter].free_at(student)
        return self._not_before.get(work, 0.0) <= time.time()

    def _batch(self, chapter: str, students: list[str], final: bool) -> Iterator[Card | Trouble]:
        outcome = self._graded(chapter, students, final)
        for student, sentence in outcome.notes:
            yield Trouble(student, chapter, sentence)
        failed = {who: f"No verdict and no marks: {why}" for who, why in outcome.unjudged.items()}
        works = [(chapter, student) for student in outcome.marked]
        with self._writers() as executor:
            for work, why in give_back(self.course, self.inbox, works, executor, final):
                if why:
                    failed[work[1]] = f"The feedback could not be given back: {why}."
                else:
                    yield self._card(work, outcome, final)
        self._finish(chapter, {*students} - failed.keys())
        for student, sentence in failed.items():
            self._not_before[chapter, student] = time.time() + AGAIN
            yield Trouble(student, chapter, f"{sentence} It is tried again.")

    def _finish(self, chapter: str, students: Collection[str]) -> None:
        for work in ((chapter, student) for student in students):
            self._waiting.pop(work, None)
            self._not_before.pop(work, None)
            self._due.discard(work)

    def _graded(self, chapter: str, students: list[str], final: bool) -> Outcome:
        """Marks that were made with the secret cases are not replaced by provisional ones."""
        if final:
            return self._secret.grade(chapter, students)
        finished = partial(self._secret.finished, chapter, students)
        return self._public.grade(chapter, students, leave=finished)

    def _card(self, work: Work, outcome: Outcome, final: bool) -> Card:
        (chapter, student), now = work, time.time()
        if work not in self._due:
            self._allowances[chapter].spend(student, now)
        since = self._waiting.pop(work, now)
        return Card(student, chapter, outcome.points.get(student), final, now - since)

    @property
    def waiting(self) -> int:
        """How many hand-ins have no card yet."""
        return len(self._waiting)
