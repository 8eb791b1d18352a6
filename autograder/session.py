"""What a worker process keeps between submissions: a chapter, its checks and a sandbox."""

import json
import multiprocessing
import os
import signal
import traceback
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Thread

from nbformat import NotebookNode
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution

from autograder import chapter as chapters
from autograder import notebook as notebooks
from autograder.chapter import Chapter
from autograder.course import Course
from autograder.errors import CourseError, SandboxUnavailable
from autograder.grader import Grader, TooSlow
from autograder.judge import INFRASTRUCTURE, MISSING, SENTENCE, Verdict, stopped
from autograder.notebook import HandIn
from autograder.observation import clean
from autograder.outputs import write_outputs
from autograder.provenance import environment
from autograder.results import Row, rows
from autograder.sandbox import Sandbox
from autograder.watchdog import OutOfTime, end_with_parent, processor_limit


@dataclass(frozen=True)
class Graded:
    """What became of one submission.

    rows: one for each exercise. notebook: with the cards as outputs; "" where there is no verdict.
    scores, comments: of nbgrader's cells by grade_id; None where a person is to give the score.
    notes: what the teacher should know of how the notebook was read.
    environment: versions of what it was graded with.
    slow: it was given little time, needs more, and has no rows yet.
    fault: why there is no verdict, with the traceback of an error of ours.
    """

    student: str
    rows: list[Row] = field(default_factory=list)
    notebook: str = ""
    scores: dict[str, float | None] = field(default_factory=dict)
    comments: dict[str, str | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    slow: bool = False
    fault: str = ""


class Session:
    """Grades submissions of one chapter, one after the other."""

    def __init__(
        self, root: Path, name: str, seed: str | None, confined: bool, device: str = "cpu"
    ):
        self.name = name
        self.released = Course(root).released(name)
        self.device = device
        self.sandboxes = [Sandbox(confined, place) for place in dict.fromkeys(("cpu", device))]
        self.grader = Grader(chapters.load(root, name), seed, *self.sandboxes)

    def check(self, *private: Path) -> None:
        """Raise SandboxUnavailable, with what to do, where a submission could not be run."""
        for sandbox in self.sandboxes:
            sandbox.check(*private)

    @cached_property
    def environment(self) -> dict[str, str]:
        """What its verdicts may depend on beside the course."""
        return environment(self.device)

    def stop(self) -> None:
        """End its sandboxes."""
        for sandbox in self.sandboxes:
            sandbox.stop()

    def kill(self) -> None:
        """End its sandboxes at once and for good, from any thread."""
        for sandbox in self.sandboxes:
            sandbox.kill()

    def grade(self, student: str, handed_in: HandIn, hurry: bool = False) -> Graded:
        """Grade what was handed in, whatever it turns out to be.

        What goes wrong here is a fault of ours: there is no verdict then, and no mark.
        Raises SandboxUnavailable where nothing can be run.
        """
        try:
            with processor_limit():
                return self._grade(student, handed_in, hurry)
        except TooSlow:
            return Graded(student, slow=True)
        except SandboxUnavailable:
            raise
        except (Exception, OutOfTime) as error:
            return fault(student, self.grader.chapter, error)

    def _grade(self, student: str, handed_in: HandIn, hurry: bool) -> Graded:
        try:
            submission = notebooks.parse(handed_in.data, Path(handed_in.name))
            spliced = notebooks.splice(self.released, submission)
        except notebooks.UnreadableError as error:
            return self._all(student, INFRASTRUCTURE, str(error))
        except notebooks.NotebookError as error:
            return self._all(student, MISSING, str(error))
        return self._graded(student, self.grader.grade_notebook(spliced, hurry), spliced)

    def _all(self, student: str, kind: str, sentence: str) -> Graded:
        """One verdict for every exercise, on the released notebook."""
        checks = self.grader.checks
        found = {name: stopped(item, kind, sentence) for name, item in checks.items()}
        return self._graded(student, found, notebooks.splice(self.released, self.released))

    def _graded(self, student: str, found: dict[str, Verdict], notebook: NotebookNode) -> Graded:
        graded = rows(student, self.name, found)
        unjudged = [v.sentence for v in found.values() if v.kind == INFRASTRUCTURE]
        if unjudged:
            return Graded(student, graded, fault=unjudged[0])
        write_outputs(notebook, found)
        cells = notebook.cells
        scores = {_id(cell): determine_grade(cell)[0] for cell in cells if is_grade(cell)}
        comments = {_id(cell): _comment(cell) for cell in cells if is_solution(cell)}
        notes = notebooks.notes(notebook)
        text = _text(notebook)
        return Graded(student, graded, text, scores, comments, notes, self.environment)


def fault(
    student: str, chapter: Chapter, error: BaseException, what: str = "The grader failed"
) -> Graded:
    """No verdict on any exercise because of an error of ours, and its traceback."""
    told = isinstance(error, CourseError | SandboxUnavailable)
    sentence = f"{what}: {error if told else f'{type(error).__name__}: {error}.'}"
    return Graded(student, [
        {"student": student, "chapter": chapter.name, "exercise": exercise.name,
         "points": None, "max_points": exercise.points, "verdict": INFRASTRUCTURE,
         "misconception": None, "message": clean(sentence, SENTENCE)}
        for exercise in chapter.exercises.values()
    ], fault="".join(traceback.format_exception(error)))  # fmt: skip


def _text(notebook: NotebookNode) -> str:
    """Without the line breaks that Jupyter puts in, which take ten times as long to write."""
    return json.dumps(notebook, ensure_ascii=False, sort_keys=True) + "\n"


def _id(cell: NotebookNode) -> str:
    return str(cell.metadata.nbgrader["grade_id"])


def _comment(cell: NotebookNode) -> str | None:
    """As nbgrader comments a cell that was left as it was."""
    unchanged = cell.metadata.nbgrader.get("checksum") == compute_checksum(cell)
    return "No response." if unchanged else None


_session: Session | Exception | None = None


def grade_in_session(student: str, handed_in: HandIn, hurry: bool) -> Graded:
    """In a worker process: grade with the session that it was told to use.

    Raises what was raised where there should have been one: the cause is not to be lost.
    """
    assert _session is not None
    if isinstance(_session, Exception):
        raise _session
    return _session.grade(student, handed_in, hurry)


def use(session: Session | Exception) -> None:
    """In a worker process: grade with this session from now on."""
    global _session
    _session = session


def _open_session(root: Path, name: str, seed: str, confined: bool, device: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    Thread(target=end_with_parent, daemon=True).start()
    try:
        use(Session(root, name, seed, confined, device))  # its sandboxes end with this process
    except Exception as error:
        use(error)


@contextmanager
def local_executor(
    root: Path, name: str, seed: str, confined: bool, device: str = "cpu",
    workers: int | None = None,
) -> Iterator[Executor]:  # fmt: skip
    """A process for each core; each judges with a sandbox of its own. They share one GPU.

    One server loads what all of them need and forks them, the next time too. Whoever leaves early,
    by Ctrl-C say, does not wait for what is running.
    """
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["autograder.session", "torch._dynamo"])
    pool = ProcessPoolExecutor(
        max_workers=workers or len(os.sched_getaffinity(0)),
        mp_context=forks,
        initializer=_open_session,
        initargs=(root, name, seed, confined, device),
    )
    try:
        yield pool
    except BaseException:
        running = [*(pool._processes or {}).values()]  # no others: the host program has its own
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.kill()
        raise
    pool.shutdown()
