"""A few submissions of one chapter are graded and their marks written, with all or public cases."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial

from autograder.arrivals.warm_workers import Warm
from autograder.course.course import Course
from autograder.grading.class_run import ClassRun
from autograder.grading.lock import grading
from autograder.grading.session import local_executor


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
        executor = partial(local_executor, course.root, seed, confined, chapters=chapters)
        self.workers = Warm(executor)
        self._sources: dict[str, bytes] = {}

    def finished(self, chapter: str, students: Collection[str]) -> set[str]:
        """Name who has marks of this very work with these cases."""
        return self._run(chapter, students).finished()

    def grade(self, chapter: str, students: Collection[str]) -> Outcome:
        """Grade what is new or changed; marks that differ from earlier ones are written, too."""
        with grading(self._course):
            run = self._run(chapter, students)
            self._renew_where_changed(run)
            new = {*run.chosen} - run.finished()
            for _ in run.grade(self.workers):
                pass
            unread = run.note_dates().unread
            run.write_held()
            run.charge(run.penalties())
        return _outcome(run, new, unread)

    def _run(self, chapter: str, students: Collection[str]) -> ClassRun:
        found = {who: self._course.notebook(chapter, who) for who in sorted(students)}
        there = {who: notebook for who, notebook in found.items() if notebook}
        return ClassRun(self._course, chapter, self._seed, found=there)

    def _renew_where_changed(self, run: ClassRun) -> None:
        """A worker process keeps the chapters that it has read."""
        if self._sources.setdefault(run.name, run.judged_by) != run.judged_by:
            self._sources = {run.name: run.judged_by}
            self.workers.outdated()


def _outcome(run: ClassRun, new: Collection[str], unread: Mapping[str, str]) -> Outcome:
    """unread: students whose date of hand-in is not understood, and how to correct it."""
    notes = [note for note in (*run.notes(), *unread.items()) if note[0] in new]
    outcome = Outcome(notes=notes)
    for rows in run.rows():
        student = rows[0]["student"]
        if student in run.unjudged:
            outcome.unjudged[student] = next(r["message"] for r in rows if r["points"] is None)
            continue
        outcome.marked.append(student)
        if student in new:
            points = sum(row["points"] or 0.0 for row in rows)
            outcome.points[student] = points, sum(row["max_points"] for row in rows)
    return outcome
