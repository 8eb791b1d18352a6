"""Grade a class: submissions in, autograded notebooks, gradebook and result rows out."""

import json
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager
from datetime import UTC, datetime

from nbgrader.utils import is_grade

from autograder.calls.cell import CHECK
from autograder.calls.errors import CourseError, SandboxUnavailable
from autograder.course import solutions
from autograder.course.course import Course
from autograder.grading import provenance
from autograder.grading.changes import Held
from autograder.grading.graded import Graded, fault
from autograder.grading.journal import FAULT, mended
from autograder.grading.provenance import fingerprint
from autograder.grading.results import Row
from autograder.grading.session import grade_in_session
from autograder.grading.writer import Writer
from autograder.notebooks.answers import grade_id
from autograder.notebooks.hand_in import HandIn
from autograder.showing.wording import points

Executors = Callable[[], AbstractContextManager[Executor]]
AHEAD = 8  # submissions handed out at a time: enough to keep every core busy
ATTEMPTS = 5  # to start worker processes, when nothing is graded in between
ALONE = 2  # attempts at a submission that was the only one when its worker process was killed


class ClassRun:
    """Grading one chapter of a course with one seed: what is left to do, and what comes of it.

    ahead: how many submissions are handed out at a time.
    lost: lines of the journal that could not be read; whom they were about is graded again.
    """

    def __init__(
        self, course: Course, name: str, seed: str, ahead: int = AHEAD, device: str = "cpu"
    ):
        self.course, self.name, self.ahead = course, name, ahead
        self.submissions = course.submissions(name)
        _refuse_old_release(course, name)
        self._sources = provenance.sources(course, name, device) | {"seed": provenance.seed(seed)}
        self._judged_by = json.dumps(self._sources, sort_keys=True).encode()
        self._digests: dict[str, str | None] = {}
        self._marks: dict[str, str] = {}
        for student in self.submissions:
            self._read(student)
        self.journal, self.lost = mended(course.journal(name))
        waiting = course.journal(name).with_suffix(".held.jsonl")
        self.held = Held(waiting, self.journal, self._marks)
        self.unjudged: dict[str, list[Row]] = {}
        self._suspects: set[str] = set()  # each may be what its worker process was killed for
        self._attempts: dict[str, int] = {}
        self._refused = 0  # submissions in a row for which no sandbox started

    def grade(self, executors: Executors, force: bool = False) -> Iterator[list[Row]]:
        """Grade what is new or changed; yields each student's rows as they are done.

        A submission without a verdict (infrastructure) is reported, and neither written nor
        remembered, so that the next run grades it again. One that takes long is put off until
        all others are done, so that it keeps nobody waiting. One whose marks differ from earlier
        ones is held back: `held.changes()` says who and by how much, `write_held` writes them.
        """
        if force:
            self.held.clear()
        writer = self._writer()
        todo = [s for s in self.submissions if force or not self._finished(s, writer)]
        for student in self.submissions.keys() - set(todo):
            yield self.journal.entry(student)["rows"]
        with writer:
            yield from self._grade(executors, dict.fromkeys(todo), writer)
        self._report_refused(writer)

    def write_held(self) -> None:
        """Write the marks that differ from earlier ones, once they have been announced."""
        with self._writer() as writer:
            for graded, entry in self.held:
                writer.take(graded, entry)
        self._report_refused(writer)
        if not writer.refused:
            self.held.clear()

    def rows(self) -> Iterator[list[Row]]:
        """The rows of every student who has a verdict or a fault, sorted by student."""
        for student in sorted(self.submissions):
            if student in self.unjudged:
                yield self.unjudged[student]
            elif student in self.journal:
                yield self.journal.entry(student)["rows"]

    def notes(self) -> Iterator[tuple[str, str]]:
        """Student and sentence: what the teacher should know of how a notebook was read."""
        for student in filter(self.journal.__contains__, sorted(self.submissions)):
            for note in self.journal.entry(student)["notes"]:
                yield student, note

    def _grade(
        self, executors: Executors, left: dict[str, None], writer: Writer
    ) -> Iterator[list[Row]]:
        """Grade those in `left`; where worker processes are killed, with new ones."""
        fruitless = 0
        while left:
            before = len(left)
            with executors() as executor:
                for graded in self._outcomes(executor, left):
                    yield self._taken(graded, writer)
            fruitless = fruitless + 1 if len(left) == before else 0
            if fruitless == ATTEMPTS:
                yield from self._give_up(left, writer)

    def _give_up(self, left: dict[str, None], writer: Writer) -> Iterator[list[Row]]:
        for student in list(left):
            del left[student]
            error = BrokenExecutor("its worker processes end as they start")
            yield self._taken(self._fault(student, error), writer)

    def _taken(self, graded: Graded, writer: Writer) -> list[Row]:
        """The rows of a submission, which is written or held if it has a verdict."""
        entry = self._entry(graded)
        if not graded.notebook:
            self._unjudged(graded)
        elif not self.held.take(graded, entry):
            writer.take(graded, entry)
        return graded.rows

    def _unjudged(self, graded: Graded) -> None:
        self.journal.add([self._entry(graded) | {FAULT: graded.fault}])
        self.unjudged[graded.student] = graded.rows

    def _entry(self, graded: Graded) -> Row:
        """What the journal keeps of a submission."""
        student = graded.student
        record = {"graded": datetime.now(UTC).isoformat(timespec="seconds"),
                  "submission": self._digests[student], **self._sources,
                  "environment": graded.environment}  # fmt: skip
        return {"student": student, "fingerprint": self._marks[student], "rows": graded.rows,
                "notes": graded.notes, "record": record}  # fmt: skip

    def _outcomes(self, executor: Executor, left: dict[str, None]) -> Iterator[Graded]:
        """What becomes of the submissions in `left`, which are taken from it as they finish.

        At first each is given little time. Whoever needs more comes last. Before all others, and
        alone, comes whoever was being graded when a worker process was killed.
        """
        running: dict[Future[Graded], str] = {}
        suspects = [(student, False) for student in left if student in self._suspects]
        waiting = deque([*suspects, *((s, True) for s in left if s not in self._suspects)])
        try:
            while waiting or running:
                while waiting and len(running) < (1 if self._suspects else self.ahead):
                    student, hurry = waiting.popleft()
                    work = executor.submit(grade_in_session, student, self._read(student), hurry)
                    running[work] = student
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    graded = self._outcome(running[done], done)
                    student = running.pop(done)
                    self._suspects.discard(student)
                    if graded.slow:
                        waiting.append((student, False))
                    else:
                        del left[student]
                        yield graded
        except BrokenExecutor as error:
            yield from self._killed(list(running.values()), left, error)

    def _outcome(self, student: str, done: Future[Graded]) -> Graded:
        """The result; a fault of ours costs no other student anything."""
        try:
            graded = done.result()
            self._refused = 0
            return graded
        except BrokenExecutor:
            raise
        except Exception as error:
            self._refused += isinstance(error, SandboxUnavailable)
            if self._refused == ATTEMPTS:
                raise
            return self._fault(student, error)

    def _killed(
        self, running: list[str], left: dict[str, None], error: BrokenExecutor
    ) -> Iterator[Graded]:
        """A worker process was killed. It may be one of these submissions that it dies of."""
        self._suspects.update(running)
        for student in running if len(running) == 1 else ():
            self._attempts[student] = self._attempts.get(student, 0) + 1
            if self._attempts[student] == ALONE:
                self._suspects.discard(student)
                del left[student]
                yield self._fault(student, error)

    def _fault(self, student: str, error: BaseException, *what: str) -> Graded:
        return fault(student, solutions.load(self.course.root, self.name), error, *what)

    def _writer(self) -> Writer:
        return Writer(self.course, self.name, self.journal, self.submissions)

    def _report_refused(self, writer: Writer) -> None:
        for student, why in writer.refused.items():
            self._unjudged(self._fault(student, why, "The gradebook refuses"))

    def _read(self, student: str) -> HandIn:
        """What the student has handed in by now. All that the journal says of it is about this."""
        handed_in = HandIn.at(self.submissions[student])
        self._digests[student] = handed_in.digest
        self._marks[student] = fingerprint(handed_in.mark, self._judged_by)
        return handed_in

    def _finished(self, student: str, writer: Writer) -> bool:
        done = self.journal.finished(student, self._marks[student])
        return student in self.held or (done and writer.target(student).exists())


def _refuse_old_release(course: Course, name: str) -> None:
    """Points are the exercise's; learners, the gradebook and feedback have those of the release."""
    cells = course.released(name).cells
    released = {
        grade_id(cell): cell.metadata.nbgrader.get("points") for cell in filter(is_grade, cells)
    }
    for exercise in solutions.load(course.root, name).exercises.values():
        given = released.get(f"{CHECK}{exercise.name}")
        if given != exercise.points:
            raise CourseError(
                f"{exercise.name} is worth {points(exercise.points)}, but {given or 0:g} in the "
                f"released notebook. Release it again: attn release {name}"
            )
