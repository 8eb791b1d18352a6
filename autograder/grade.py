"""Grade a class: submissions in, autograded notebooks, gradebook and result rows out."""

import copy
import json
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder import chapter as chapters
from autograder import notebook as notebooks
from autograder.bubblewrap import SandboxUnavailable
from autograder.course import Course
from autograder.gradebook import Marks
from autograder.grader import Grader
from autograder.judge import CRASHED, INFRASTRUCTURE, MISSING, Verdict, stopped
from autograder.outputs import write_outputs
from autograder.results import Journal, Row, fingerprint, rows
from autograder.sandbox import Sandbox


@dataclass(frozen=True)
class Graded:
    """One submission's rows and the text of its notebook with their cards; "" without a verdict."""

    student: str
    rows: list[Row]
    notebook: str


class Session:
    """What one worker process keeps between submissions: the chapter, its checks, a sandbox."""

    def __init__(self, root: Path, name: str, seed: str | None, confined: bool):
        self.name = name
        self.released = Course(root).released(name)
        self.sandbox = Sandbox(confined)
        self.grader = Grader(chapters.load(root, name), seed, self.sandbox)

    def grade(self, student: str, path: Path) -> Graded:
        """Grade the notebook at `path`, whatever it turns out to be."""
        try:
            spliced = notebooks.splice(self.released, notebooks.read(path))
        except notebooks.NotebookError as error:
            return self._all(student, MISSING, str(error))
        try:
            return self._graded(student, self.grader.grade_notebook(spliced), spliced)
        except SandboxUnavailable:
            raise
        except Exception:  # whatever a submission provokes in the judge costs itself only
            return self._all(student, CRASHED, "It could not be judged.")

    def _all(self, student: str, kind: str, sentence: str) -> Graded:
        """One verdict for every exercise, on the released notebook."""
        checks = self.grader.checks
        found = {name: stopped(item, kind, sentence) for name, item in checks.items()}
        return self._graded(student, found, copy.deepcopy(self.released))

    def _graded(self, student: str, found: dict[str, Verdict], notebook: NotebookNode) -> Graded:
        graded = rows(student, self.name, found)
        if any(verdict.kind == INFRASTRUCTURE for verdict in found.values()):
            return Graded(student, graded, "")
        write_outputs(notebook, found)
        return Graded(student, graded, nbformat.writes(notebook) + "\n")


_session: Session | None = None


def _open_session(root: Path, name: str, seed: str, confined: bool) -> None:
    global _session
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _session = Session(root, name, seed, confined)


def _grade_in_session(student: str, path: Path) -> Graded:
    assert _session is not None
    return _session.grade(student, path)


@contextmanager
def local_executor(root: Path, name: str, seed: str, confined: bool) -> Iterator[Executor]:
    """A process for each core; each judges with a sandbox of its own."""
    pool = ProcessPoolExecutor(
        max_workers=len(os.sched_getaffinity(0)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_open_session,
        initargs=(root, name, seed, confined),
    )
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class ClassRun:
    """Grading one chapter of a course with one seed: what is left to do, and what comes of it."""

    def __init__(self, course: Course, name: str, seed: str):
        self.course, self.name = course, name
        self.submissions = course.submissions(name)
        self.journal = Journal(course.root / ".attn" / f"{name}.jsonl")
        judged_by = _judged_by(course, name, seed)
        self.marks = {
            student: fingerprint(_content(path), judged_by)
            for student, path in self.submissions.items()
        }

    def grade(self, executor: Executor, force: bool = False) -> Iterator[list[Row]]:
        """Grade what is new or changed; yields each student's rows as they are done.

        A submission without a verdict (infrastructure) is reported, and neither written nor
        remembered, so that the next run grades it again.
        """
        todo = [student for student in self.submissions if force or not self._finished(student)]
        for student in self.submissions.keys() - set(todo):
            yield self.journal.entries[student]["rows"]
        futures = {executor.submit(_grade_in_session, s, self.submissions[s]): s for s in todo}
        with Marks(self.course, self.name) as gradebook:
            for done in as_completed(futures):
                yield self._written(futures[done], done, gradebook)

    def _written(self, student: str, done: Future[Graded], gradebook: Marks) -> list[Row]:
        """The rows of a finished submission; a fault of ours costs no other student anything."""
        try:
            return self._finish(done.result(), gradebook)
        except SandboxUnavailable:
            raise
        except Exception as error:
            gradebook.forget()
            sentence = f"The grader failed: {type(error).__name__}: {error}."
            exercises = chapters.load(self.course.root, self.name).exercises.values()
            return [
                {"student": student, "chapter": self.name, "exercise": exercise.name,
                 "points": None, "max_points": exercise.points, "verdict": INFRASTRUCTURE,
                 "misconception": None, "message": sentence}
                for exercise in exercises
            ]  # fmt: skip

    def _finished(self, student: str) -> bool:
        written = (self._folder("autograded", student) / f"{self.name}.ipynb").exists()
        return written and self.journal.finished(student, self.marks[student])

    def _finish(self, graded: Graded, gradebook: Marks) -> list[Row]:
        if not graded.notebook:
            return graded.rows
        target = self._folder("autograded", graded.student)
        _write_notebook(target / f"{self.name}.ipynb", graded.notebook)
        notebook = nbformat.reads(graded.notebook, as_version=4)
        gradebook.write(graded.student, self._submitted(graded.student), notebook)
        self.journal.add(graded.student, self.marks[graded.student], graded.rows)
        return graded.rows

    def _submitted(self, student: str) -> datetime | None:
        """The time in timestamp.txt; None where there is none that can be read."""
        source = self._folder("submitted", student)
        try:
            found: datetime | None = self.course.directory.get_existing_timestamp(str(source))
        except (Exception, SystemExit):  # nbgrader leaves the program for a wrong date
            return None
        return found

    def _folder(self, step: str, student: str) -> Path:
        configured = getattr(self.course.directory, f"{step}_directory")
        return self.course.folder(configured, self.name, student)


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


def write_results(path: Path, found: list[Row]) -> None:
    """One JSON object per line, sorted by student, exercises in the notebook's order."""
    ordered = sorted(found, key=lambda row: row["student"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in ordered))


def unjudged(found: list[Row]) -> list[str]:
    """The students whose submission got no verdict because the grader itself failed."""
    return sorted({row["student"] for row in found if row["verdict"] == INFRASTRUCTURE})
