"""Grade a class: submissions in, autograded notebooks, gradebook and result rows out."""

import json
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder import chapter as chapters
from autograder import notebook as notebooks
from autograder.course import Course
from autograder.gradebook import Marks
from autograder.grader import Grader
from autograder.judge import INFRASTRUCTURE, MISSING, Verdict, stopped
from autograder.outputs import write_outputs
from autograder.results import Journal, Row, fingerprint, rows
from autograder.sandbox import Sandbox


@dataclass(frozen=True)
class Graded:
    """One submission's verdicts and its notebook with their cards, ready to be written."""

    student: str
    verdicts: dict[str, Verdict]
    notebook: NotebookNode


class Session:
    """What one worker process keeps between submissions: the chapter, its checks, a sandbox."""

    def __init__(self, root: Path, name: str, seed: str | None, confined: bool):
        self.course = Course(root)
        self.released = self.course.released(name)
        self.sandbox = Sandbox(confined)
        self.grader = Grader(chapters.load(root, name), seed, self.sandbox)

    def grade(self, student: str, path: Path) -> Graded:
        """Grade the notebook at `path`, whatever it turns out to be."""
        try:
            submitted = notebooks.read(path)
        except notebooks.NotebookError as error:
            checks = self.grader.checks
            found = {name: stopped(item, MISSING, str(error)) for name, item in checks.items()}
            return self._graded(student, found, self.released)
        spliced = notebooks.splice(self.released, submitted)
        return self._graded(student, self.grader.grade_notebook(spliced), spliced)

    def _graded(self, student: str, found: dict[str, Verdict], notebook: NotebookNode) -> Graded:
        if all(verdict.kind != INFRASTRUCTURE for verdict in found.values()):
            write_outputs(notebook, found)
        return Graded(student, found, notebook)


_session: Session | None = None


def _open_session(root: Path, name: str, seed: str, confined: bool) -> None:
    global _session
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
    with pool:
        yield pool


class ClassRun:
    """Grading one chapter of a course with one seed: what is left to do, and what comes of it."""

    def __init__(self, course: Course, name: str, seed: str):
        self.course, self.name = course, name
        self.submissions = course.submissions(name)
        self.journal = Journal(course.root / ".attn" / f"{name}.jsonl")
        judged_by = _judged_by(course, name, seed)
        self.marks = {
            student: fingerprint(path.read_bytes() if path.is_file() else b"", judged_by)
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
        futures = [executor.submit(_grade_in_session, s, self.submissions[s]) for s in todo]
        with Marks(self.course, self.name) as gradebook:
            for done in as_completed(futures):
                yield self._finish(done.result(), gradebook)

    def _finished(self, student: str) -> bool:
        written = (self._folder("autograded", student) / f"{self.name}.ipynb").exists()
        return written and self.journal.finished(student, self.marks[student])

    def _finish(self, graded: Graded, gradebook: Marks) -> list[Row]:
        found = rows(graded.student, self.name, graded.verdicts)
        if any(row["verdict"] == INFRASTRUCTURE for row in found):
            return found
        source = self._folder("submitted", graded.student)
        target = self._folder("autograded", graded.student)
        timestamp = self.course.directory.get_existing_timestamp(str(source))
        _write_notebook(target / f"{self.name}.ipynb", graded.notebook)
        gradebook.write(graded.student, timestamp, graded.notebook)
        self.journal.add(graded.student, self.marks[graded.student], found)
        return found

    def _folder(self, step: str, student: str) -> Path:
        configured = getattr(self.course.directory, f"{step}_directory")
        return self.course.folder(configured, self.name, student)


def _write_notebook(path: Path, notebook: NotebookNode) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(nbformat.writes(notebook) + "\n")
    fresh.replace(path)  # also where nbgrader left a read-only file


def _judged_by(course: Course, name: str, seed: str) -> bytes:
    """A digest of all that decides about a submission: exercises, engine and seed."""
    folder = chapters.load(course.root, name).folder
    engine = sorted(Path(__file__).parent.glob("*.py"))
    sources = [*sorted(folder.glob("*.py")), folder / f"{name}.md", *engine]
    return fingerprint(seed.encode(), *(path.read_bytes() for path in sources)).encode()


def write_results(path: Path, found: list[Row]) -> None:
    """One JSON object per line, sorted by student, exercises in the notebook's order."""
    ordered = sorted(found, key=lambda row: row["student"])
    path.write_text("".join(json.dumps(row) + "\n" for row in ordered))


def unjudged(found: list[Row]) -> list[str]:
    """The students whose submission got no verdict because the grader itself failed."""
    return sorted({row["student"] for row in found if row["verdict"] == INFRASTRUCTURE})
