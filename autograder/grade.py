"""Grade a class: submissions in, autograded notebooks, gradebook and result rows out."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager
from pathlib import Path

from autograder import chapter as chapters
from autograder import notebook as notebooks
from autograder.course import Course
from autograder.errors import CourseError, SandboxUnavailable
from autograder.judge import INFRASTRUCTURE
from autograder.results import Journal, Row, fingerprint
from autograder.session import Graded, grade_in_session
from autograder.versions import engine, exercises
from autograder.writer import Writer

Executors = Callable[[], AbstractContextManager[Executor]]
AHEAD = 8  # submissions handed out at a time: enough to keep every core busy
ATTEMPTS = 5  # at a submission whose worker process was killed


class ClassRun:
    """Grading one chapter of a course with one seed: what is left to do, and what comes of it.

    ahead: how many submissions are handed out at a time.
    """

    def __init__(self, course: Course, name: str, seed: str, ahead: int = AHEAD):
        self.course, self.name, self.ahead = course, name, ahead
        self.submissions = course.submissions(name)
        self.journal = Journal(course.root / ".attn" / f"{name}.jsonl")
        self.unjudged: dict[str, list[Row]] = {}
        self._judged_by = _judged_by(course, name, seed)
        self._attempts: dict[str, int] = {}
        self._refused = 0  # submissions in a row for which no sandbox started

    def grade(self, executors: Executors, force: bool = False) -> Iterator[list[Row]]:
        """Grade what is new or changed; yields each student's rows as they are done.

        A submission without a verdict (infrastructure) is reported, and neither written nor
        remembered, so that the next run grades it again. One that takes long is put off until
        all others are done, so that it keeps nobody waiting.
        """
        marks = {student: self._mark(path) for student, path in self.submissions.items()}
        writer = Writer(self.course, self.name, self.journal, self.submissions, marks)
        todo = [s for s in marks if force or not self._finished(s, marks[s], writer)]
        for student in marks.keys() - set(todo):
            yield self.journal.entry(student)["rows"]
        with writer:
            yield from self._grade(executors, dict.fromkeys(todo), writer)
        for student, why in writer.refused.items():
            self.unjudged[student] = self.fault(student, f"The gradebook refuses: {why}").rows

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
            fault = self.fault(student, "Its worker processes end as they start.")
            yield self._taken(fault, writer)

    def _taken(self, graded: Graded, writer: Writer) -> list[Row]:
        """The rows of a submission, which is written if it has a verdict."""
        if graded.notebook:
            writer.take(graded)
        else:
            self.unjudged[graded.student] = graded.rows
        return graded.rows

    def _outcomes(self, executor: Executor, left: dict[str, None]) -> Iterator[Graded]:
        """What becomes of the submissions in `left`, which are taken from it as they finish.

        At first each is given little time. Whoever needs more comes last.
        """
        running: dict[Future[Graded], str] = {}
        waiting = deque((student, True) for student in left)
        try:
            while waiting or running:
                while waiting and len(running) < self.ahead:
                    student, hurry = waiting.popleft()
                    handed_in = notebooks.HandIn.at(self.submissions[student])
                    running[executor.submit(grade_in_session, student, handed_in, hurry)] = student
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    graded = self._outcome(running[done], done)
                    student = running.pop(done)
                    if graded.slow:
                        waiting.append((student, False))
                    else:
                        del left[student]
                        yield graded
        except BrokenExecutor:
            yield from self._killed(list(running.values()), left)

    def _outcome(self, student: str, done: Future[Graded]) -> Graded:
        """The result; a fault of ours costs no other student anything."""
        try:
            graded = done.result()
            self._refused = 0
            return graded
        except BrokenExecutor:
            raise
        except CourseError as error:
            return self.fault(student, str(error))
        except Exception as error:
            self._refused += isinstance(error, SandboxUnavailable)
            if self._refused == ATTEMPTS:
                raise
            return self.fault(student, f"{type(error).__name__}: {error}.")

    def _killed(self, running: list[str], left: dict[str, None]) -> Iterator[Graded]:
        """A worker process was killed. It may be one of these submissions that it dies of."""
        for student in running:
            self._attempts[student] = self._attempts.get(student, 0) + 1
            if self._attempts[student] == ATTEMPTS:
                del left[student]
                yield self.fault(student, "Its worker process was killed too often.")

    def fault(self, student: str, why: str) -> Graded:
        """No verdict, and why."""
        exercises = chapters.load(self.course.root, self.name).exercises.values()
        return Graded(student, [
            {"student": student, "chapter": self.name, "exercise": exercise.name,
             "points": None, "max_points": exercise.points, "verdict": INFRASTRUCTURE,
             "misconception": None, "message": f"The grader failed. {why}"}
            for exercise in exercises
        ])  # fmt: skip

    def _mark(self, path: Path) -> str:
        return fingerprint(notebooks.HandIn.at(path).mark, self._judged_by)

    def _finished(self, student: str, mark: str, writer: Writer) -> bool:
        return writer.target(student).exists() and self.journal.finished(student, mark)


def _judged_by(course: Course, name: str, seed: str) -> bytes:
    """A digest of all that decides about a submission: exercises, engine and seed."""
    decides = exercises(course.root, name), engine(), seed
    return fingerprint(*(part.encode() for part in decides)).encode()
