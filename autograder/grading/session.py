"""A worker process keeps a session between submissions: chapters with their checks, a sandbox."""

import json
import os
import signal
from collections.abc import Collection, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from threading import Thread

from nbformat import NotebookNode
from nbgrader.utils import compute_checksum, is_solution

from autograder.chapters import solutions
from autograder.common.cell import grade_id
from autograder.common.errors import SandboxUnavailable
from autograder.common.forks import fork_server
from autograder.course.course import Course
from autograder.diagnosis.diagnose import diagnose_all
from autograder.grading.provenance import environment
from autograder.grading.results import PUBLIC_ONLY, Graded, fault, rows
from autograder.judging.budget import Limits, TooSlow
from autograder.judging.grader import Grader
from autograder.judging.marks import scores
from autograder.judging.verdict import Kind, Verdict
from autograder.notebooks.hand_in import HandIn
from autograder.notebooks.splice import notes
from autograder.notebooks.watchdog import OutOfTime, end_with_parent, processor_limit
from autograder.sandbox.sandbox import Sandbox
from autograder.showing.outputs import write_outputs


class Session:
    """Grades submissions of a course's chapters, one after the other."""

    def __init__(self, root: Path, seed: str | None, confined: bool, device: str = "cpu"):
        self.root, self.seed, self.device = root, seed, device
        self.sandboxes = [Sandbox(confined, place) for place in dict.fromkeys(("cpu", device))]
        self._opened: dict[str, tuple[Grader, NotebookNode] | Exception] = {}

    def begin(self) -> None:
        """Start what takes seconds to start, and do not wait for it."""
        for sandbox in self.sandboxes:
            sandbox.begin()

    def check(self, *private: Path) -> None:
        """Raise SandboxUnavailable, with what to do, where a submission could not be run."""
        for sandbox in self.sandboxes:
            sandbox.check(*private)

    @cached_property
    def environment(self) -> dict[str, str]:
        """Return what its verdicts may depend on beside the course."""
        return environment(self.device)

    def stop(self) -> None:
        """End its sandboxes."""
        for sandbox in self.sandboxes:
            sandbox.stop()

    def kill(self) -> None:
        """End its sandboxes at once and for good, from any thread."""
        for sandbox in self.sandboxes:
            sandbox.kill()

    def grade(
        self,
        name: str,
        student: str,
        handed_in: HandIn,
        hurry: bool = False,
        limits: dict[str, float] | None = None,
    ) -> Graded:
        """Grade what was handed in of a chapter, whatever it turns out to be.

        limits: of its class; by default those that are measured here.
        What goes wrong here is a fault of ours: there is no verdict then, and no mark.
        Raises SandboxUnavailable where nothing can be run, and what is wrong with the chapter.
        """
        grader, released = self.chapter(name)
        if limits:
            grader.hold_to(Limits(**limits))
        try:
            with processor_limit():
                verdicts, notebook = grader.grade_hand_in(released, handed_in, hurry)
                verdicts, errors = diagnose_all(grader.checks, verdicts)
                graded = self._graded(name, student, verdicts, notebook)
                graded = replace(graded, notes=[*graded.notes, *map(_unnamed, errors)])
        except TooSlow:
            graded = Graded(student, slow=True)
        except SandboxUnavailable:
            raise
        except (Exception, OutOfTime) as error:
            return fault(student, grader.chapter, error)
        return replace(graded, limits=asdict(grader.limits)) if grader.measured else graded

    def chapter(self, name: str) -> tuple[Grader, NotebookNode]:
        """Return a chapter's grader and released notebook; both are made at the first call."""
        if name not in self._opened:
            try:
                grader = Grader(solutions.load(self.root, name), self.seed, *self.sandboxes)
                self._opened[name] = grader, Course(self.root).released(name)
            except Exception as error:
                self._opened[name] = error
        opened = self._opened[name]
        if isinstance(opened, Exception):
            raise opened
        return opened

    def _graded(
        self, name: str, student: str, verdicts: dict[str, Verdict], notebook: NotebookNode
    ) -> Graded:
        graded = rows(student, name, verdicts)
        unjudged = [v for v in verdicts.values() if v.kind == Kind.INFRASTRUCTURE]
        if unjudged:
            return Graded(student, graded, fault=unjudged[0].fault or unjudged[0].sentence)
        write_outputs(notebook, verdicts)
        if self.seed is None:
            notebook.metadata[PUBLIC_ONLY] = True
        comments = {grade_id(cell): _comment(cell) for cell in notebook.cells if is_solution(cell)}
        return Graded(
            student,
            graded,
            _text(notebook),
            scores(notebook, verdicts),
            comments,
            notes(notebook),
            self.environment,
        )


def _unnamed(error: str) -> str:
    """Return a note for the teacher on an error of ours, which cost a hint and no mark."""
    return f"A mistake could not be named, which is a fault of the grader: {error.splitlines()[-1]}"


def _text(notebook: NotebookNode) -> str:
    """Write it without the line breaks that Jupyter puts in, which take ten times as long."""
    return json.dumps(notebook, ensure_ascii=False, sort_keys=True) + "\n"


def _comment(cell: NotebookNode) -> str | None:
    """Comment a cell that was left as it was, as nbgrader does."""
    unchanged = cell.metadata.nbgrader.get("checksum") == compute_checksum(cell)
    return "No response." if unchanged else None


_session: Session | Exception | None = None


def grade_in_session(
    chapter: str, student: str, handed_in: HandIn, hurry: bool, limits: dict[str, float] | None
) -> Graded:
    """Grade, in a worker process, with the session that it was told to use.

    Raises what was raised where there should have been one: the cause is not to be lost.
    """
    assert _session is not None
    if isinstance(_session, Exception):
        raise _session
    return _session.grade(chapter, student, handed_in, hurry, limits)


def use(session: Session | Exception) -> None:
    """In a worker process: grade with this session from now on."""
    global _session
    _session = session


def _open_session(
    root: Path, seed: str | None, confined: bool, device: str, chapters: Collection[str]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    Thread(target=end_with_parent, daemon=True).start()
    try:
        session = Session(root, seed, confined, device)  # its sandboxes end with this process
        session.begin()
        use(session)
        for name in chapters:
            with suppress(Exception):  # which is raised again where the chapter is graded
                session.chapter(name)
    except Exception as error:
        use(error)


@contextmanager
def local_executor(
    root: Path,
    seed: str | None,
    confined: bool,
    device: str = "cpu",
    workers: int | None = None,
    chapters: Collection[str] = (),
) -> Iterator[Executor]:
    """A process for each core; each judges with a sandbox of its own. They share one GPU.

    chapters: which are read as a process starts, and not with their first submission.

    One server loads what all of them need and forks them, the next time too. Whoever leaves early,
    by Ctrl-C say, does not wait for what is running.
    """
    pool = ProcessPoolExecutor(
        max_workers=workers or len(os.sched_getaffinity(0)),
        mp_context=fork_server(__name__),
        initializer=_open_session,
        initargs=(root, seed, confined, device, chapters),
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
