"""Grading on a Dask cluster: each worker process has a session and a sandbox of its own.

Where a worker's clone of the course lies is the worker's to know: ATTN_ROOT in its environment,
else the folder that its engine lies in.
"""

import json
import os
import platform
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any

from autograder.chapters.course_root import course_root
from autograder.common.errors import CourseError, SandboxUnavailable
from autograder.course.course import Course
from autograder.grading import cluster_messages, provenance
from autograder.grading.provenance import fingerprint
from autograder.grading.results import Graded
from autograder.grading.session import Session, grade_in_session, use
from autograder.notebooks.hand_in import HandIn

try:
    from distributed import WorkerPlugin
    from distributed.comm import CommClosedError

    from autograder.grading.scheduler import Scheduler
except ModuleNotFoundError:
    raise CourseError(
        "Grading on a cluster needs Dask; install it with: pip install distributed"
    ) from None

ROOT = "ATTN_ROOT"
GPU = {"GPU": 1.0}
AHEAD = 256  # submissions handed out at a time: more workers than that outrun the one that writes
RESULT_SECONDS = 60  # for a result to come from its worker, once it is there
SETTLED_SECONDS = 5  # for what is taken back to be settled
Work = Callable[..., Graded]


class Grading(WorkerPlugin):
    """A worker process keeps this while a class is graded; its first submission opens the session.

    The seed travels in it: the scheduler passes it on as bytes that it does not open, and no task,
    key or log of a task holds it.
    """

    def __init__(self, seed: str, confined: bool, device: str, theirs: dict[str, dict[str, str]]):
        """theirs: of each chapter, what decides about a verdict where the run was started."""
        self.seed, self.confined, self.device, self.theirs = seed, confined, device, theirs
        known = provenance.seed(seed)  # slow to guess from: the scheduler's log has the name
        mark = fingerprint(known.encode(), device.encode(), json.dumps(theirs).encode())
        self.name = f"attn-{'-'.join(theirs)}-{mark[:12]}"

    def setup(self, worker: Any) -> None:
        """In a worker process that joins the cluster, or that is there already."""
        provenance.engine()  # what this process has imported, whatever becomes of the files
        self._address = worker.address
        self._one = threading.Lock()  # a sandbox is for one thread, however many the worker has
        self._session: Session | None = None
        self._ended = False

    def teardown(self, worker: Any) -> None:
        """End what runs, when grading is over or was interrupted."""
        self._ended = True
        if self._session:
            self._session.kill()

    def do(self, message: bytes) -> bytes:
        """Grade one submission, alone. Raises CourseError if this worker would judge otherwise."""
        with self._one:
            self._session = self._session or self._opened()
            if self._ended:
                self._session.kill()
            use(self._session)
            graded = grade_in_session(*cluster_messages.submission(message))
            return cluster_messages.reply(message, graded)

    def _opened(self) -> Session:
        root = course_root(Path(os.environ[ROOT]) if ROOT in os.environ else None)
        for chapter, theirs in self.theirs.items():
            ours = _imported(root, chapter)
            if differing := [part for part, value in theirs.items() if ours.get(part) != value]:
                raise CourseError(
                    f"The worker at {self._address} does not have the same "
                    f"{' and '.join(differing)} of {chapter} as this computer. Bring {root} there "
                    "up to date, and restart the worker."
                )
        session = Session(root, self.seed, self.confined, self.device)
        try:
            session.check(root)
        except SandboxUnavailable as error:
            raise SandboxUnavailable(f"The worker at {self._address}: {error}") from None
        return session


