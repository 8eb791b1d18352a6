"""A few submissions of one chapter are graded and their marks written, with all or public cases."""

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field

from autograder.arrivals.warm_workers import Warm
from autograder.course.course import Course
from autograder.grading.class_run import ClassRun
from autograder.grading.lock import grading
from autograder.grading.provenance import Sources, sources
from autograder.grading.session import local_executor

CHANGED = (
    "The same work would get other marks than before, since the chapter or the grader has changed; "
    "they were not written. To see and write them: attn grade {}"
)


@dataclass
class Outcome:
    """What became of a batch: who has marks now, and why others have none.

    points: of those who were graded just now, and of how many. notes: student and sentence, for
    the teacher.
    """

    marked: list[str] = field(default_factory=list)
    points: dict[str, tuple[float, float]] = field(default_factory=dict)
    unjudged: dict[str, str] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)


class Grading:
    """Grades with one seed, None for the public cases alone, in processes that stay."""

    def __init__(self, course: Course, seed: str | None, confined: bool, chapters: Collection[str]):
        self._course, self._seed = course, seed
        self._confined, self._chapters = confined, chapters
        self._read: dict[str, Sources] = {}  # what the worker processes have read, by chapter
        self.workers = Warm(self._executor)

    @contextmanager
    def _executor(self) -> Iterator[Executor]:
        self._read = {chapter: sources(self._course, chapter) for chapter in self._chapters}
        with local_executor(
            self._course.root, self._seed, self._confined, chapters=self._chapters
        ) as executor:
            yield executor

    def finished(self, chapter: str, students: Collection[str]) -> set[str]:
        """Name who has marks of this very work with these cases."""
        return self._run(chapter, students).finished()

    def grade(
        self, chapter: str, students: Collection[str],
        leave: Callable[[], Collection[str]] = frozenset,
    ) -> Outcome:  # fmt: skip
        """Grade what is new or changed, and write its marks.

        leave: returns who is left as they are; called while nobody else grades.
        """
        with grading(self._course):
            run = self._run(chapter, {*students} - {*leave()})
            self._renew_where_changed(run)
            new = {*run.chosen} - run.finished()
            for _ in run.grade(self.workers):
                pass
            unread = run.note_dates().unread
            run.write_held(of_the_same_work=False)
            run.charge(run.penalties())
        outcome = _outcome(run, new)
        outcome.notes += [note for note in unread.items() if note[0] in new]
        return outcome

    def _run(self, chapter: str, students: Collection[str]) -> ClassRun:
        found = {who: self._course.notebook(chapter, who) for who in sorted(students)}
        there = {who: notebook for who, notebook in found.items() if notebook}
        return ClassRun(self._course, chapter, self._seed, found=there)

    def _renew_where_changed(self, run: ClassRun) -> None:
        """A worker process keeps the chapters that it has read."""
        if self._read.get(run.name, run.sources) != run.sources:
            self.workers.outdated()


def _outcome(run: ClassRun, new: Collection[str]) -> Outcome:
    outcome = Outcome(notes=[note for note in run.notes() if note[0] in new])
    for student in run.chosen:
        if student in run.held:
            outcome.notes.append((student, CHANGED.format(run.name)))
            continue
        if student in run.unjudged:
            rows = run.unjudged[student]
            outcome.unjudged[student] = next(
                (r["message"] for r in rows if r["points"] is None), ""
            )
            continue
        outcome.marked.append(student)
        if student in new:
            rows = run.journal.entry(student)["rows"]
            points = sum(row["points"] or 0.0 for row in rows)
            outcome.points[student] = points, sum(row["max_points"] for row in rows)
    return outcome
