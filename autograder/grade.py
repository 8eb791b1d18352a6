"""Grade a class: submissions in, autograded notebooks, gradebook and result rows out."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from functools import cached_property
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder import chapter as chapters
from autograder import notebook as notebooks
from autograder.bubblewrap import SandboxUnavailable
from autograder.course import Course
from autograder.gradebook import Entry, Marks
from autograder.judge import INFRASTRUCTURE
from autograder.results import Journal, Row, fingerprint
from autograder.session import Graded, grade_in_session

Executors = Callable[[], AbstractContextManager[Executor]]
AHEAD = 8  # submissions handed out at a time: enough to keep every worker busy
BATCH, BATCH_SECONDS = 64, 0.5  # submissions in one transaction, and how late it is at most
ATTEMPTS = 5  # at a submission whose worker process was killed


class ClassRun:
    """Grading one chapter of a course with one seed: what is left to do, and what comes of it."""

    def __init__(self, course: Course, name: str, seed: str):
        self.course, self.name = course, name
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
        todo = [s for s in marks if force or not self._finished(s, marks[s])]
        for student in marks.keys() - set(todo):
            yield self.journal.entry(student)["rows"]
        with _Writer(self, marks) as writer:
            yield from self._grade(executors, dict.fromkeys(todo), writer)

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
        self, executors: Executors, left: dict[str, None], writer: "_Writer"
    ) -> Iterator[list[Row]]:
        """Grade those in `left`; where worker processes are killed, with new ones."""
        fruitless = 0
        while left:
            before = len(left)
            with executors() as executor:
                for graded in self._outcomes(executor, left):
                    writer.take(graded)
                    yield graded.rows
            fruitless = fruitless + 1 if len(left) == before else 0
            if fruitless == ATTEMPTS:
                yield from self._give_up(left, writer)

    def _give_up(self, left: dict[str, None], writer: "_Writer") -> Iterator[list[Row]]:
        for student in list(left):
            del left[student]
            writer.take(graded := self.fault(student, "Its worker processes end as they start."))
            yield graded.rows

    def _outcomes(self, executor: Executor, left: dict[str, None]) -> Iterator[Graded]:
        """What becomes of the submissions in `left`, which are taken from it as they finish.

        At first each is given little time. Whoever needs more comes last.
        """
        running: dict[Future[Graded], str] = {}
        waiting = deque((student, True) for student in left)
        try:
            while waiting or running:
                while waiting and len(running) < AHEAD:
                    student, hurry = waiting.popleft()
                    path = self.submissions[student]
                    running[executor.submit(grade_in_session, student, path, hurry)] = student
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
        return fingerprint(_content(path), self._judged_by)

    def _finished(self, student: str, mark: str) -> bool:
        written = (self.folder("autograded", student) / f"{self.name}.ipynb").exists()
        return written and self.journal.finished(student, mark)

    def submitted(self, student: str) -> datetime | None:
        """The time in timestamp.txt; None where there is none that can be read.

        Not read by nbgrader, which follows links, waits for pipes, and ends the program for a
        date that it does not understand.
        """
        try:
            text = notebooks.content(self.submissions[student].parent / "timestamp.txt").decode()
            found: datetime | None = parse_utc(text.strip())
        except Exception:
            return None
        return found

    def folder(self, step: str, student: str) -> Path:
        """The student's folder of the chapter in a step such as "autograded"."""
        configured = getattr(self.course.directory, f"{step}_directory")
        return self.course.folder(configured, self.name, student)


class _Writer:
    """The one that writes: notebooks at once, marks in batches, the journal after the marks."""

    def __init__(self, run: ClassRun, marks: dict[str, str]):
        self.run, self.marks = run, marks
        self._batch: list[Graded] = []
        self._due = time.monotonic() + BATCH_SECONDS
        self._open = ExitStack()

    def __enter__(self) -> "_Writer":
        return self

    def __exit__(self, *_: object) -> None:
        with self._open:
            self.flush()  # also what was finished when Ctrl-C came

    @cached_property
    def gradebook(self) -> Marks:
        """Opened when the first marks are there, while the worker processes go on."""
        return self._open.enter_context(Marks(self.run.course, self.run.name))

    def take(self, graded: Graded) -> None:
        """Write one submission, its marks a little later; without a verdict only report it."""
        if not graded.notebook:
            self.run.unjudged[graded.student] = graded.rows
            return
        target = self.run.folder("autograded", graded.student)
        _write_notebook(target / f"{self.run.name}.ipynb", graded.notebook)
        self._batch.append(graded)
        if len(self._batch) >= BATCH or time.monotonic() > self._due:
            self.flush()

    def flush(self) -> None:
        """One transaction for all that is waiting, then their lines in the journal."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        try:
            self._commit(batch)
        except Exception:  # of one of them: find out which
            for graded in batch:
                self._commit_alone(graded)
        self._due = time.monotonic() + BATCH_SECONDS

    def _commit(self, batch: list[Graded]) -> None:
        self.gradebook.write([
            Entry(item.student, self.run.submitted(item.student), item.scores, item.comments)
            for item in batch
        ])  # fmt: skip
        self.run.journal.add([
            {"student": item.student, "fingerprint": self.marks[item.student], "rows": item.rows,
             "notes": item.notes}
            for item in batch
        ])  # fmt: skip

    def _commit_alone(self, graded: Graded) -> None:
        try:
            self._commit([graded])
        except Exception as error:
            why = f"The gradebook refuses: {type(error).__name__}: {error}."
            self.run.unjudged[graded.student] = self.run.fault(graded.student, why).rows


def _write_notebook(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)  # also where nbgrader left a read-only file


def _content(path: Path) -> bytes:
    try:
        return notebooks.content(path)
    except notebooks.NotebookError as error:
        return str(error).encode()


def _judged_by(course: Course, name: str, seed: str) -> bytes:
    """A digest of all that decides about a submission: exercises, engine and seed."""
    folder = chapters.load(course.root, name).folder
    engine = sorted(Path(__file__).parent.glob("*.py"))
    sources = [*sorted(folder.glob("*.py")), folder / f"{name}.md", *engine]
    return fingerprint(seed.encode(), *(path.read_bytes() for path in sources)).encode()