class ClusterExecutor(Executor):
    """An Executor over a Dask client. Where the cluster loses a task, it is broken, as a pool is.

    Dask itself gives the task of a worker that died to another one.
    resources: what a worker must have been started with, by Dask's name.
    """

    def __init__(self, client: Any, plugin: str, resources: dict[str, float] | None = None):
        self._client, self._plugin, self._resources = client, plugin, resources
        self._open: dict[Any, Future[Graded]] = {}  # what is not settled, by Dask's task
        self._run = secrets.token_hex()

    def submit(  # type: ignore[override]
        self,
        work: Work,
        /,
        chapter: str,
        student: str,
        handed_in: HandIn,
        hurry: bool,
        limits: dict[str, float] | None,
    ) -> "Future[Graded]":
        """Hand a submission to a worker that has a session, whose `work` is to grade it."""
        message = cluster_messages.request(self._run, chapter, student, handed_in, hurry, limits)
        task = self._client.submit(
            _task(), self._plugin, message, pure=False, resources=self._resources
        )
        future = self._open[task] = Future()
        task.add_done_callback(partial(self._settle, fingerprint(message), student))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take back whatever is not done, and wait until it is settled.

        Dask's own thread would wait for ever for a result that it asks of a closed client.
        """
        taken_back = dict(self._open)
        try:
            self._client.cancel(list(taken_back), force=True)
        finally:
            wait_for(taken_back.values(), SETTLED_SECONDS)

    def _settle(self, digest: str, student: str, task: Any) -> None:
        future = self._open[task]
        try:
            answer = task.result(RESULT_SECONDS)
            future.set_result(cluster_messages.verdict(answer, digest, student))
        except (CancelledError, CommClosedError, TimeoutError):
            future.set_exception(BrokenExecutor("The cluster lost it."))
        except BaseException as error:
            future.set_exception(error)
        del self._open[task]


@contextmanager
def cluster_executor(
    scheduler: Scheduler,
    chapters: list[str],
    root: Path,
    seed: str,
    confined: bool,
    device: str = "cpu",
) -> Iterator[Executor]:
    """The workers of a scheduler, now and as they come and go.

    On the GPU, those that were started with `--resources GPU=1`.

    Whoever leaves it, by Ctrl-C say, leaves nothing running there.
    Raises CourseError if the scheduler cannot be reached, or by others too.
    """
    versions = {chapter: _versions(root, chapter) for chapter in chapters}
    grading = Grading(seed, confined, device, versions)
    with scheduler.connected() as client:
        executor = ClusterExecutor(client, grading.name, GPU if device == "cuda" else None)
        try:
            _announce(client, grading, scheduler.address)
            yield executor
        finally:
            with suppress(Exception):  # the scheduler may be gone, and its workers with it
                executor.shutdown()
                client.unregister_worker_plugin(grading.name)


def _announce(client: Any, grading: Grading, address: str) -> None:
    """Tell the workers, also those to come, what they are to grade with."""
    try:
        client.register_plugin(grading, name=grading.name)
    except Exception as error:
        raise CourseError(
            f"A worker of {address} cannot grade: {type(error).__name__}: {error}. "
            "Each needs this version of the engine; install it there, and restart the worker."
        ) from None
    if not client.nthreads():
        print(f"No worker has joined {address} yet; waiting for the first.", file=sys.stderr)


def _versions(root: Path, name: str) -> dict[str, str]:
    """Name what decides about a verdict beside submission and seed, as a person calls it."""
    decides = provenance.sources(Course(root), name)
    return {
        "engine": decides["engine"],
        "exercises": decides["chapter"],
        "released notebook": decides["release"],
        "torch": metadata.version("torch").partition("+")[0],  # for whichever device it was built
        "Python": ".".join(platform.python_version_tuple()[:2]),
    }


_imported = cache(_versions)  # of a worker process, which never imports anything again


def _task() -> Callable[[str, bytes], bytes]:
    """Return what a task calls. From in here it travels by value: the scheduler needs no engine."""

    def grade_a_submission(plugin: str, message: bytes) -> bytes:
        from concurrent.futures import BrokenExecutor

        from distributed import get_worker

        grading = get_worker().plugins.get(plugin)
        if grading is None:
            raise BrokenExecutor("This worker's scheduler was started anew.")
        return bytes(grading.do(message))

    return grade_a_submission
