"""Grade a class: submissions in, autograded notebooks, gradebook and result rows out."""

import inspect
import json
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        spliced, missing = notebooks.splice(self.released, submitted)
        found = self.grader.grade(notebooks.cells_to_run(spliced))
        for name in missing & found.keys():
            sentence = f"The cell for {name} is not in the notebook any more."
            found[name] = stopped(self.grader.checks[name], MISSING, sentence)
        return self._graded(student, found, spliced)

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
        max_workers=max(1, len(_cores())),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_open_session,
        initargs=(root, name, seed, confined),
    )
    with pool:
        yield pool


def grade_class(
    course: Course, name: str, seed: str, executor: Executor, force: bool = False
) -> Iterator[list[Row]]:
    """Grade what is new or changed; yields each student's rows as they are done.

    A submission without a verdict (infrastructure) is reported, and neither written nor
    remembered, so that the next run grades it again.
    """
    submissions = course.submissions(name)
    journal = Journal(course.root / ".attn" / f"{name}.jsonl")
    marks = {student: _mark(course, name, path, seed) for student, path in submissions.items()}
    todo = [s for s in submissions if force or not _done(course, name, journal, s, marks[s])]
    for student in submissions.keys() - set(todo):
        yield journal.entries[student]["rows"]
    futures = [executor.submit(_grade_in_session, s, submissions[s]) for s in todo]
    with Marks(course, name) as gradebook:
        for done in as_completed(futures):
            yield _finish(course, name, gradebook, journal, marks, done)


def _finish(
    course: Course, name: str, gradebook: Marks, journal: Journal, marks: dict[str, str],
    done: Future[Graded],
) -> list[Row]:  # fmt: skip
    graded = done.result()
    found = rows(graded.student, name, graded.verdicts)
    if any(row["verdict"] == INFRASTRUCTURE for row in found):
        return found
    source = course.folder(course.directory.submitted_directory, name, graded.student)
    target = course.folder(course.directory.autograded_directory, name, graded.student)
    _write_notebook(target / f"{name}.ipynb", graded.notebook)
    timestamp = course.directory.get_existing_timestamp(str(source))
    gradebook.write(graded.student, timestamp, graded.notebook)
    journal.add(graded.student, marks[graded.student], found)
    return found


def _write_notebook(path: Path, notebook: NotebookNode) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(nbformat.writes(notebook) + "\n")
    fresh.replace(path)  # also where nbgrader left a read-only file


def _done(course: Course, name: str, journal: Journal, student: str, mark: str) -> bool:
    target = course.folder(course.directory.autograded_directory, name, student)
    return journal.finished(student, mark) and (target / f"{name}.ipynb").exists()


def _mark(course: Course, name: str, path: Path, seed: str) -> str:
    """A digest of the submission and of all that judges it."""
    folder = chapters.load(course.root, name).folder
    sources = [*sorted(folder.glob("*.py")), folder / f"{name}.md", *_engine()]
    content = path.read_bytes() if path.is_file() else b""
    return fingerprint(content, seed.encode(), *(item.read_bytes() for item in sources))


def _engine() -> list[Path]:
    return sorted(Path(inspect.getfile(inspect.currentframe() or _engine)).parent.glob("*.py"))


def _cores() -> Any:
    import os

    return os.sched_getaffinity(0)


def write_results(path: Path, found: list[Row]) -> None:
    """One JSON object per line, sorted by student, exercises in the notebook's order."""
    ordered = sorted(found, key=lambda row: row["student"])
    path.write_text("".join(json.dumps(row) + "\n" for row in ordered))
