"""Submissions are handed out to worker processes, of this computer or of a Dask cluster."""

import os
from collections import deque
from collections.abc import Callable, Container, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from autograder.common.errors import SandboxUnavailable
from autograder.course.course import Course
from autograder.grading.results import Graded
from autograder.grading.session import grade_in_session, local_executor
from autograder.notebooks.hand_in import HandIn
from autograder.sandbox.sandbox import Sandbox

Executors = Callable[[], AbstractContextManager[Executor]]
Work = tuple[str, str]  # a submission: of which chapter, and whose
Running = dict[Future[Graded], Work]
# Submissions handed out at a time: enough that no core waits for the next.
AHEAD = max(8, 2 * (os.cpu_count() or 1))
BESIDE = (os.cpu_count() or 1) // 2  # of those that take long, while others wait
ATTEMPTS = 5  # to start worker processes, when nothing is graded in between
POLL_SECONDS = 0.5  # without a result, after which whoever waits is told that there is none
MAX_SOLO_ATTEMPTS = 2  # at a submission that was the only one when its worker process was killed


class Attempts:
    """Each submission is handed out until something has become of it.

    read: what was handed in by now. fault: of an error of ours, with no verdict.
    ahead: how many are handed out at a time. beside: how many of those that take long.
    """

    def __init__(
        self,
        read: Callable[[Work], HandIn],
        fault: Callable[[Work, BaseException], Graded],
        ahead: int = AHEAD,
        beside: int = BESIDE,
    ):
        self._read, self._fault, self._ahead, self._beside = read, fault, ahead, beside
        self._suspects: set[Work] = set()  # each may be what its worker process was killed for
        self._alone: dict[Work, int] = {}  # how often a process was killed that graded only this
        self._refused = 0  # submissions in a row for which no sandbox started
        # Of each chapter, as they were measured with its first submission: the same for the class.
        self._limits: dict[str, dict[str, float]] = {}

    def outcomes(
        self, executors: Executors, todo: Iterable[Work]
    ) -> Generator[tuple[Work, Graded] | None, None, None]:
        """Grade them; where worker processes are killed, with new ones. None where all is waiting.

        Raises SandboxUnavailable where no sandbox starts for many in a row.
        """
        left = dict.fromkeys(todo)
        fruitless = 0
        while left:
            before = len(left)
            with executors() as executor:
                yield from self._round(executor, left)
            fruitless = fruitless + 1 if len(left) == before else 0
            if fruitless == ATTEMPTS:
                yield from self._give_up(left)

    def _give_up(self, left: dict[Work, None]) -> Iterator[tuple[Work, Graded]]:
        for work in list(left):
            del left[work]
            error = BrokenExecutor("its worker processes end as they start")
            yield work, self._fault(work, error)

    def _round(
        self, executor: Executor, left: dict[Work, None]
    ) -> Iterator[tuple[Work, Graded] | None]:
        """Yield what becomes of the submissions, which are taken from `left` as they finish."""
        running: Running = {}
        waiting = Waiting(left, self._suspects, self._beside)
        try:
            while waiting or running:
                self._hand_out(executor, waiting, running)
                finished = wait(running, POLL_SECONDS, FIRST_COMPLETED).done
                if not finished:
                    yield None
                for done in finished:
                    graded = self._outcome(running[done], done)
                    work = running.pop(done)
                    if graded.limits:
                        self._limits.setdefault(work[0], graded.limits)
                    waiting.patient.discard(work)
                    self._suspects.discard(work)
                    if graded.slow:
                        waiting.slow.append(work)
                    else:
                        del left[work]
                        yield work, graded
        except BrokenExecutor as error:
            yield from self._killed(list(running.values()), left, error)

    def _hand_out(self, executor: Executor, waiting: "Waiting", running: Running) -> None:
        at_once = 1 if self._suspects else self._ahead
        while len(running) < at_once and (given := waiting.take()):
            work, hurry = given
            limits = self._limits.get(work[0])
            future = executor.submit(grade_in_session, *work, self._read(work), hurry, limits)
            running[future] = work

    def _outcome(self, work: Work, done: Future[Graded]) -> Graded:
        """Return the result; a fault of ours costs no other student anything."""
        try:
            graded = done.result()
        except BrokenExecutor:
            raise
        except Exception as error:
            if isinstance(error, SandboxUnavailable):
                self._refused += 1
            if self._refused == ATTEMPTS:
                raise
            return self._fault(work, error)
        self._refused = 0
        return graded

    def _killed(
        self, running: list[Work], left: dict[Work, None], error: BrokenExecutor
    ) -> Iterator[tuple[Work, Graded]]:
        """Go on after a worker process was killed: one of these submissions may be the cause."""
        self._suspects.update(running)
        if len(running) != 1:
            return
        (work,) = running
        self._alone[work] = self._alone.get(work, 0) + 1
        if self._alone[work] == MAX_SOLO_ATTEMPTS:
            self._suspects.discard(work)
            del left[work]
            yield work, self._fault(work, error)


class Waiting:
    """Submissions that are yet to be handed out, in their order.

    Each is given little time at first. Those that need more are graded beside the others, `beside`
    at a time, so that one that never ends keeps nobody waiting; once no others are left, all are.
    Before all, with all their time, come those that were at work when a process was killed.
    patient: those that were handed out with all their time.
    """

    def __init__(self, left: Iterable[Work], suspects: Container[Work], beside: int):
        self.suspects = deque(work for work in left if work in suspects)
        self.quick = deque(work for work in left if work not in suspects)
        self.slow: deque[Work] = deque()
        self.patient: set[Work] = set()
        self._beside = beside

    def __bool__(self) -> bool:
        return bool(self.suspects or self.quick or self.slow)

    def take(self) -> tuple[Work, bool] | None:
        """Take the next, and say whether to give it little time; None if there is none."""
        if not self.suspects and self.quick and (not self.slow or not self._has_room):
            return self.quick.popleft(), True
        queue = self.suspects or self.slow
        if not queue:
            return None
        work = queue.popleft()
        self.patient.add(work)
        return work, False

    @property
    def _has_room(self) -> bool:
        return len(self.patient) < self._beside


@dataclass(frozen=True)
class Backend:
    """executors: what grades there. ahead: how many submissions are handed out at a time."""

    executors: Executors
    ahead: int


def choose_backend(
    course: Course,
    chapters: list[str],
    seed: str,
    *,
    confined: bool,
    device: str,
    scheduler: str | None,
    insecure: bool,
) -> Backend:
    """This computer, or the workers of the Dask scheduler at an address.

    device: "cuda" for the GPU too. insecure: without TLS, even where others may reach it. Raises
    SandboxUnavailable where a submission could not be run here, CourseError where the scheduler
    may not be used or Dask is missing.
    """
    given = course.root, seed, confined, device
    if scheduler is None:
        Sandbox(confined, device).check(course.root)
        return Backend(partial(local_executor, *given), AHEAD)
    from autograder.grading import cluster  # and Dask, which few have
    from autograder.grading.scheduler import Scheduler

    there = Scheduler(scheduler, insecure)
    there.check()
    return Backend(partial(cluster.cluster_executor, there, chapters, *given), cluster.AHEAD)
